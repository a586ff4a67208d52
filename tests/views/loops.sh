#!/bin/bash
# gait loops: iterations, strides, carried values and what stops vectorisation of loops whose answers are known.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
make -s "${GAIT_OUT:-o/rel}"/programs/strides >&2 || exit 1
"$gait" record -q --overhead 20% --seed 1 --events edge,call,address -o "$work/data" -- "$built/programs/strides" 100000 >/dev/null || bad "record: status $?"
"$gait" loops --json --module strides "$work/data" >"$work/json" || bad "loops: status $?"
/usr/bin/python3 -B - "$work/json" <<'PY' || bad 'figures'
import json, sys
rows = json.load(open(sys.argv[1]))['rows']
print(json.load(open(sys.argv[1]))['windows'], 'windows')
# iterations, strides of accesses (0: none), what stops it
truth = {'plain': (1000, {4}, []), 'carries': (996, {4}, ['carried']), 'columns': (1000, {256}, ['stride']),
         'gathers': (1000, {4, 0}, ['irregular']), 'adds': (1000, {8}, ['sum']), 'chases': (None, {0}, ['chase', 'end']),
         'calls': (1000, {4}, ['call']), 'dispatches': (1000, None, ['dispatch', 'irregular']), 'decides': (1000, {4}, ['branch']), 'seeks': (999, {1}, ['end']), 'few': (3, {4}, ['short']),
         'vectors': (250, {16}, ['vectorised'])}
seen = 0
for function, (iterations, strides, stops) in truth.items():
    found = [r for r in rows if r['function'] == function and r['inner']]
    if not found:
        print(function, 'in no window')
        continue
    row, seen = found[0], seen + 1
    got = {int(a['strides'][0]['bytes']) if a['strides'][0]['share'] > 0.9 else 0 for a in row['accesses'] if a['strides']}
    kinds = [s['kind'] for s in row['stops']]
    print(function, row['whole'], row['least'], row['most'], row['iterations'], row['iterations_lo'], row['iterations_hi'], got, kinds)
    assert strides is None or got == strides, (function, got, strides)
    # A run that an interrupt came into can be seen as a shorter one: the same number each time is not asked for.
    assert kinds == stops, (function, kinds, stops)
    assert all('fix' in s for s in row['stops'] if s['kind'] != 'vectorised')
    if iterations and row['whole']:
        assert row['least'] <= iterations <= max(row['most'], iterations) and row['most'] <= iterations, (function, row['least'], row['most'])
    if iterations and row['iterations'] is not None:
        assert row['iterations'] <= iterations * 1.01, (function, row['iterations'])
        assert row['more'] or abs(row['iterations'] - iterations) <= 0.01 * iterations, (function, row['iterations'])
    if function == 'carries':
        one = row['carried'][0]
        assert one['least'] == 4 and one['distances'] == [{'iterations': '3 to 4', 'count': one['count']}], one
        assert one['count'] > 0.9 * row['seen_iterations'], (one, row['seen_iterations'])
    else:
        assert not [c for c in row['carried'] if c['least'] <= 64], (function, row['carried'])
    if function == 'decides':
        assert 0.45 < row['stops'][0]['part'] < 0.55, row['stops']
    assert row['share_lo'] <= row['share'] <= row['share_hi']
assert seen >= 9, seen
assert sum(r['share'] for r in rows) < 1.0001
outer = [r for r in rows if r['function'] == 'few' and not r['inner']]
assert not outer or not outer[0]['stops'], outer
PY
"$gait" loops --function carries --module strides "$work/data" >"$work/text" || bad "loops as text: status $?"
grep -q 'iterations between: 3 to 4: 100 %' "$work/text" || bad 'no distance'
grep -q 'fix: keep the carried value' "$work/text" || bad 'no fix'
# Without addresses: iterations, and a word about what is missing. An exact run has no windows.
"$gait" record -q --overhead 20% --seed 1 --events edge,call -o "$work/bare" -- "$built/programs/strides" 20000 >/dev/null || bad "record without addresses: status $?"
"$gait" loops "$work/bare" >"$work/text" || bad "loops without addresses: status $?"
grep -q 'strides and carried values are not known' "$work/text" || bad 'not told what is missing'
# One window knows nothing about the others: its shares may be anything.
windows_from() { local at; printf -v at '0.%03d' "$1"; "$gait" loops --json --time "$at:" "$work/bare" 2>/dev/null | grep -o '"windows": *[0-9]*' | grep -o '[0-9]*$'; }
low=0 high=999
while [ $((high - low)) -gt 1 ]; do
    middle=$(((low + high) / 2))
    if [ "$(windows_from $middle)" -gt 1 ] 2>/dev/null; then low=$middle; else high=$middle; fi
done
if [ "$(windows_from $high)" = 1 ]; then
    printf -v at 0.%03d "$high"
    "$gait" loops --time "$at:" "$work/bare" >"$work/text" || bad "loops of one window: status $?"
    grep -q '(0.00 to 100.00)' "$work/text" && ! grep -q nan "$work/text" || bad 'shares of one window: not from 0 to 100 %'
else
    echo 'no part of the run has one window'
fi
"$gait" record -q --exact=counts -o "$work/exact" -- "$built/programs/strides" 10 >/dev/null
status 2 'an exact run' "$gait" loops "$work/exact"
says 'record without --exact'
finish
