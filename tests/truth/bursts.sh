#!/bin/bash
# Runs with others
# Code between system calls: what stands before a call is in all windows that end there, what stands behind one in few, and neither may tell in counts.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
gcc -O2 -fno-ipa-icf -o "$work/bursts" tests/programs/bursts.c || { bad 'the test program could not be built'; exit 1; }
for n in 100 400; do
    "$gait" record -q -F 2500 --seed 1 -o "$work/data" -- "$work/bursts" $n $((60000000 / n)) || bad "record: status $?"
    "$gait" report --raw --by function --json "$work/data" >"$work/json" || bad "report: status $?"
    "$gait" pipeline --core zen4 --limit 100000 --json "$work/data" >"$work/pipeline" 2>/dev/null || bad "pipeline: status $?"
    "$gait" info --json "$work/data" >"$work/info" || bad "info: status $?"
    /usr/bin/python3 -B - "$work/json" "$work/info" "$work/pipeline" <<'PY' || bad "bursts of $n"
import json, sys
report, info, pipeline = (json.load(open(name)) for name in sys.argv[1:])
ran = {row['name']: row['instructions'] for row in report['rows']}
names = 'first', 'second', 'third', 'fourth'
def shares_of(parts):
    return [4 * part / sum(parts) for part in parts]
shares = shares_of([ran[name] for name in names])
modelled = shares_of([sum(row['time'] for row in pipeline['rows'] if row['function'] == name) for name in names])
print(info['rows'][0]['windows'], info['losses'], [round(share, 2) for share in shares], [round(share, 2) for share in modelled])
assert info['losses'].get('at_syscall', 0) > info['rows'][0]['windows'] / 2
assert all(0.55 < share < 1.6 for share in shares)
assert all(0.5 < share < 1.8 for share in modelled)
PY
done
finish
