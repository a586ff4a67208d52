"""context_waits.py CONTEXTS: of tests/programs/waits.c (gait contexts --json), the function that works has most ticks, and what waits below `idles` has hardly any."""

import json
import sys

with open(sys.argv[1]) as file:
    rows = json.load(file)["rows"]
ticks = {name: sum(row["metrics"]["ticks"] or 0 for row in rows if row["function"] == name) for name in ("works", "idles")}
print(f"works {ticks['works']:.0f}, waits {ticks['idles']:.0f} ticks")
sys.exit(not ticks["idles"] < ticks["works"] / 10)
