#!/bin/bash
# record --exact=paths --metric EVENT: events along each path, without those of called functions: page faults of a program that says how many each way has, also after a fork. Counters of the
# processor, where there are any: about as many instructions as each path has.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
touches=$(program touches)
rounds=6400
"$gait" record -q --exact=paths --metric faults -o "$work/data" -- "$touches" $rounds >"$work/output" || bad "record: status $?"
same 'the output' $((rounds / 4)) "$(cat "$work/output")"
readable "$work/data"
"$gait" paths --json --function loop "$work/data" >"$work/json" || bad "paths: status $?"
"$gait" paths --json --function callee "$work/data" >"$work/callee.json" || bad "paths: status $?"
/usr/bin/python3 -B - "$work" $rounds <<'PY' || bad 'figures'
import json, sys
work, rounds = sys.argv[1], int(sys.argv[2])
data = json.load(open(f'{work}/json'))
assert data['event'] == 'faults', data['event']
rows = [r for r in data['rows'] if r['count']]
for r in rows:
    print(r['id'], r['kind'], r['count'], r['metrics'])
assert sum(r['count'] for r in rows) >= rounds
assert abs(sum(r['metrics']['events'] for r in rows) - rounds // 4) <= rounds // 400, 'all faults of the loop'
# Each path has one for each passage, or none; a few are the agent's memory.
for r in rows:
    each = r['metrics']['events'] / r['count']
    assert each < 0.01 or each > 0.99 or r['count'] < 10, r
faulty = sum(r['count'] for r in rows if r['metrics']['events'] > 0.99 * r['count'])
assert abs(faulty - rounds // 4) <= 2, faulty
called = json.load(open(f'{work}/callee.json'))['rows']
assert sum(r['count'] for r in called) == rounds // 64 and abs(sum(r['metrics']['events'] for r in called) - 2 * rounds // 64) <= 4, called
PY
"$gait" paths --limit 3 "$work/data" >"$work/text" || bad "as text: status $?"
grep -q 'weighed by faults' "$work/text" && grep -q ' faults a passage' "$work/text" || { bad 'the text'; cat "$work/text"; }
# In the child of a fork counts begin anew: none is huge.
"$gait" record -q --exact=paths --metric faults -o "$work/forked" -- sh -c "$touches 640; $touches 640 & wait" >"$work/output" || bad "record of a fork: status $?"
"$gait" paths --json "$work/forked" >"$work/forked.json"
/usr/bin/python3 -B - "$work/forked.json" <<'PY' || bad 'after a fork'
import json, sys
rows = json.load(open(sys.argv[1]))['rows']
loop = sum(r['metrics']['events'] for r in rows if r['function'] == 'loop')
print('loop', loop, 'of all', sum(r['metrics']['events'] for r in rows))
assert 320 <= loop <= 330 and sum(r['metrics']['events'] for r in rows) < 1e5
PY
# Where the processor's counters can be read, the same with instructions; elsewhere the reason.
if "$gait" record -q --exact=paths --metric instructions -o "$work/counted" -- "$touches" 640000 >"$work/output" 2>"$work/stderr"; then
    "$gait" paths --json --function loop "$work/counted" >"$work/counted.json"
    /usr/bin/python3 -B - "$work/counted.json" <<'PY' || bad 'instructions by a counter'
import json, sys
rows = sorted(json.load(open(sys.argv[1]))['rows'], key=lambda r: -r['count'])[:2]
for r in rows:
    print(r['metrics'])
    assert r['metrics']['events'] > r['metrics']['instructions'], 'a passage has at least its instructions'
PY
else
    grep -q 'metric instructions: ' "$work/stderr" || { bad 'refused without a reason'; cat "$work/stderr"; }
    echo "not tried: $(cat "$work/stderr")"
fi
status 125 'no such event' "$gait" record --exact=paths --metric nonsense -o "$work/no" true
status 125 'with contexts' "$gait" record --exact=paths+contexts --metric faults -o "$work/no" true
says '--metric goes with --exact=paths'
status 125 'without paths' "$gait" record --metric faults -o "$work/no" true
finish
