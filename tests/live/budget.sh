#!/bin/bash
# What was asked for is spent, by gait's own measure, and not exceeded: with the perf clock, and with the
# timer, which has few ticks and must make more of each.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
data=$work/data

for trigger in perf cputime; do
    status 0 "$trigger" "$gait" record -q --trigger $trigger --overhead 10% -o "$data" -- \
        awk 'BEGIN { for (i = 0; i < 6000000; i++) { s = (s * 31 + i) % 1000003; a[s % 100] += i } print s }'
    "$gait" info "$data" --json >"$work/info" || bad "$trigger: no info"
    python3 - "$trigger" "$work/info" <<'P' || bad "$trigger: the budget is not kept"
import json, sys
info = json.load(open(sys.argv[2]))
if info["facts"]["trigger"] != [sys.argv[1]]:
    sys.exit(print(f"{sys.argv[1]} is refused here: not tested"))
row = info["rows"][0]
told = 100 * (row["agent_share"] + row["tool_share"])
if not 4 < told < 13:
    sys.exit(f"{told:.1f} % told of 10 % asked")
P
done
finish
