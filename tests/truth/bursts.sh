#!/bin/bash
# Code between system calls: four functions that run as many instructions each are counted alike. Bursts of 300 to 100,000
# instructions; calls that a walk makes itself, and calls that wait.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
gcc -O2 -fno-ipa-icf -o "$work/bursts" tests/programs/bursts.c || { bad 'the test program could not be built'; exit 1; }

# bursts KIND N ROUNDS LEAST MOST: 28 N instructions between two calls, which are of this kind (tests/programs/bursts.c).
bursts() {
    "$gait" record -q -F 2500 --seed 1 -o "$work/data" -- "$work/bursts" "$2" "$3" "$1" || bad "record: status $?"
    "$gait" report --raw --by function --json "$work/data" >"$work/json" || bad "report: status $?"
    "$gait" pipeline --core zen4 --limit 100000 --json "$work/data" >"$work/pipeline" 2>/dev/null || bad "pipeline: status $?"
    "$gait" info --json "$work/data" >"$work/info" || bad "info: status $?"
    /usr/bin/python3 -B - "$work/json" "$work/info" "$work/pipeline" "$@" <<'PY' || bad "bursts of $2, calls $1"
import json, sys
report, info, pipeline = (json.load(open(name)) for name in sys.argv[1:4])
kind, n, least, most = sys.argv[4], int(sys.argv[5]), float(sys.argv[7]), float(sys.argv[8])
ran = {row['name']: row['instructions'] for row in report['rows']}
names = 'first', 'second', 'third', 'fourth'
def shares_of(parts):
    return [4 * part / sum(parts) for part in parts]
shares = shares_of([ran[name] for name in names])
modelled = shares_of([sum(row['time'] for row in pipeline['rows'] if row['function'] == name) for name in names])
windows, ended = info['rows'][0]['windows'], info['losses'].get('at_syscall', 0)
print(kind, 28 * n, windows, ended, [round(share, 2) for share in shares], [round(share, 2) for share in modelled])
assert all(least < share < most for share in shares)
assert all(0.5 < share < 1.8 for share in modelled)
assert kind in 'osw' or ended < windows / 2
PY
}
bursts a 11 $((5000000 / 11)) 0.87 1.15
bursts h 11 $((5000000 / 11)) 0.87 1.15
bursts r 11 $((5000000 / 11)) 0.87 1.15
bursts p 11 $((5000000 / 11)) 0.87 1.15
bursts p 125 $((5000000 / 125)) 0.87 1.15
bursts r 3571 $((25000000 / 3571)) 0.87 1.15
# Calls that the program makes itself; a walk goes on after them. Programs that sleep have no longer bursts here: the kernel's
# clock gives the last quarter before a sleep a third of the time.
bursts o 11 $((3000000 / 11)) 0.87 1.15
bursts o 125 $((5000000 / 125)) 0.87 1.15
bursts o 3571 $((25000000 / 3571)) 0.87 1.15
bursts s 125 8000 0.87 1.15
bursts w 1250 8000 0.87 1.15

# A program nobody tuned for: what lies around its reads has the share of the instructions that an exact run counts.
if command -v openssl >/dev/null && truncate -s 200M "$work/zeros"; then
    "$gait" record -q --exact=counts -o "$work/exact" -- openssl dgst -sha256 "$work/zeros" >/dev/null || bad "openssl, exact: status $?"
    "$gait" record -q -F 2000 -o "$work/sampled" -- openssl dgst -sha256 "$work/zeros" >/dev/null || bad "openssl: status $?"
    "$gait" report --raw --by function --json "$work/exact" >"$work/exact.json"
    "$gait" report --raw --by function --json "$work/sampled" >"$work/sampled.json"
    /usr/bin/python3 -B - "$work/exact.json" "$work/sampled.json" <<'PY' || bad 'openssl'
import json, sys
exact, sampled = ({row['name']: row['instructions'] for row in json.load(open(name))['rows']} for name in sys.argv[1:])
ratios = {name: sampled.get(name, 0) / sum(sampled.values()) * sum(exact.values()) / n
          for name, n in exact.items() if n > 0.002 * sum(exact.values())}
print('openssl', {name: round(ratio, 2) for name, ratio in ratios.items()})
assert all(0.8 < ratio < 1.25 for ratio in ratios.values())
PY
else
    echo 'openssl is not installed: left out'
fi
finish
