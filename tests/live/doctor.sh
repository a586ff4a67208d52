#!/bin/bash
# doctor tells what is granted, by trying; it works without rights, behind filters, and without /proc.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
command -v python3 >/dev/null || skip 'python3 is not installed'
sealed=$(program sealed)
cp "$gait" "$out/libgait.so" "$work" && chmod 755 "$work"
doctor=$work/gait
cd "$work" || exit 1
perf=298 ptrace=101 memfd=319

# verdict NAME: of the JSON that the last command wrote.
verdict() {
    python3 -c 'import json, sys
rows = {row["name"]: row for row in json.load(open(sys.argv[1]))["rows"]}
print(rows[sys.argv[2]]["verdict"])' "$work/stdout" "$1"
}
# judged WHAT NAME EXPECTED
judged() { same "$1: $2" "$3" "$(verdict "$2")"; }
# behind HOW CALL...: doctor behind a filter.
behind() { "$sealed" "$@" -- "$doctor" doctor --json; }

"$doctor" record -q -o probe.data -- true || skip 'record does not work here at all'
status 0 'doctor' "$doctor" doctor
silent doctor
grep -q '^good  *record ' stdout || grep -q '^limited  *record ' stdout || bad 'record is not said to work'
status 0 'doctor --json' "$doctor" doctor --json
python3 - "$work/stdout" <<'P' || bad 'the JSON is not as promised'
import json, sys
answer = json.load(open(sys.argv[1]))
assert answer["schema"] == "gait/doctor/1", answer["schema"]
assert len(answer["rows"]) > 20
for row in answer["rows"]:
    assert set(row) == {"name", "value", "verdict", "meaning", "advice"}, row
    assert row["verdict"] in {"info", "good", "limited", "denied", "missing", "unknown"}, row
    assert row["verdict"] != "good" or not row["advice"], row
P
perf_works=$(verdict perf)

# Granted and used must agree: what record says of its trigger is what doctor said of it.
"$doctor" record -o probe.data -F 1000 -- sh -c 'i=0; while [ $i -lt 50000 ]; do i=$((i + 1)); done' 2>record
if grep -q 'trigger: perf clock' record; then judged 'as recorded' 'perf clock' good
else [ "$(verdict 'perf clock')" != good ] || bad 'record did not get the clock that doctor promised'; fi

# Refusals, by errno and by death; the timer takes over, and what cannot work says so.
for how in 1 38 kill; do
    # Where asking kills, the program would ask and be killed.
    status "$([ $how = kill ] && echo 1 || echo 0)" "perf refused, $how" behind $how $perf
    judged "perf refused, $how" seccomp denied
    judged "perf refused, $how" record "$([ $how = kill ] && echo denied || echo limited)"
    [ "$how" = 38 ] || judged "perf refused, $how" perf denied
    status 0 "ptrace refused, $how" behind $how $ptrace
    judged "ptrace refused, $how" record "$([ "$perf_works" = good ] && echo good || echo limited)"
    status 1 "memfd refused, $how" behind $how $memfd
    [ "$(verdict record)" != good ] || bad "record is said to work without memfd_create"
done

# A folder that cannot be written, a library that is not there.
status 1 'no library' env GAIT_LIB=/no/such/file "$doctor" doctor --json
judged 'no library' libgait.so missing
(cd /proc && "$doctor" doctor --json >"$work/stdout")
same 'unwritable folder: status' 1 $?
judged 'unwritable folder' folder denied

if [ "$(id -u)" = 0 ]; then
    status 0 'without rights' setpriv --reuid=65534 --regid=65534 --clear-groups sh -c "cd /tmp; '$doctor' doctor --json"
    judged 'without rights' capabilities limited
    judged 'without rights' record "$([ "$perf_works" = good ] && echo good || echo limited)"
    if unshare -m true 2>/dev/null; then
        unshare -m sh -c "mount -t tmpfs none /proc/sys && '$doctor' doctor --json" >stdout 2>stderr
        same 'without /proc/sys: status' 0 $?
        judged 'without /proc/sys' paranoid unknown
        judged 'without /proc/sys' record "$([ "$perf_works" = good ] && echo good || echo limited)"
        unshare -m sh -c "mount -t tmpfs none /proc && '$doctor' doctor --json" >stdout 2>stderr
        same 'without /proc: status' 1 $?
        judged 'without /proc' capabilities unknown
    fi
fi

status 0 'without stdin and stderr' sh -c "'$doctor' doctor --json <&- 2>&-"
judged 'without stdin and stderr' record "$([ "$perf_works" = good ] && echo good || echo limited)"
status 129 'an argument' "$doctor" doctor more
status 129 'an unknown option' "$doctor" doctor --no-such
status 1 'a full disk' sh -c "'$doctor' doctor >/dev/full"
finish
