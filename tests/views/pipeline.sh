#!/bin/bash
# gait pipeline: a program whose reasons to be slow are known. Of the whole course all cycles are somebody's, and the model says of each function what is true of it;
# windows of a sampled recording say the same, and without addresses that loads are taken to be hits.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
make -s "${GAIT_OUT:-o/rel}/programs/stages" >&2 || exit 1
program=$built/programs/stages
"$gait" record -q --exact=trace --core zen3 -o "$work/exact" -- "$program" 25 >/dev/null || bad "record --core: status $?"
"$gait" verify "$work/exact" >"$work/verify" || { bad 'verify'; cat "$work/verify"; }
"$gait" pipeline --json "$work/exact" >"$work/exact.json" || bad "pipeline: status $?"
"$gait" record -q -F 500 --seed 1 -o "$work/plain" -- "$program" 2500 >/dev/null || bad "record: status $?"
"$gait" record -q -F 500 --seed 1 --events edge,call,stack,address -o "$work/addressed" -- "$program" 5000 >/dev/null || bad "record --events address: status $?"
for how in plain addressed; do
    "$gait" verify "$work/$how" >"$work/verify" || { bad "verify $how"; cat "$work/verify"; }
    "$gait" pipeline --core zen3 --json "$work/$how" >"$work/$how.json" || bad "pipeline, $how: status $?"
done
"$gait" report --by instruction --raw --module stages --json "$work/plain" >"$work/counts.json" || bad "report: status $?"
/usr/bin/python3 -B - "$work" <<'EOF' || bad 'figures'
import json, sys
def load(how):
    return json.load(open(f'{sys.argv[1]}/{how}.json'))
def hot(view, function):
    return max((row for row in view['rows'] if row['function'] == function), key=lambda row: row['cycles']['count'])
def part(row, state, event):
    return sum(s['cycles'] for s in row['stack'] if s['state'] == state and (not event or event in s['events'])) / row['cycles']['count']
exact = load('exact')
whole = exact['cycles']['count']
assert exact['mode'] == 'exact' and exact['core'] == 'zen3' and exact['addresses'] == 'recorded', exact
assert abs(sum(row['cycles']['count'] for row in exact['rows']) - whole) < 1e-6 * whole, 'cycles that are nobody\'s'
assert all(abs(sum(s['cycles'] for s in row['stack']) - row['cycles']['count']) < 1e-6 * whole for row in exact['rows'])
assert all(row[k]['lo'] == row[k]['count'] == row[k]['hi'] for row in exact['rows'] for k in ('retired', 'cycles', 'wasted_slots'))
for how in 'exact', 'addressed':
    view = load(how)
    chain, chase, guess = (hot(view, f) for f in ('chain', 'chase', 'guess'))
    each = lambda row: row['cycles']['count'] / row['retired']['count']
    print(how, *(f'{r["function"]} {r["address"]} {each(r):.2f} cycles' for r in (chain, chase, guess)))
    # A product takes three cycles and waits for the one before: two that it stalls, and a part of that in which it retires with the loop's three others.
    assert abs(each(chain) - 2.25) < 0.05, chain
    assert max(chain['waits'], key=lambda w: w['cycles'])['address'] == chain['address'], chain
    assert part(chain, 'stalls', None) > 0.6 and part(chase, 'stalls', 'l1_miss') > 0.6, (chain, chase)
    # The lines are eight megabytes, which the third cache has, though no window sees more than some of them; few windows are kept.
    assert 45 < each(chase) < 70, chase
    assert chase['latencies']['load']['mean'] > 20, chase
    assert part(guess, 'flushes', 'mispredict') > 0.5, guess
    assert 0.35 < guess['events']['mispredict']['count'] / guess['retired']['count'] < 0.65, guess
    assert chase['issued_when_missing']['mean'] > 0
plain = load('plain')
assert plain['addresses'] == 'taken to be hits', plain['addresses']
assert abs(each(hot(plain, 'chain')) - 2.25) < 0.05, hot(plain, 'chain')
assert part(hot(plain, 'guess'), 'flushes', 'mispredict') > 0.5
# How often each ran is what the whole recording says, more of which was seen than windows that were kept.
rows = {row['address']: row for row in json.load(open(f'{sys.argv[1]}/counts.json'))['rows']}
counts = {address: row['count'] for address, row in rows.items()}
said = {row['address']: row['retired']['count'] for row in plain['rows'] if row['address'] in counts}
one, other = hot(plain, 'chain')['address'], hot(plain, 'guess')['address']
assert abs(said[one] / said[other] / (counts[one] / counts[other]) - 1) < 0.01, (said[one], said[other], counts[one], counts[other])
# A core that is faster or slower than this one executes more or less in the same time: intervals reach to what was counted.
for row in hot(plain, 'chain'), hot(plain, 'guess'):
    told, seen = row['retired'], rows[row['address']]
    assert seen['lo'] is None or told['lo'] <= seen['lo'] * 1.001 and seen['hi'] <= told['hi'] * 1.001, (told, seen)
assert hot(plain, 'chase')['events']['l1_miss']['count'] == 0 and each(hot(plain, 'chase')) < 8, hot(plain, 'chase')
assert plain['windows'] > 20 and all(row['share']['lo'] <= row['share']['mean'] <= row['share']['hi'] for row in plain['rows'])
EOF
"$gait" pipeline --core zen3 --limit 3 "$work/addressed" >"$work/text" || bad "as text: status $?"
grep -q 'imul' "$work/text" && grep -q 'flushes+mispredict' "$work/text" && grep -q 'f fetch to dispatch' "$work/text" || bad 'text'
"$gait" pipeline --limit 3 "$work/plain" | grep -q 'taken to be hits' || bad 'hits are not mentioned'
"$gait" pipeline --by object --where l1_miss --json "$work/addressed" >"$work/object.json" || bad "--by object: status $?"
/usr/bin/python3 -B - "$work/object.json" <<'EOF' || bad 'misses by object'
import json, sys
rows = json.load(open(sys.argv[1]))['rows']
missed = {row['object'] or row['region']: row['events']['l1_misses']['count'] for row in rows if 'l1_misses' in row['events']}
print(missed)
assert missed['[memory]'] > 0.9 * sum(missed.values()) > 0, missed  # the lines are no variable
EOF
"$gait" pipeline --by page --limit 3 "$work/plain" >"$work/text" || bad "--by page without addresses: status $?"
grep -q 'are in no row: they loaded and stored nothing, or do not tell where' "$work/text" || bad 'addresses that nobody recorded'
# Without --core it is the core most like the processor that recorded, which the profile tells; one that does not tell is gone by zen3, and both say so.
"$gait" pipeline --limit 1 "$work/plain" >"$work/text" && "$gait" pipeline --json "$work/plain" >"$work/plain.json" || bad 'the core of who recorded'
"$gait" list cores >"$work/cores" || bad 'list cores'
/usr/bin/python3 -B - "$work" <<'EOF' || bad 'the core is not that of the processor that recorded'
import json, re, sys
view = json.load(open(f'{sys.argv[1]}/plain.json'))
native = re.search(r'^ *native .*?: (\S+) \(', open(f'{sys.argv[1]}/cores').read(), re.M).group(1)
cpu, text = open('/proc/cpuinfo').read(), open(f'{sys.argv[1]}/text').read()
model, vendor = (re.search(rf'^{key}\s*: (.*)$', cpu, re.M).group(1) for key in ('model', 'vendor_id'))
print(view['core_why'])
assert view['core'] == native and f'through a model of {native}:' in text and view['core_why'] in text
assert f'{vendor} family' in view['core_why'] and f'model {model}, which recorded' in view['core_why']
assert ('approximation' in view['core_why']) == ('the same core' not in view['core_why'])
EOF
"$gait" pipeline --records --core skylake --limit 1 "$work/plain" | grep -qx 'of windows through a model of skylake' || bad 'which core records went through'
# Slots that one load wastes, of loads that all miss and wait for each other: as many if all of them are seen as if windows are. A core with a small third cache, so that each is under way for tens of thousands of cycles.
sed 's/^l3_kib .*/l3_kib 512/' cores/zen3.core >"$work/far.core"
"$gait" record -q --exact=trace --core "$work/far.core" -o "$work/far" -- "$program" 6 >/dev/null || bad "record --core FILE: status $?"
"$gait" pipeline --json "$work/far" >"$work/far.exact" && "$gait" pipeline --core "$work/far.core" --json "$work/addressed" >"$work/far.windows" || bad 'far'
/usr/bin/python3 -B - "$work" <<'EOF' || bad 'wasted slots: windows and the whole course differ'
import json, sys
def wasted(how):
    row = max((r for r in json.load(open(f'{sys.argv[1]}/far.{how}'))['rows'] if r['function'] == 'chase'), key=lambda r: r['cycles']['count'])
    each = {k: row[k]['count'] / row['retired']['count'] for k in ('wasted_slots', 'cycles')}
    print(how, each, {k: round(v['mean']) for k, v in row['latencies'].items()})
    # Cycles under way times the width, which is six, less what was issued meanwhile, a few hundred.
    under_way = sum(row['latencies'][k]['mean'] for k in ('fetch_to_dispatch', 'dispatch_to_ready', 'ready_to_issue', 'issue_to_complete'))
    # Windows are few, and each has begun with other lines in the caches.
    assert under_way > (8192 if how == 'exact' else 4096) and 0.9 * 6 * under_way < each['wasted_slots'] < 6.01 * under_way, (under_way, each)
    return each['wasted_slots'] / each['cycles']
exact, windows = wasted('exact'), wasted('windows')
assert abs(exact / windows - 1) < 0.1, (exact, windows)
EOF
"$gait" pipeline --core inorder --json "$work/plain" | grep -q '"core": "inorder"' || bad 'another core'
"$gait" pipeline --core skylake "$work/exact" >"$work/stdout" 2>"$work/stderr"
[ $? = 129 ] && grep -q 'record --exact=trace --core skylake' "$work/stderr" || bad 'another core than that of the trace'
"$gait" record -q --core zen3 -o "$work/none" -- true 2>"$work/stderr"
[ $? = 125 ] && grep -q -e '--core goes with --exact' "$work/stderr" || bad '--core without a trace'
finish
