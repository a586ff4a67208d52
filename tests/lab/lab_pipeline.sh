#!/bin/bash
# What is sampled of a modelled core against what the model did: claims of papers that must hold of loops, and of a command.
cd "$(dirname "$0")/../.." || exit 1
. tests/truth/lib/programs.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# table NAME HOLDS WORDS...: of its claims at least so many hold.
table() {
    local name=$1 least=$2 holds
    shift 2
    "$gait" lab "$name" "$@" >"$work/$name" 2>"$work/log" || { cat "$work/log"; fail "lab $name: status $?"; }
    holds=$(grep -c '^- .*: holds$' "$work/$name")
    [ "$holds" -ge "$least" ] || { cat "$work/$name"; fail "lab $name: $holds claims hold, not $least"; }
}
table pipeline-2 3
table pipeline-7 3
table counters-1 3
table counters-2 3
seq 1 20000 >"$work/text"
table pipeline-time 2 --steps 1000000 -- gzip -c "$work/text"
awk '/retires  / { next_ = $4 + 0 } /dispatch  / { tagged = $4 + 0 } END { exit !(next_ > 0 && 2 * next_ < tagged) }' "$work/pipeline-time" ||
    { cat "$work/pipeline-time"; fail 'who retires next is not told from who is dispatched'; }
table pipeline-slots 1 --core 21264 --steps 500000 -- gzip -c "$work/text"
# Knobs of the unit: what a deeper buffer leaves of interrupts, records of those that are followed together, and samples that have no tag.
table pipeline-units 1 --csv="$work/units" --core 21264 --steps 1000000 -- gzip -c "$work/text"
python3 -B -c '
import csv, sys
rows = {(int(row["together"]), int(row["tags"]), int(row["buffer"])): row for row in csv.DictReader(open(sys.argv[1]))}
samples = {key: int(row["samples"]) for key, row in rows.items()}
lost = {key: float(row["no tags"].rstrip("%")) for key, row in rows.items()}
bad = [key for key, row in rows.items() if int(row["interrupts"]) != -(-samples[key] // key[2]) or int(row["records"]) != key[0] * samples[key]]
bad += [key for key in rows if key[0] == 1 and key[1] == 16 and samples[key] != samples[1, 16, 1]]
few, more = [(1, 1, 16), (2, 2, 16), (4, 4, 16)], [(1, 16, 16), (2, 16, 16), (4, 16, 16)]
bad += [a for a, b in zip(few, more) if not lost[a] > lost[b]]
sys.exit(f"pipeline-units: {bad} {lost}" if bad else 0)' "$work/units" || fail 'pipeline-units'
# Of the same records as metrics: what dispatch waited for, and tags that are short.
"$gait" record -q --exact=trace --core 21264 --pairs 100 --tags 2 --buffer 4 -o "$work/pairs" -- gzip -c cores/21264.core >/dev/null || fail 'record --tags'
"$gait" info --json "$work/pairs" | python3 -B -c '
import json, sys
row = json.load(sys.stdin)
print("interrupts", row["facts"]["pairs_interrupts"], "untagged", row["losses"].get("untagged"))
sys.exit(not (int(row["facts"]["pairs_interrupts"][0]) > 0 and row["losses"].get("untagged", 0) > 0))' || fail 'pairs with two tags'
# What dispatch waits for where loads miss and nearly all write a register: one of 41 of these on a 21264; a place among 80 instructions, were there enough of
# them and of room in the scheduler.
sed 's/^int_registers .*/int_registers 512/; s/^int_scheduler .*/int_scheduler 512/' cores/21264.core >"$work/many.core"
waits() {
    "$gait" record -q --exact=trace --core "$1" --pairs 50 -o "$work/waits" -- "${GAIT_OUT:-o/rel}/programs/misses" 50 >/dev/null || fail "record --core $1"
    for event in no_register rob_full; do
        "$gait" pipeline --json --by all --metric $event "$work/waits" | python3 -B -c 'import json, sys; print(json.load(sys.stdin)["rows"][0]["asked"]["mean"])'
    done | xargs
}
waits 21264 >"$work/said"
waits "$work/many.core" >>"$work/said"
awk 'NR == 1 && !($1 > 0.5 && $2 < 0.05) || NR == 2 && !($1 == 0 && $2 > 0.5) { exit 1 }' "$work/said" || { cat "$work/said"; fail 'what dispatch waited for'; }
"$gait" record -q --exact=trace --core 21264 --tags 2 -o "$work/none" -- true 2>/dev/null && fail '--tags without --pairs'
table pipeline-ipc 0 --core inorder --steps 500000 -- gzip -c "$work/text"
# Two a cycle is all that it can do.
awk 'NR == 4 && ($3 > 2 || $3 <= 0 || $6 > 2.1) { exit 1 }' "$work/pipeline-ipc" || { cat "$work/pipeline-ipc"; fail 'more retire than can'; }
# Figure 3, of a program of 512 loads that all miss: of thousands of estimates two thirds are inside of the envelope, of
# retirements and of misses; and were they a tenth too large, they would not be.
"$gait" lab pipeline-3 --core 21264 --steps 8000000 --points "$work/points" --plot "$work/points.svg" -- "${GAIT_OUT:-o/rel}/programs/misses" 100000 >"$work/pipeline-3" 2>"$work/log" ||
    { cat "$work/log"; fail 'lab pipeline-3'; }
[ "$(grep -c '^- .*: holds$' "$work/pipeline-3")" = 2 ] || { cat "$work/pipeline-3"; fail 'lab pipeline-3: both claims should hold'; }
for factor in 1 1.1; do
    awk -F, -v factor=$factor 'NR > 1 { d = $4 * factor - 1; n[$1]++; inside[$1] += (d < 0 ? -d : d) <= 1 / sqrt($3) }
        END { for (i in n) { share = 100 * inside[i] / n[i]; printf "%s: %d points, %.1f %%\n", i, n[i], share; if (n[i] < 1000 || share < 60 || share > 75) bad = 1 } exit bad || length(n) != 2 }' "$work/points" >"$work/share"
    status=$?
    [ $factor = 1 ] && [ $status != 0 ] && { cat "$work/share"; fail 'points of pipeline-3 are not inside of the envelope as often as chance has it'; }
    [ $factor = 1.1 ] && [ $status = 0 ] && { cat "$work/share"; fail 'the bar does not see estimates that are a tenth too large'; }
done
grep -q '<polyline' "$work/points.svg" || fail 'no envelope'
table pipeline-7 3 --points "$work/points"
[ "$(wc -l <"$work/points")" = 23 ] || fail 'points of pipeline-7'
"$gait" lab pipeline-2 --points "$work/points" 2>/dev/null && fail '--points of a table that has none'
"$gait" lab pipeline-3 2>/dev/null && fail 'lab pipeline-3 of nothing'
"$gait" lab pipeline-3 --steps 1x -- true 2>/dev/null && fail '--steps 1x'
"$gait" lab pipeline-3 --core nosuch -- true 2>/dev/null && fail '--core nosuch'
true
