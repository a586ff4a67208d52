#!/bin/bash
# Time of page faults is the kernel's: code that touches fresh memory has the user time that the kernel's own samples give
# it, and trails through it count as much as trails elsewhere.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
program=$GAIT_OUT/programs/fresh_pages
"$gait" record -q --plain -F 2000 -o "$work/plain" -- "$program" 150 >/dev/null || bad "plain: status $?"
"$gait" report --by function --json "$work/plain" >"$work/plain.json" || bad "report: status $?"

# faults OPTION...: a recording of the same with these options.
faults() {
    "$gait" record -q --seed 1 "$@" -o "$work/data" -- "$program" 150 >/dev/null || bad "record $*: status $?"
    "$gait" report --by function --json "$work/data" >"$work/json" || bad "report: status $?"
    "$gait" info --json "$work/data" >"$work/info" || bad "info: status $?"
    /usr/bin/python3 -B - "$work/plain.json" "$work/json" "$work/info" "$*" <<'PY' || bad "faults, $*"
import json, sys
plain, sampled, info = (json.load(open(name)) for name in sys.argv[1:4])
def parts(report, what):
    rows = {row['name']: row for row in report['rows']}
    return [rows[name][what] for name in ('fresh', 'warm')]
def share(pair):
    return pair[0] / sum(pair)
want, got = share(parts(plain, 'time')), share(parts(sampled, 'time'))
fresh, warm = parts(sampled, 'instructions')
interrupts = info['rows'][0]['interrupts']
print(f'{sys.argv[4]}: {interrupts} interrupts; user time {got:.3f}, by the kernel {want:.3f}; instructions 1 : {warm / fresh:.2f}')
assert abs(got - want) < 0.13  # with the time of faults it has 0.8 of both, for 0.5
assert 0.3 < warm / fresh < 3  # one fault in 60 us was taken for slow code: 1 : 5 to 1 : 8
PY
}
faults
faults --overhead 10
finish
