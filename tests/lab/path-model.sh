#!/bin/bash
# What a model of a core says along paths, and beside them, and in calling contexts, is what it says of all instructions of the same run, one by one (gait pipeline); paths are those of a run without it.
cd "$(dirname "$0")/../.." || exit 1
. tests/truth/lib/programs.sh
make -s "${GAIT_OUT:-o/rel}/programs/ways" >&2 || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
ways=${GAIT_OUT:-o/rel}/programs/ways
"$gait" record -q --exact=paths --core zen3 -o "$work/data" -- "$ways" many >/dev/null || fail "record: status $?"
"$gait" record -q --exact=paths -o "$work/counts" -- "$ways" many >/dev/null || fail "record: status $?"
"$gait" paths --json --sort stall "$work/data" >"$work/paths" || fail "gait paths: status $?"
"$gait" pipeline --json "$work/data" >"$work/pipeline" || fail "gait pipeline: status $?"
"$gait" paths --sort l1d "$work/counts" >/dev/null 2>"$work/said" && fail 'misses of a recording that has none'
grep -q 'no l1d in it' "$work/said" || fail "$(cat "$work/said")"
overlap=$("$gait" compare --by path --module ways --json "$work/data" "$work/counts" | grep -o '"overlap": [0-9.]*')
[ "$overlap" = '"overlap": 1' ] || fail "paths with a model and without: $overlap"
# The same in contexts.
"$gait" record -q --exact=contexts --core zen3 -o "$work/tree" -- "$ways" many >/dev/null || fail "record: status $?"
"$gait" contexts --json --min 0 "$work/tree" >"$work/contexts" || fail "gait contexts: status $?"
"$gait" contexts --sort stall "$work/tree" | grep -q 'weighed by cycles' || fail 'contexts by stalls'
"$gait" contexts --sort stall "$work/counts" >/dev/null 2>&1 && fail 'stalls of a recording that has none'
"$gait" pipeline --json "$work/tree" >"$work/pipeline-tree" || fail "gait pipeline: status $?"
python3 -B - "$work/contexts" "$work/pipeline-tree" <<'END' || exit 1
import json, sys
contexts, pipeline = (json.load(open(name)) for name in sys.argv[1:])
rows, whole = contexts["rows"], pipeline["rows"]
bad = 0
for metric, event in (("l1d", "l1_miss"), ("mispredict", "mispredict")):
    inside, all_of = sum(row["metrics"]["self_" + metric] for row in rows), sum(row["events"][event]["count"] for row in whole)
    told = contexts["modelled"][metric]
    print(f"{metric}: {inside} in {len(rows)} contexts, {told} with what is in none, of {all_of}")
    bad |= told != all_of or not 0.9 * told < inside <= told
sys.exit(bad)
END
# Paths in contexts.
"$gait" record -q --exact=paths+contexts --core zen3 -o "$work/both" -- "$ways" many >/dev/null || fail "record: status $?"
"$gait" paths --contexts --sort cycles --json "$work/both" >"$work/each" || fail "gait paths --contexts: status $?"
"$gait" paths --json "$work/both" >"$work/whole" || fail "gait paths: status $?"
"$gait" paths --contexts --sort fp_stall "$work/both" | grep -q 'weighed by cycles in which a model waited' || fail 'paths by fp_stall'
python3 -B - "$work/each" "$work/whole" <<'END' || exit 1
import collections, json, sys
each, whole = (json.load(open(name)) for name in sys.argv[1:])
def sums(told):
    found = collections.defaultdict(collections.Counter)
    for row in told["rows"]:
        found[row["address"], row["id"]].update(row["metrics"] | {"count": row["count"]})
    return found
apart, together = sums(each), sums(whole)
bad = 0
for metric in whole["elsewhere"]:
    a, b = (sum(row["metrics"][metric] for row in told["rows"]) + told["elsewhere"][metric] for told in (each, whole))
    print(f"{metric}: {a} in contexts and outside, {b} along paths and outside")
    bad |= a != b
same = sum(apart[key] == together[key] for key in together)
cycles = [sum(of[key]["cycles"] for key in of) for of in (apart, together)]
print(f"{same} of {len(together)} paths have in their contexts all that they have; {cycles[0]} of {cycles[1]} cycles")
bad |= same < 0.75 * len(together) or cycles[0] < 0.75 * cycles[1]
bad |= any(of[metric] > together[key][metric] for key, of in apart.items() for metric in of)
rows = each["rows"]
bad |= any(a["metrics"]["cycles"] < b["metrics"]["cycles"] for a, b in zip(rows, rows[1:]))
sys.exit(bad)
END
python3 -B - "$work/paths" "$work/pipeline" <<'END'
import json, sys
paths, pipeline = (json.load(open(name)) for name in sys.argv[1:])
rows = paths["rows"]
bad = 0
for row in rows:
    of = row["metrics"]
    bad |= of["mispredict_stall"] + of["store_stall"] + of["fp_stall"] > of["stall"] or of["stall"] > of["cycles"] or of["l1d_write"] > of["l1d"]
along, beside = sum(row["metrics"]["cycles"] for row in rows), paths["elsewhere"]["cycles"]
print(f"cycles: {along} along paths and {beside} elsewhere, of {pipeline['cycles']['count']}")
bad |= along + beside != pipeline["cycles"]["count"]
for metric, event in (("l1d", "l1_miss"), ("l1i", "l1i_miss"), ("mispredict", "mispredict")):
    along, beside = sum(row["metrics"][metric] for row in rows), paths["elsewhere"][metric]
    whole = sum(row["events"][event]["count"] for row in pipeline["rows"])
    print(f"{metric}: {along} along {len(rows)} paths and {beside} elsewhere, of {whole}")
    bad |= along + beside != whole or along == 0
stalls = sum(row["metrics"]["stall"] for row in rows) + paths["elsewhere"]["stall"]
states = {"retires": 0.0, "others": 0.0}
for row in pipeline["rows"]:
    for part in row["stack"]:
        if part["state"] in states:
            states[part["state"]] += part["cycles"]
cycles = pipeline["cycles"]["count"]
print(f"stall: {stalls} of {cycles} cycles, in {states['retires']:.1f} to {states['retires'] + states['others']:.1f} of which something retired")
bad |= not states["retires"] - 1 <= cycles - stalls <= states["retires"] + states["others"] + 1
bad |= any(a["metrics"]["stall"] < b["metrics"]["stall"] for a, b in zip(rows, rows[1:]))
sys.exit(bad)
END
