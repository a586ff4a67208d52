# What tests of attaching share: programs in the background, and what they must still have afterwards.
# Sourced behind live.sh.
started=
trap '{ kill -9 $started; wait; } 2>/dev/null; rm -rf "$work"' EXIT

# unfiltered: a process that filters its system calls is not attached to. In many containers all of them do.
unfiltered() { ! grep -q '^Seccomp:.*2$' /proc/self/status; }

# start NAME COMMAND...: in the background, its output in $work/NAME; its number is $pid.
start() {
    local name=$1
    shift
    "$@" >"$work/$name" 2>&1 &
    pid=$!
    started="$started $pid"
}
until_ready() { for _ in $(seq 100); do grep -q ready "$work/$1" 2>/dev/null && return; sleep 0.1; done; bad "$1 does not start"; }

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
        [ -r "/proc/$2/maps" ] || { bad "$1: the process is gone"; return; }
        state "$2" | diff "$work/before" - >"$work/diff" && return
        sleep 0.02
    done
    bad "$1: the process is not as it was"
    head -n 20 "$work/diff"
}

# refused WHAT WHY PID: with 125 and a word about it.
refused() {
    status 125 "$1" timeout 20 "$gait" record -q --duration 0.1 -o "$work/refused" -p "$3"
    says "$2"
    [ -e "$work/refused" ] && bad "$1: there is a profile"
}

# ends WHAT PID: asked to, the program ends by itself and says that all was well.
ends() {
    kill -TERM "$2"
    wait "$2"
    same "$1: how it ended" 0 $?
}
