#!/bin/bash
# gait whatif: the change of a program that is known to have one place for it, with an interval that is wider than the spread of windows; and
# none where a change would not help; no gain beyond what the function takes of the measured time; and large gains in the report's advice.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
gcc -O2 -g -o "$work/changes" bench/src/whatif_changes.c || { bad 'the test program could not be built'; exit 1; }
ask() { # CASE KIND ROUNDS
    "$gait" record -q --seed 1 --overhead 10% --events edge,call,stack,address -o "$work/data" -- "$work/changes" "$1" "$3" >/dev/null || bad "record: status $?"
    "$gait" whatif --core zen4 --json --kind "$2" "$work/data" >"$work/$1" || bad "whatif: status $?"
}
ask branch_half branch 20000
ask remainder_64 division 20000
ask divide_32 division 20000
ask trips_short trips 200000
ask varied_short trips 200000
/usr/bin/python3 -B - "$work" <<'PY' || bad 'figures'
import json, sys
def rows(case):
    found = [r for r in json.load(open(f'{sys.argv[1]}/{case}'))['rows'] if r['function'] == case]
    print(case, [(r['gain'], r['gain_lo'], r['gain_hi'], r['sampled_lo'], r['sampled_hi']) for r in found])
    return found
for case in ('branch_half', 'divide_32'):
    row = rows(case)[0]
    assert 0.3 < row['gain'] < 0.95, row
    # What the model may be off by: a factor of two in the logarithm of the speedup.
    assert 0 < row['gain_lo'] < row['sampled_lo'] - 0.1 and row['sampled_hi'] + 0.05 < row['gain_hi'] < 1, row
# A number of turns that is always the same can be known; one that differs cannot.
row = rows('trips_short')[0]
assert 0.05 < row['gain'] < 0.9, row
assert not rows('varied_short')
# A remainder takes two multiplications: no gain.
assert not [r for r in rows('remainder_64') if r['gain'] > 0.2]
PY
"$gait" record -q --seed 1 --overhead 10% -o "$work/data" -- "$work/changes" branch_half 20000 >/dev/null || bad "record: status $?"
"$gait" report "$work/data" >"$work/report" || bad "report: status $?"
grep -q 'of the CPU time would be saved if this branch were always predicted: whatif_changes.c:[0-9]* in branch_half' "$work/report" && grep -q 'gait whatif --kind branch' "$work/report" ||
    { bad 'the branch is not in the advice'; head -20 "$work/report"; }
"$gait" report --json "$work/data" | grep -q '"command": *"gait whatif --kind branch"' || bad 'nor in its JSON'
# Most of the time waits for memory, whose addresses are not recorded: to the model it is the smaller part.
make -s "${GAIT_OUT:-o/rel}/programs/stages" >&2 || { bad 'the test program could not be built'; exit 1; }
"$gait" record -q --seed 1 --overhead 10% -o "$work/data" -- "$built/programs/stages" 4000 >/dev/null || bad "record: status $?"
"$gait" whatif --json "$work/data" >"$work/stages.json" || bad "whatif: status $?"
"$gait" report --by function --json "$work/data" >"$work/functions.json" || bad "report: status $?"
/usr/bin/python3 -B - "$work" <<'PY' || bad 'more gain than time'
import json, sys
gains, functions = (json.load(open(f'{sys.argv[1]}/{name}.json'))['rows'] for name in ('stages', 'functions'))
all_time = sum(row['time'] or 0 for row in functions)
share = {row['name']: (row['time_hi'] or 0) / all_time for row in functions}
branch = [row for row in gains if row['kind'] == 'branch' and row['function'] == 'guess']
print('guess takes at most', share['guess'], 'gains', [row['gain'] for row in branch])
assert share['guess'] < 0.5 and branch and branch[0]['gain'] > 0
assert all(row['gain'] <= share.get(row['function'], 1) for row in gains if row['gain'] > 0), gains
PY
finish
