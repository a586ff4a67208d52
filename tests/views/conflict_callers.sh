#!/bin/bash
# gait conflicts of record --context: a pair that conflicts when one caller calls, and not when another does.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
make -s "${GAIT_OUT:-o/rel}/programs/narrow" >&2 || exit 1
program=$built/programs/narrow
"$gait" record -q -F 2000 --seed 1 --context --events edge,call,address -o "$work/data" -- "$program" 60000000 || bad "record: status $?"
readable "$work/data"
"$gait" conflicts --json "$work/data" >"$work/json" || bad "conflicts: status $?"
/usr/bin/python3 -B - "$work/json" <<'PY' || bad 'figures'
import json, sys
rows = [r for r in json.load(open(sys.argv[1]))['rows'] if r['type'] == 'store-forward' and r['to_function'] == 'touch']
assert len(rows) == 1, rows
row, = rows
callers = {c['to_caller_function']: c for c in row['callers']}
print(row['count'], row['share'], callers)
assert callers['clashing']['share'] > 0.99 and callers['clashing']['from_caller'] == callers['clashing']['to_caller'], callers
# What ran before the window's first call has no caller.
assert set(callers) <= {'clashing', ''}, callers
assert sum(c['count'] for c in row['callers']) == row['count'] and callers['clashing']['count'] > 0.9 * row['count'], row
assert 0.2 < row['share'] < 0.5, row
PY
"$gait" conflicts "$work/data" >"$work/text" || bad "as text: status $?"
grep -q ' of them called from clashing (narrow.c:[0-9]*); 100.0% of its executions from there$' "$work/text" || { bad 'no caller in the text'; cat "$work/text"; }
# The same added to itself; carried to the same file; without contexts.
"$gait" merge -q -o "$work/twice" "$work/data" "$work/data" && readable "$work/twice"
"$gait" conflicts --json "$work/twice" >"$work/twice.json"
/usr/bin/python3 -B - "$work/json" "$work/twice.json" <<'PY' || bad 'added to itself'
import json, sys
once, twice = ({(r['from'], r['to'], r['type'], c['to_caller']): c['count'] for r in json.load(open(name))['rows'] for c in r['callers']} for name in sys.argv[1:])
assert once and all(twice[key] == 2 * n for key, n in once.items()), (once, twice)
PY
"$gait" record -q -F 1000 --events edge,call,address -o "$work/without" -- "$program" 10000000 || bad "record without: status $?"
"$gait" conflicts --json "$work/without" | grep -q '"callers": \[{' && bad 'callers that were not asked for'
finish
