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
# Where an address is not known there is no page: gzip has none below 4 GiB, and what a replay makes up lies there.
"$gait" pipeline --by page --json "$work/data" >"$work/pages" || fail 'by page'
/usr/bin/python3 - "$work/pages" <<'PY' || fail 'pages that are nobody'\''s'
import json, sys
view = json.load(open(sys.argv[1]))
low = [row["data"] for row in view["rows"] if int(row["data"], 16) < 1 << 32]
print(len(view["rows"]), "pages, below 4 GiB:", low)
sys.exit(bool(low) or not view["rows"])
PY
# --where holds of all that is shown, whatever the column.
for where in mispredicted '!retired' 'l1_miss && retired'; do
    "$gait" pipeline --by all --where "$where" --json "$work/data" >"$work/where" || fail "--where $where"
    /usr/bin/python3 - "$work/where" "$where" <<'PY' || fail "--where $where: not of every column"
import json, sys
view, where = json.load(open(sys.argv[1])), sys.argv[2]
row, = view["rows"]
events = {name: event["count"] for name, event in row["events"].items()}
print(where, row["samples"], view["left_out_records"], events)
assert view["where"] == where and row["samples"] + view["left_out_records"] == view["records"] and row["samples"]
all_of = {"mispredicted": ("mispredicts", "retired"), "!retired": ("aborted",), "l1_miss && retired": ("l1_misses", "retired")}[where]
none_of = {"mispredicted": ("aborted",), "!retired": ("retired",), "l1_miss && retired": ("aborted",)}[where]
assert all(events[name] == events["fetched"] for name in all_of) and not any(events.get(name, 0) for name in none_of)
PY
done
# Edges: each leads to what retired next, as the run itself says, as often as it did.
make -s "${GAIT_OUT:-o/rel}/programs/stages" >&2 || exit 1
"$gait" record -q -o "$work/stages" --exact=trace --core zen3 --pairs 5 -- "${GAIT_OUT:-o/rel}/programs/stages" "$([ -n "$GAIT_LONG" ] && echo 60 || echo 15)" >/dev/null 2>"$work/log" || { cat "$work/log"; fail 'record of stages'; }
"$gait" pipeline --json --limit 1000 "$work/stages" >"$work/steps" && "$gait" pipeline --by edge --json "$work/stages" >"$work/edges" || fail 'by edge'
"$gait" report --raw --by edge --json "$work/stages" >"$work/branches" && "$gait" report --raw --by call --json "$work/stages" >"$work/calls" || fail 'report'
"$gait" pipeline --by edge --limit 1 "$work/stages" | grep -q 'followed .* times \[' || fail 'followed is not shown'
/usr/bin/python3 - "$work/steps" "$work/edges" "$work/branches" "$work/calls" <<'PY' || fail 'edges are not what retired next'
import json, sys
exact, edges, branches, calls = (json.load(open(path))["rows"] for path in sys.argv[1:])
retired = {row["address"]: row["retired"]["count"] for row in exact}
took = {(row["from"], row["to"]): row["count"] for row in branches}
ends = {row["from"] for row in branches + calls}
def place(text):
    module, at = text.rsplit("+0x", 1)
    return module, int(at, 16)
straight = odd = held = n = 0
for row in edges:
    (module, at), (to_module, to) = place(row["from"]), place(row["to"])
    next_one = module == to_module and 0 < to - at <= 15
    straight += next_one
    if not next_one and row["from"] not in ends:
        odd += 1  # a jump that is no edge of one function, or a string instruction that goes on
    assert row["followed"]["count"] == row["retired"]["count"] and row["wasted_slots"] is None
    if row["samples"] < 20:
        continue
    true = took.get((row["from"], row["to"])) if row["from"] in ends else retired[row["from"]] if next_one else None
    if true is not None:
        n += 1
        held += row["followed"]["lo"] * 0.95 <= true <= row["followed"]["hi"] * 1.05
print(len(edges), "edges,", straight, "to the instruction behind,", odd, "odd;", held, "of", n, "counts hold")
assert straight > 0.5 * len(edges) and odd <= 0.1 * len(edges) and n >= 10 and held >= 0.85 * n
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
