#!/bin/bash
# Time in the kernel is nobody's executions: of two functions that take turns of a fraction of a second, the one between
# system calls that take long is counted as the other is.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
for trigger in cputime perf; do
    "$gait" record -q --trigger "$trigger" --overhead 40% --seed 1 -o "$work/data" -- "$(program kernel_turns)" ||
        { echo "--trigger $trigger is not granted: left out"; continue; }
    "$gait" report --raw --by function --json "$work/data" >"$work/json" || bad "report: status $?"
    /usr/bin/python3 -B - "$work/json" "$trigger" <<'PY' || bad "$trigger"
import json, sys
ran = {row['name']: row['instructions'] for row in json.load(open(sys.argv[1]))['rows']}
ratio = 4 * ran['between'] / ran['alone']
print(sys.argv[2], f'between / alone {ratio:.2f}')
assert 0.4 < ratio < 2.5 # with kernel time 5.2 and more; of a hundred windows
PY
done
finish
