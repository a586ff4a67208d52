#!/bin/bash
# gait record --branches: the processor's branch records where there are some, walks where there are none, and what is
# said of it. Machines without them try all but the records themselves (--branches none).
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
data=$work/data
beat=$(program beat)
"$gait" record -e cpu-clock:u -q -o "$work/granted" -- true 2>"$work/stderr" || skip "no samples of the kernel here: $(head -1 "$work/stderr")"

status 5 'what LBR does, without LBR' "$gait" record --branches none -F 500 -o "$data" -- sh -c "'$beat' 1000 0.5; exit 5"
says 'branches: records of the processor'
readable "$data"
"$gait" report --json "$data" >"$work/rows" || bad 'no report'
grep -q '"name": "beat_\(even\|odd\)"' "$work/rows" || { bad 'the functions of the program were not seen'; head -c 1000 "$work/rows"; }
"$gait" info "$data" | grep -q '^branches  *none$' || bad 'the profile does not say how branches were recorded'
"$gait" info --json "$data" >"$work/info"
python3 - "$work/info" <<'P' || bad 'CPU time or samples'
import json, sys
row = json.load(open(sys.argv[1]))["rows"][0]
print(row["user_time"], row["interrupts"])
sys.exit(not (row["user_time"] > 0.4 and 100 < row["interrupts"] < 1000))
P
status 127 'no such program' "$gait" record --branches none -o "$data" -- no-such-program
status 125 'with counts' "$gait" record --branches lbr --exact=counts -- true
says '--branches does not go with --exact'
status 125 'with windows' "$gait" record --branches lbr --window 1000 -- true
says '--branches does not go with --window'
status 125 'of a process' "$gait" record --branches lbr -p $$
status 125 'otherwise' "$gait" record --branches other -- true
says 'walks, lbr or auto'

"$gait" doctor --json >"$work/doctor" 2>/dev/null
grep -q '"name": "branches"' "$work/doctor" || bad 'doctor does not compare walks and branch records'
rm -f "$data" "$data.old"
if grep -q '"name": "LBR", .*"verdict": "good"' "$work/doctor"; then
    status 0 'LBR' "$gait" record --branches auto -o "$data" -- "$beat" 1000 0.5
    says 'branches: records of the processor'
    "$gait" report --by edge --json "$data" | grep -q '"kind": "taken"' || bad 'no branches in what the processor recorded'
else
    status 125 'no LBR' "$gait" record --branches lbr -o "$data" -- touch "$work/started"
    says 'without --branches gait record records branches by walking'
    [ ! -e "$work/started" ] || bad 'the program was started though nothing could be recorded'
    [ ! -e "$data" ] || bad 'a recording that did not begin left a file'
    status 0 'walks instead' "$gait" record --branches auto -F 500 -o "$data" -- "$beat" 1000 0.5
    says 'branches: by walks; '
    "$gait" report --by edge --json "$data" | grep -q '"kind": "taken"' || bad 'no branches in what was walked'
fi
finish
