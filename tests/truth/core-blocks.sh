#!/bin/sh
# The model of Zen 3 against measured blocks: 12 % without memory, 18 % in all, also on the half that it was not fitted to.
cd "$(dirname "$0")/../.." || exit 1
file=${BLOCKS:-../shared/fixtures/blocks/zen3-unrolled.csv}
[ -r "$file" ] || { echo "no measured blocks here (BLOCKS=FILE.csv)"; exit 77; }
gait=${GAIT_OUT:-o/rel}/gait
"$gait" lab blocks "$file" --core zen3 --json | /usr/bin/python3 -c '
import json, sys
said = json.load(sys.stdin)
assert said["schema"] == "gait/blocks/1" and said["core"] == "zen3"
for part in "odd", "even", "both":
    for group, bar in ("memory_free", 0.12), ("all", 0.18):
        of = said["errors"][part][group]
        rows = [r for r in said["rows"] if r["cycles"] is not None
                and (group == "all" or not (r["loads"] or r["stores"]))
                and (part == "both" or r["line"] % 2 == (part == "odd"))]
        mean = sum(abs(r["reading"] - r["measured"]) / r["measured"] for r in rows) / len(rows)
        assert len(rows) == of["blocks"] and abs(mean - of["mape"]) < 1e-6, (part, group, mean, of)
        print(part, group, "%.1f %%, without the clock %.1f %% (bar %.0f %%)" % (100 * mean, 100 * of["mape_without_clock"], 100 * bar))
        assert mean <= bar
'
