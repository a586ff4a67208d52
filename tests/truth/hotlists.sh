#!/bin/bash
# Values through hotlists (record --hotlist), of loads whose values are known: estimates are near, intervals hold, lists are short, and thresholds
# say that some was not seen whole where there are many values, and that all was where there are two.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
command -v python3 >/dev/null || skip 'no python3'
hot=$(program hotlists)
for kind in concise counting space-saving; do
    "$gait" record -q --events value --overhead 20% --hotlist "$kind" -o "$work/$kind" -- "$hot" 200000000 >/dev/null || bad "$kind: status $?"
    for function in many few; do
        "$gait" values --json --kind load --function $function "$work/$kind" >"$work/$kind-$function" || bad "$kind, $function: status $?"
    done
    "$gait" info --json "$work/$kind" | grep -q "\"hotlist\": \[\"$kind\"\]" || bad "$kind: no fact"
    "$gait" values --function many "$work/$kind" | grep -q '  threshold' || bad "$kind: no threshold in the text"
done
python3 -B - "$work" <<'PY' || bad 'values of hotlists'
import json, sys
TRUTH = {"many": {"0x6f": 0.5, "0xde": 0.25, "0x14d": 0.1}, "few": {"0x7": 0.5, "0x8": 0.5}}
held = all_of = bad = 0
for kind in ("concise", "counting", "space-saving"):
    for function, truth in TRUTH.items():
        rows = [row for row in json.load(open(f"{sys.argv[1]}/{kind}-{function}"))["rows"]]
        assert len(rows) == 1, (kind, function, len(rows))
        row = rows[0]
        shares = {value["value"]: value for value in row["values"]}
        unsure = row["others_most" if kind == "space-saving" else "threshold"]
        some = unsure > (0 if kind == "space-saving" else 1)
        bad |= row["hotlist"] != kind or some != (function == "many") or len(shares) > 16
        for value, share in truth.items():
            seen = shares.get(value, {"share": 0, "share_lo": 0, "share_hi": 0})
            held += seen["share_lo"] <= share <= seen["share_hi"]
            all_of += 1
            bad |= abs(seen["share"] - share) > 0.15
            print(f"{kind} {function} {int(value, 16)}: {seen['share']:.3f} [{seen['share_lo']:.3f}, {seen['share_hi']:.3f}] of {share}, of {row['total']:.0f}, unsure {unsure:.2f}")
print(f"{held} of {all_of} intervals hold")
sys.exit(bool(bad) or held < all_of - 2)
PY
status 125 'a hotlist of no values' "$gait" record --hotlist concise -o "$work/none" -- "$hot" 10
status 125 'a hotlist of a trace' "$gait" record --exact=trace --events value --hotlist concise -o "$work/none" -- "$hot" 10
status 125 'a hotlist of no kind' "$gait" record --events value --hotlist best -o "$work/none" -- "$hot" 10
# What lists keep at equal memory: where there are more than two values, a list of any kind has those that are frequent.
"$gait" record -q --exact=trace --events address,value --dump-stream "$work/tuples" -o "$work/trace" -- "$hot" 20000 >/dev/null || bad "trace: status $?"
"$gait" lab --csv streams-hotlists "$work/tuples" >"$work/table" || bad "streams-hotlists: status $?"
python3 -B - "$work/table" <<'PY' || bad 'a table of hotlists'
import csv, sys
rows = [row for row in csv.DictReader(open(sys.argv[1])) if int(row["bytes"]) > 100]
for row in rows:
    print(row["list"], row["values"], row["found"], row["in list"], row["error %"], row["within"])
share = lambda cell: float(cell.rstrip("%"))
sys.exit(not rows or any(share(row["in list"]) < 95 or share(row["within"]) < 85 or float(row["error %"]) > 15 for row in rows))
PY
finish
