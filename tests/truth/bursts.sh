#!/bin/bash
# Runs with others
# Code between system calls: what stands before a call is in all windows that end there, what stands behind one in few, and neither may tell in counts.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
gcc -O2 -fno-ipa-icf -o "$work/bursts" tests/programs/bursts.c || { bad 'the test program could not be built'; exit 1; }
for n in 100 400; do
    "$gait" record -q -F 2500 --seed 1 -o "$work/data" -- "$work/bursts" $n $((60000000 / n)) || bad "record: status $?"
    "$gait" report --raw --by function --json "$work/data" >"$work/json" || bad "report: status $?"
    "$gait" info --json "$work/data" >"$work/info" || bad "info: status $?"
    /usr/bin/python3 -B - "$work/json" "$work/info" <<'PY' || bad "bursts of $n"
import json, sys
report, info = (json.load(open(name)) for name in sys.argv[1:])
ran = {row['name']: row['instructions'] for row in report['rows']}
parts = [ran[name] for name in ('first', 'second', 'third', 'fourth')]
shares = [4 * part / sum(parts) for part in parts]
print(info['rows'][0]['windows'], info['losses'], [round(share, 2) for share in shares])
assert info['losses'].get('at_syscall', 0) > info['rows'][0]['windows'] / 2
assert all(0.65 < share < 1.5 for share in shares)
PY
done
finish
