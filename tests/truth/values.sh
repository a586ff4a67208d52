#!/bin/bash
# record --exact=trace --events value: every value of a program that draws them by a rule, against the same rule; programs that are
# interrupted and killed; and the number of values against that of executions.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
gcc -O2 -g -o "$work/habits" tests/programs/processes/habits.c || { bad 'the test program could not be built'; exit 1; }
rounds=${GAIT_LONG:+100000} rounds=${rounds:-40000}
"$work/habits" $rounds >"$work/native"
"$gait" record -q --exact=trace --events address,value -o "$work/data" -- "$work/habits" $rounds >"$work/output" || bad "record: status $?"
same 'the output' "$(cat "$work/native")" "$(cat "$work/output")"
same 'rights of the profile' 600 "$(stat -c %a "$work/data")"
"$gait" verify "$work/data" >"$work/verify" || { bad 'verify'; cat "$work/verify"; }
"$gait" values --json --module habits "$work/data" >"$work/json" || bad "values: status $?"
"$gait" report --by instruction --json --module habits "$work/data" >"$work/counts" || bad "report: status $?"
/usr/bin/python3 -B - "$work/json" "$work/counts" $rounds <<'PY' || bad 'figures'
import collections, json, sys
rows, counts, rounds = json.load(open(sys.argv[1]))['rows'], json.load(open(sys.argv[2]))['rows'], int(sys.argv[3])
seed, divisors, sizes, drawn = 1, collections.Counter(), collections.Counter(), collections.Counter()
for _ in range(rounds):
    seed = (seed * 6364136223846793005 + 1442695040888963407) % 2**64
    divisors[7 if (seed >> 33) % 20 else 9] += 1
    sizes[24 if (seed >> 33) // 20 % 4 else 200] += 1
    drawn[seed] += 1
truth = {('divided', 'divisor'): divisors, ('loaded', 'load'): {42: rounds}, ('copied', 'size'): sizes}
for (function, kind), exact in truth.items():
    row = next(r for r in rows if r['function'] == function and r['kind'] == kind)
    seen = {int(v['value'], 16): v['count'] for v in row['values']}
    print(function, seen)
    assert seen == dict(exact), (seen, exact)
    assert all(v['lo'] == v['hi'] == v['count'] for v in row['values']), row
# More different values than are kept: none is told of more often than it was, and what is lost is within what is told.
row = next(r for r in rows if r['function'] == 'drawn' and r['kind'] == 'result' and int(r['values'][0]['value'], 16) in drawn)
assert row['total'] == rounds and row['values'][0]['hi'] > 1, row
assert row['values'][0]['hi'] - row['values'][0]['count'] <= rounds / 1000, row # one for every 1,024 that were dropped
assert all(v['count'] <= drawn[int(v['value'], 16)] <= v['hi'] < rounds / 100 for v in row['values']), row
def of(function, kind, **more):
    return [r for r in rows if r['function'] == function and r['kind'] == kind and all(r.get(k) == v for k, v in more.items())]
# Where an indirect call went, by name; a pointer as the string that it points to; steps through an array.
row = next(r for r in of('main', 'target') if len(r['values']) == 2)
assert [v['count'] for v in row['values']] == [divisors[7], divisors[9]], row
assert ['often' in row['values'][0]['text'], 'seldom' in row['values'][1]['text'], row['finding']] == [True, True, 'one-target'], row
assert any(v['text'].startswith('"a string with a name"') for r in of('named', 'load') for v in r['values']), of('named', 'load')
assert any(r['values'][0]['value'] == hex(24) and r['finding'] == 'one-stride' for r in of('walked', 'stride')), of('walked', 'stride')
assert of('divided', 'divisor')[0]['finding'] == 'constant-divisor' and of('loaded', 'load')[0]['finding'] == 'one-value'
assert of('shared', 'load')[0]['finding'] == 'none' and 'context' not in of('shared', 'load')[0]
executed = {r['address']: r['count'] for r in counts}
rows = [r for r in rows if r['kind'] not in ('stride', 'target')]
assert rows and all(r['total'] == executed[r['address']] for r in rows), [r for r in rows if r['total'] != executed[r['address']]]
PY
# Without addresses values are counted exit by exit, many at once: the same.
"$gait" record -q --exact=trace --events value -o "$work/rows" -- "$work/habits" $rounds >/dev/null || bad "record without addresses: status $?"
"$gait" values --json --module habits "$work/rows" >"$work/json2" || bad "values without addresses: status $?"
/usr/bin/python3 -B - "$work/json" "$work/json2" <<'PY' || bad 'values that are counted exit by exit'
import json, sys
one, rows = ({(r['address'], r['kind'], r['detail'] if 'detail' in r else ''): r for r in json.load(open(name))['rows'] if r['kind'] not in ('stride', 'address', 'size')}
             for name in sys.argv[1:])
def seen(row):
    return row['total'], {v['value']: (v['count'], v['hi']) for v in row['values']}
few = [k for k in rows if all(v['hi'] == v['count'] for v in rows[k]['values'])]
print(len(one), len(rows), len(few))
assert set(one) & set(rows) and len(few) > 20, (len(one), len(rows), len(few))
assert all(one[k]['total'] == rows[k]['total'] for k in one if k in rows)
assert all(rows[k]['total'] > 1024 for k in rows if k not in few)
fixed = [k for k in few if k in one and all(int(v['value'], 16) < 1 << 32 for v in rows[k]['values'] + one[k]['values'])]
print(len(fixed))
assert len(fixed) > 10 and all(seen(one[k]) == seen(rows[k]) for k in fixed), [(seen(one[k]), seen(rows[k])) for k in fixed if seen(one[k]) != seen(rows[k])]
PY
# By callers: one function, each of whose callers has its own number.
"$gait" record -q --exact=trace --events value --context -o "$work/data" -- "$work/habits" 1000 >/dev/null || bad "record --context: status $?"
"$gait" values --json --module habits "$work/data" >"$work/json" || bad "values --context: status $?"
/usr/bin/python3 -B - "$work/json" <<'PY' || bad 'values by callers'
import json, sys
rows = [r for r in json.load(open(sys.argv[1]))['rows'] if r['function'] == 'shared' and r['kind'] == 'load']
seen = sorted((v['value'], v['count'], r['context']) for r in rows for v in r['values'] if 'context' in r)
print(seen)
assert [s[0] for s in seen] == ['0x3', '0x5'] and seen[0][2] != seen[1][2], seen
assert all(count > 900 for _, count, _ in seen), seen
PY
# Faults and signals in the middle of code that records; registers that are in slots then.
make -s "${GAIT_OUT:-o/rel}"/programs/{signal_fix,signal_context,exceptions,faults,red_zone} >&2
for name in signal_fix signal_context exceptions $([ "$GAIT_LONG" ] && echo faults red_zone); do
    "$built/programs/$name" >"$work/native" 2>/dev/null </dev/null
    native=$?
    "$gait" record --exact=trace --events address,value -o "$work/data" -- "$built/programs/$name" >"$work/output" 2>"$work/stderr" </dev/null
    same "$name: status" $native $?
    cmp -s "$work/native" "$work/output" || bad "$name: the output differs"
    grep -q 'do not fit' "$work/stderr" && bad "$name: $(cat "$work/stderr")"
done
# Killed: what was recorded and not handed over is there all the same.
"$gait" record -q --exact=trace --events value -o "$work/data" -- sh -c 'kill -9 $$' 2>/dev/null
"$gait" values --json "$work/data" >"$work/json" && "$gait" report --by instruction --json "$work/data" >"$work/counts" || bad 'views of what was killed'
/usr/bin/python3 -B - "$work/json" "$work/counts" <<'PY' || bad 'values of a program that was killed'
import json, sys
rows, counts = (json.load(open(name))['rows'] for name in sys.argv[1:])
executed = {r['address']: r['count'] for r in counts}
apart = [r for r in rows if r['total'] != executed.get(r['address'])]
print(len(rows), 'places,', len(apart), 'whose values are not as many as their executions')
assert rows and len(apart) <= 2, apart
PY
"$gait" record -q --exact=counts --events value -o "$work/none" -- true 2>"$work/stderr"
[ $? = 125 ] && grep -q 'exact=trace' "$work/stderr" || bad 'values of exact counts are refused'
finish
