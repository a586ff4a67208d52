#!/bin/bash
# Pairs of a trace that are followed through a model, against what the model counts of all: intervals of retirements and of wasted slots hold what is exact.
cd "$(dirname "$0")/../.." || exit 1
. tests/truth/lib/programs.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
seq 1 3000 >"$work/text"
"$gait" record -q -o "$work/data" --exact=trace --core zen3 --pairs 100 -- gzip -c "$work/text" >/dev/null 2>"$work/log" || { cat "$work/log"; fail 'record'; }
"$gait" pipeline --json "$work/data" >"$work/exact" && "$gait" pipeline --json --by place "$work/data" >"$work/pairs" || fail 'pipeline'
"$gait" pipeline --metric 'other.retired && other.unit == self.unit' --limit 1 "$work/data" | grep -q 'other.unit == self.unit [0-9]' || fail 'a metric of pairs'
"$gait" pipeline --by unit --limit 1 "$work/data" | grep -q ', beside it unit [0-9]' || fail 'pairs by unit'
"$gait" pipeline --by all "$work/data" | grep -qx '1 of 1 rows' || fail 'all in one row: there are no others to show'
"$gait" pipeline --by line --limit 1 "$work/data" | grep -q 'loaded and stored nothing' || fail 'why records are in no line'
"$gait" pipeline --by object --json "$work/data" >"$work/objects" && "$gait" pipeline --by line --json "$work/data" >"$work/lines" || fail 'by object'
/usr/bin/python3 - "$work/objects" "$work/lines" <<'PY' || fail 'objects: not those of all that was loaded and stored'
import json, sys
objects, lines = (json.load(open(path)) for path in sys.argv[1:])
count = lambda view: sum(row["samples"] for row in view["rows"])
regions = {row["region"].split("/")[-1] for row in objects["rows"]}
print(regions, count(objects), objects["without_key"], lines["without_key"])
sys.exit(not {"gzip", "[memory]"} <= regions or objects["without_key"] != lines["without_key"] or not objects["rows"])
PY
/usr/bin/python3 - "$work/exact" "$work/pairs" <<'PY' || fail 'pairs and the model differ'
import json, sys
exact, pairs = ({row["address"]: row for row in json.load(open(path))["rows"]} for path in sys.argv[1:])
held = {"retired": [0, 0], "wasted": [0, 0]}
for address, row in pairs.items():
    if row["samples"] < 100:
        continue
    for name, got, true in (("retired", row["retired"], exact[address]["retired"]), ("wasted", row["wasted_slots"], exact[address]["wasted_slots"])):
        held[name][0] += 1
        held[name][1] += got["lo"] * 0.97 <= true["count"] <= got["hi"] * 1.03
assert all(row["retired"] == row["events"].get("retired") for row in pairs.values())
assert all(0 <= row["issued_nearby"]["mean"] <= 12 for row in exact.values() if "issued_nearby" in row), "more issued a cycle than can be"
print(held)
sys.exit(any(n < 10 or inside < 0.8 * n for n, inside in held.values()))
PY
"$gait" record -q -o "$work/data" --exact=trace --pairs 100 -- true 2>/dev/null && fail '--pairs without --core'
true
