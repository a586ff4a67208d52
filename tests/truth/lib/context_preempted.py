"""context_preempted.py CONTEXTS NANOSECONDS HERTZ: ticks of the function that works in tests/programs/signals/preempted.c (gait contexts --json) against its CPU time, while another program had the CPU as often."""

import json
import sys

with open(sys.argv[1]) as file:
    rows = json.load(file)["rows"]
ticks = sum(row["metrics"]["self_ticks"] for row in rows if row["function"] == "works")
cpu = int(sys.argv[2]) * int(sys.argv[3]) / 1e9
good = 0.75 < ticks / cpu < 1.25
print(f"preempted: {ticks:.0f} ticks of {cpu:.0f} by the CPU time{'' if good else ': BAD'}")
sys.exit(not good)
