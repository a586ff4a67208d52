#!/bin/bash
# gait conflicts: one planted of each kind, with both its places; and none in the same work without them.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
make -s "${GAIT_OUT:-o/rel}/programs/conflicts" >&2 || exit 1
program=$built/programs/conflicts
for way in planted clean; do
    "$program" $way 20000 >"$work/native"
    "$gait" record -q -F 2000 --seed 1 --events edge,call,address,latency -o "$work/$way" -- "$program" $way 20000 >"$work/output" ||
        bad "record $way: status $?"
    cmp -s "$work/native" "$work/output" || bad "$way: the program's output differs"
    "$gait" verify "$work/$way" >"$work/verify" || { bad "verify $way"; cat "$work/verify"; }
    "$gait" conflicts --json "$work/$way" >"$work/$way.json" || bad "conflicts $way: status $?"
done
/usr/bin/python3 -B - "$work/planted.json" "$work/clean.json" <<'EOF' || bad 'figures'
import json, sys
planted, clean = (json.load(open(name))['rows'] for name in sys.argv[1:])
def key(row):
    return row['from_function'], row['to_function'], row['type']
truth = {('forward', 'forward', 'store-forward'), ('order', 'order', 'order'), ('alias', 'alias', 'alias-4k'), ('line', 'line', 'line-split'),
         ('page', 'page', 'page-split'), ('count', 'count', 'false-sharing')}
for row in planted + clean:
    print('planted' if row in planted else 'clean', *key(row), row['from_line'], row['to_line'], row['count'], row['share'], row['sure'])
    assert row['share_lo'] <= row['share'] <= row['share_hi'], row
assert {key(row) for row in planted} == truth, {key(row) for row in planted} ^ truth
# Where the kernel puts the stack, a return address may be alike in its low bits to a store before it, once a call: that is no false finding.
by_chance = lambda row: row['count'] < 20 and row['type'] == 'alias-4k'
assert all(by_chance(row) for row in clean), clean
planted = [row for row in planted if not by_chance(row)]
for row in planted:
    # But for where a stretch begins, every execution is in conflict.
    assert row['share'] > (0.3 if row['type'] == 'false-sharing' else 0.9), row
    sure = {'store-forward': 'modelled', 'order': 'potential', 'alias-4k': 'potential'}.get(row['type'], 'measured')
    assert row['sure'] == sure and (row['fails'] is None) == (sure != 'modelled') and (row['fails'] is None or row['fails'] > 0.9), row
    assert (row['from'] == row['to']) == (row['type'] in ('line-split', 'page-split', 'false-sharing')) or row['type'] == 'false-sharing', row
EOF
# Without windows, which have addresses, nothing is modelled.
"$gait" merge -q --no-values -o "$work/given" "$work/planted" && "$gait" conflicts --json "$work/given" >"$work/given.json" || bad "merge --no-values: status $?"
grep -q '"type": "store-forward".*"sure": "potential"' "$work/given.json" || bad 'modelled without windows'
"$gait" merge -q -o "$work/twice" "$work/planted" "$work/planted" || bad "merge: status $?"
for command in conflicts latencies; do
    "$gait" $command --json "$work/planted" >"$work/once.json"
    "$gait" $command --json "$work/twice" >"$work/twice.json"
    /usr/bin/python3 -B - "$work/once.json" "$work/twice.json" <<'EOF' || bad "$command of a profile added to itself"
import json, sys
once, twice = ({(r.get('from'), r.get('to'), r.get('type'), r.get('address')): r.get('count', r.get('timed')) for r in json.load(open(name))['rows']}
               for name in sys.argv[1:])
# A row that is too rare to be shown once may be there twice.
assert once and all(twice.get(key) == 2 * n for key, n in once.items()), (once, twice)
EOF
done
"$gait" conflicts --limit 20 "$work/planted" >"$work/text" || bad "conflicts as text: status $?"
grep -q 'keep them 64 bytes apart' "$work/text" || bad 'no word on the shared line'
status 129 'an unknown distance' "$gait" conflicts --within 7 "$work/planted"
"$gait" record -q --exact=counts -o "$work/none" -- true || bad "record without addresses: status $?"
"$gait" conflicts "$work/none" >"$work/stdout" 2>"$work/stderr"
[ $? = 2 ] && grep -q 'events edge,call,address' "$work/stderr" || bad 'a profile without addresses'
# A line of source that is too long for a line is cut; -v shows all of it.
cat >"$work/long.c" <<'C'
#include <pthread.h>
#include <time.h>
static struct { long a, b; } volatile pair;
static void *work(void *p) { while (clock() < CLOCKS_PER_SEC / 2) for (int i = 0; i < 100000; i++) { if (p) pair.a++; else pair.b++; } /* so that this line is far too long */ return 0; }
int main(void) { pthread_t t; return pthread_create(&t, 0, work, 0) || (work(&t), pthread_join(t, 0)); }
C
gcc -O1 -g -pthread -o "$work/long" "$work/long.c" || bad 'a long line'
"$gait" record -q -F 1000 --events edge,call,address -o "$work/long.data" -- "$work/long" && "$gait" conflicts --limit 1 "$work/long.data" >"$work/stdout" || bad "a long line: status $?"
grep -q '^ *static void \*work.*[a-z0-9]\.\.\.$' "$work/stdout" || { bad 'a long line is not cut'; cat "$work/stdout"; }
"$gait" conflicts -v --limit 1 "$work/long.data" | grep -q 'far too long \*/ return 0; }$' || bad 'a long line is cut with -v'
finish
