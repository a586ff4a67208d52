"""walked.py NAME <info.json: one row of bench/walked. Exit 1 if too little was walked."""

import json
import sys

info = json.load(sys.stdin)
row, losses = info["rows"][0], info["losses"]
share = row["walked_share"]
why = ", ".join(f"{n} {name}" for name, n in sorted(losses.items(), key=lambda pair: -pair[1]) if name not in ("untimed", "flushed"))
print(f"{sys.argv[1]:14} {row['interrupts']:9} {100 * share if share is not None else float('nan'):8.1f}  {why}", flush=True)
sys.exit(1 if row["interrupts"] >= 50 and share < 0.95 else 0)
