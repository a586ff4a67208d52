#!/bin/bash
# Runs with others
# record --counters: a program whose events are known, run once through a model, has one plain profile for each event beside its exact counts. compare --event judges one
# by the other; classes of blocks that were sampled too often or too seldom need cycles and stalls.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
make -s "${GAIT_OUT:-o/rel}/programs/stages" >&2 || exit 1
"$gait" record -q --exact=counts --core skylake --counters 200 --seed 1 -o "$work/all" -- "$built/programs/stages" 60 >/dev/null || bad "record --counters: status $?"
"$gait" pipeline --json "$work/all" >"$work/pipeline.json" || bad "pipeline: status $?"
for event in inst_retired inst_retired.pebs inst_retired.0 inst_retired.4 cpu_clk_unhalted dtlb_miss l1i_miss l2_miss l3_miss br_misp; do
    "$gait" report --by function --json --event $event "$work/all" >"$work/$event.json" || bad "report --event $event: status $?"
done
for how in static levin classes perfect; do
    "$gait" compare -q --json --event inst_retired --inferred=$how "$work/all" "$work/all" >"$work/$how.json" || bad "compare --inferred=$how: status $?"
done
/usr/bin/python3 -B - "$work" <<'EOP' || bad 'figures'
import json, sys
def load(name):
    return json.load(open(f'{sys.argv[1]}/{name}.json'))
def share(event, function):
    rows = load(event)['rows']
    return sum(r['share'] for r in rows if r['name'] == function)
pipeline = load('pipeline')
cycles = {}
for row in pipeline['rows']:
    cycles[row['function']] = cycles.get(row['function'], 0) + row['cycles']['count']
whole = sum(cycles.values())
said = {name: {f: share(name, f) for f in ('chain', 'chase', 'guess')} for name in ('inst_retired', 'cpu_clk_unhalted', 'l2_miss', 'br_misp', 'dtlb_miss', 'inst_retired.0')}
for name, shares in said.items():
    print(name, {f: round(s, 3) for f, s in shares.items()})
# Samples of cycles are where the account has them.
for function in 'chain', 'chase', 'guess':
    assert abs(said['cpu_clk_unhalted'][function] - cycles[function] / whole) < 0.02, (function, cycles[function] / whole)
# Only who chases misses caches and pages, and only who guesses guesses wrong; skid leads out of these loops seldom.
assert said['l2_miss']['chase'] > 0.9 and said['dtlb_miss']['chase'] > 0.9 and said['br_misp']['guess'] > 0.9
assert said['inst_retired.0']['chase'] > said['inst_retired']['chase'], 'a chase retires seldom'
overlap = {how: load(how)['rows'][0]['overlap'] for how in ('static', 'levin', 'classes', 'perfect')}
print(overlap)
assert overlap['levin'] > overlap['static'] > 0.8 and overlap['classes'] > 0.95 and overlap['perfect'] > 0.7, overlap
EOP
"$gait" record -q --exact=counts --core skylake --counters 200 --steps 300000 --seed 1 -o "$work/part" -- "$built/programs/stages" 60 >/dev/null 2>&1
same 'killed after enough' 137 $?
"$gait" info --json "$work/part" | /usr/bin/python3 -B -c 'import json, sys
n = json.load(sys.stdin)["rows"][0]["instructions"]
assert 300000 <= n < 30000000, n' || bad 'steps'
status 125 '--counters without --core' "$gait" record --exact=counts --counters 200 -o "$work/none" true
says '--counters goes with --core'
"$gait" record -q --exact=counts --core skylake -o "$work/without" -- "$built/programs/stages" 1 >/dev/null || bad 'record'
status 2 'no such event' "$gait" compare --event inst_retired --inferred=levin "$work/all" "$work/without"
"$gait" record -q --plain -o "$work/plain" -- "$built/programs/stages" 200 >/dev/null || bad 'record --plain'
status 2 'classes of one event' "$gait" compare --inferred=classes "$work/all" "$work/plain"
says 'classes need samples of cycles and of stalls'
status 129 'classes of walks' "$gait" report --inferred=classes "$work/all"
finish
