"""context_costs.py JSON TOLD HERTZ: self ticks in contexts (gait contexts --json) of tests/programs/costs.c, whose `calls` makes 60 additions one behind the other and calls `called`, which makes 40, against
what the program told of itself natively: "function nanoseconds rounds" a line, several times.

Without fences the clock was read before what a stay does was done: a stay of 40 additions had three ticks. Both together are right within a half (processors are not always as fast), and who is called has 40 of 100
within a tenth of all."""

import json
import sys

WITHIN, SHARE_WITHIN = 0.5, 0.1
rows = {row["function"]: row for row in json.load(open(sys.argv[1]))["rows"]}
rounds = [line.split() for line in open(sys.argv[2])]
native = min(int(ns) / int(n) for name, ns, n in rounds if name == "calls") * float(sys.argv[3]) / 1e9
ticks = [rows[name]["metrics"]["self_ticks"] / rows["called"]["count"] for name in ("called", "calls")]
share = ticks[0] / sum(ticks)
print(f"called {ticks[0]:.1f}, calls {ticks[1]:.1f} ticks a round, natively {native:.1f} together")
sys.exit(abs(sum(ticks) / native - 1) > WITHIN or abs(share - 0.4) > SHARE_WITHIN)
