#!/bin/bash
# Processes that run are attached to, walked, and left: they never notice, and nothing is left behind.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
cycles=20
[ "${GAIT_LONG:-0}" = 1 ] && cycles=1000
started=
trap 'kill -9 $started 2>/dev/null; rm -rf "$work"' EXIT

# start NAME COMMAND...: in the background, its output in $work/NAME; its number is $pid.
start() {
    local name=$1
    shift
    "$@" >"$work/$name" 2>&1 &
    pid=$!
    started="$started $pid"
}
until_ready() { for _ in $(seq 100); do grep -q ready "$work/$1" && return; sleep 0.1; done; bad "$1 does not start"; }

# What a process has that something could be left in.
state() {
    cat "/proc/$1/maps"
    ls "/proc/$1/fd"
    grep -E '^(SigCgt|SigIgn|SigBlk|ShdPnd|TracerPid)' "/proc/$1/status"
    grep -h '^SigPnd' "/proc/$1/task/"*/status 2>/dev/null | sort -u
}
# as_before WHAT PID: it has what it had. Threads that come and go bring mappings of their own: in one of many looks
# there are none.
as_before() {
    for _ in $(seq 50); do
        state "$2" | diff "$work/before" - >"$work/diff" && return
        sleep 0.02
    done
    bad "$1: the process is not as it was"
    cat "$work/diff"
}

# ends WHAT PID: asked to, the program ends by itself and says that all was well.
ends() {
    kill -TERM "$2"
    wait "$2"
    same "$1: how it ended" 0 $?
}

busy=$(program busy)
start busy "$busy"
until_ready busy
state "$pid" >"$work/before"

# One attachment: what is told is true of the program.
status 0 'attached once' "$gait" record -F 1000 --duration 1 -o "$work/data" -p "$pid"
readable "$work/data"
says 'windows'
"$gait" report --json -i "$work/data" >"$work/report"
python3 - "$work/report" <<'PY' || bad 'the report is not what the program does'
import json, sys
rows = json.load(open(sys.argv[1]))["rows"]
time = {row["name"]: row["time"] for row in rows}
whole = sum(time.values())
share = (time.get("compute", 0) + time.get("mix", 0)) / whole
print(f"{whole:.2f} s, {100 * share:.1f} % of it in compute and mix")
sys.exit(not (0.9 < share <= 1 and whole > 0.3))
PY
as_before 'once' "$pid"

# Again and again, at the shortest that is allowed.
begin=$(date +%s%N)
for i in $(seq "$cycles"); do
    "$gait" record -q -F 5000 --duration 0.02 -o "$work/data" -p "$pid" 2>"$work/stderr" || { bad "cycle $i: $(cat "$work/stderr")"; break; }
    [ -d "/proc/$pid" ] || { bad "cycle $i: it is gone"; break; }
done
echo "$cycles times in and out: $((($(date +%s%N) - begin) / cycles / 1000000)) ms each, 20 of them recording"
as_before "$cycles times" "$pid"
ends 'a busy program' "$pid"
cat "$work/busy"
finish
