#!/bin/bash
# Plain recordings: whom they follow, when they begin and end, what they say where the kernel refuses.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
data=$work/data
beat=$(program beat) jit=$(program jit)

# rows: functions by name, of the last recording.
rows() { "$gait" report --by function --json "${1:-$data}"; }
# A program of few milliseconds may be sampled in step with its beat: then it has one of its functions.
has() { rows "$2" | grep -q "\"name\": \"$1\"" || { bad "$3: $1 was not seen"; rows "$2" | grep '"name"' | head -5; }; }
fact() { "$gait" info --json "$data" | grep -o "\"$1\": [^,}]*" | tail -n 1 | sed 's/.*: //'; }
# about WHAT LOW HIGH VALUE
about() { awk -v l="$2" -v h="$3" -v v="$4" 'BEGIN { exit !(v >= l && v <= h) }' || bad "$1: expected $2 to $3, got '$4'"; }

# crowd_start: the id of a process with many threads, all asleep.
crowd_start() {
    perl -e 'exec @ARGV' /usr/bin/python3 -c '
import threading, time
for i in range(40): threading.Thread(target=time.sleep, args=(20,), daemon=True).start()
print(flush=True); time.sleep(20)' >"$work/crowd.out" 2>&1 &
    echo $! >"$work/crowd.pid"
    for i in $(seq 100); do [ -s "$work/crowd.out" ] && break; sleep 0.05; done
    cat "$work/crowd.pid"
}
crowd_end() { kill "$(cat "$work/crowd.pid")"; }

# ---- usage: what cannot be meant is said before anything runs
status 125 'walks and plain' "$gait" record --plain --exact -- true
says walks
status 125 'two ways to say whom' "$gait" record --plain -p 1 -- true
status 125 'no process' "$gait" record --plain -p 999999999
says 999999999
status 125 'not a process' "$gait" record --plain -p 12x
status 125 'no such event' "$gait" record -e no-such-event -o "$data" -- touch "$work/started"
says 'no such event'
status 125 'duration of walks' "$gait" record --duration 1 -- true
[ ! -e "$work/started" ] || bad 'a program was started though its event does not exist'
[ ! -e "$data" ] || bad 'a recording that did not begin left a file'

# ---- refusals name what is in the way
sealed=$(program sealed)
status 125 'no perf_event_open' "$sealed" 1 298 -- "$gait" record --plain -p $$ -o "$data"
says 'kernel.perf_event_paranoid is'
says 'Without --plain gait record needs no permission'
status 125 'perf_event_open hidden' "$sealed" 38 298 -- "$gait" record -e page-faults -o "$data" -- true
says 'without --plain gait record does not need it'
[ ! -e "$data" ] || bad 'a refused recording left a file'
for errno in 1 38; do
    status 3 'walks instead' "$sealed" $errno 298 -- "$gait" record --plain -o "$data" -- sh -c 'i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done; exit 3'
    says 'recording walks instead'
    "$gait" info --json "$data" | grep -q '"trigger": *\["cputime"\]' || bad 'what stood in for plain samples is not told'
    readable "$data"
    rm -f "$data" "$data.old"
done
"$gait" record -e cpu-clock -q -o "$data" -- true 2>"$work/why" || skip "plain samples are refused here: $(cat "$work/why")"

# ---- a program and all it starts: exec, fork, threads, static code, what it makes itself
status 5 family "$gait" record -v -F 2000 --plain -o "$data" -- sh -c "'$beat' 1000 0.2 & '$jit' & wait; exit 5"
says 'next: gait report'
readable "$data"
has 'beat_\(even\|odd\)' "$data" 'a grandchild'
has made_at_run_time "$data" 'code made at run time, its map deleted'
"$gait" info --json "$data" | grep -o '"name": "[a-z]*"' | sort -u | xargs >"$work/names"
for name in sh beat jit; do grep -qw "$name" "$work/names" || bad "no thread of $name: $(cat "$work/names")"; done
"$gait" contexts --json "$data" >"$work/contexts" 2>&1 || bad 'no contexts'
[ "$(fact sample_lost)" = '' ] || echo "note: $(fact sample_lost) records lost"
"$jit" quiet & # nobody tells its names: its code is there nevertheless
status 0 'silent JIT' "$gait" record -q --plain -o "$data" -- "$jit" quiet
"$gait" report --json "$data" | grep -q '"\[jit\]+0x' || bad 'code made at run time was not seen'
wait

# ---- rate, time and shares
status 0 beat "$gait" record --plain -F 500 -o "$data" -- "$beat" 1000 0.5
about 'samples a CPU second' 350 650 "$(sed -n 's/.* \([0-9]*\) per CPU second.*/\1/p' "$work/stderr")"
whole=$(sed -n 's/.*start of the thread): \(.*\) %/\1/p' "$work/stderr")
about 'whole stacks' 99 100 "$whole"
used() { awk -v u="$(fact user_time)" -v k="$(fact kernel_time)" 'BEGIN { print u + k }'; }
about 'CPU time' 0.95 1.3 "$(used)"
status 0 sleeper "$gait" record --plain -q -o "$data" -- sleep 0.5
about 'time off the CPU' 0.4 1.5 "$(fact off_time)"
# Children that nobody waits for, and a clock that meets waiting parents' children too often or never.
status 0 unreaped "$gait" record --plain -q -o "$data" -- /usr/bin/python3 -c '
import os, signal, time
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
children = []
for i in range(2):
    children.append(os.fork())
    if not children[-1]:
        while time.thread_time() < 0.4: pass
        os._exit(0)
while any(os.path.exists(f"/proc/{child}") for child in children): time.sleep(0.05)'
about 'CPU time of children that nobody waited for' 0.75 1.1 "$("$gait" info --json "$data" | /usr/bin/python3 -c '
import json, sys
threads = json.load(sys.stdin)["threads"]
print(sum(t["user_time"] + t["kernel_time"] for t in threads))')"
about 'CPU time in all' 0.75 1.1 "$(used)"
status 0 'short children' "$gait" record --plain -q -o "$data" -- /usr/bin/python3 -c '
import os, time
def work(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end: pass
for i in range(300):
    if not os.fork():
        work(0.0008)
        os._exit(0)
    os.wait()
work(0.3)'
main=$("$gait" info --json "$data" | /usr/bin/python3 -c '
import json, sys
# A child may end before its time can be read: null.
print(*max((t["user_time"] or 0, t["pid"]) for t in json.load(sys.stdin)["threads"]))')
about 'stacks of the parent, in its own user time' 0.97 1.03 "$("$gait" report --pid "${main#* }" --json "$data" | /usr/bin/python3 -c '
import json, sys
print(sum(row["time"] for row in json.load(sys.stdin)["rows"]) / float(sys.argv[1]))' "${main% *}")"

# ---- begin and end
status 0 delay "$gait" record --plain -q -D 1500 -o "$data" -- sh -c "'$beat' 1000 0.02; sleep 2; '$jit' quiet"
! rows "$data" | grep -q 'beat_\(even\|odd\)' || bad '-D: what ran before was seen'
"$gait" report --json "$data" | grep -q '"\[jit\]+0x' || bad '-D: what ran behind was not seen'
start=$(date +%s%N)
status 3 duration "$gait" record --plain -q --duration 0.2 -o "$data" -- sh -c 'sleep 0.4; exit 3'
[ $(($(date +%s%N) - start)) -ge 390000000 ] || bad '--duration: the program was not waited for'
readable "$data"

# ---- processes that run already
"$beat" 1000 30 &
pid=$!
sleep 0.2
status 0 attach "$gait" record --plain --duration 0.5 -o "$data" -p $pid
readable "$data"
has 'beat_\(even\|odd\)' "$data" attach
kill -0 $pid 2>/dev/null || bad 'the process did not survive being followed'
"$gait" record --plain -q -o "$data" -p $pid 2>"$work/stderr" &
recorder=$!
sleep 0.7
kill -INT $recorder
wait $recorder
same 'attach, Ctrl-C: status' 0 $?
readable "$data"
! "$gait" info "$data" | grep -q 'not closed' || bad 'attach, Ctrl-C: the file was not closed'
"$gait" record --plain -q -o "$data" -p $pid 2>"$work/stderr" &
recorder=$!
sleep 0.5
kill -KILL $pid
wait $pid 2>/dev/null
wait $recorder
same 'attach, the process ends: status' 0 $?
readable "$data"

# ---- which file: a name is not the file
# stranger WHAT: the last recording is of beat, and another program lies in its place.
stranger() {
    "$gait" report "$data" >"$work/report" 2>&1 || bad "$1: no report"
    grep -q 'not the build that ran\|replaced or deleted' "$work/report" || { bad "$1: not noticed"; cat "$work/report"; }
    ! grep -q 'beat_\(even\|odd\)\| main  ' "$work/report" || { bad "$1: names of another file"; cat "$work/report"; }
}
cp "$beat" "$work/which"
"$work/which" 1000 30 &
pid=$!
sleep 0.1
cp "$jit" "$work/other"
mv "$work/other" "$work/which"
status 0 'replaced before' "$gait" record --plain -q --duration 0.2 -o "$data" -p $pid
has 'beat_\(even\|odd\)' "$data" 'replaced before: names of the file that runs'
kill -KILL $pid
wait $pid 2>/dev/null
if command -v objcopy >/dev/null; then
    objcopy -R .note.gnu.build-id "$beat" "$work/which"
    status 0 'no build-id' "$gait" record --plain -q --no-names -o "$data" -- "$work/which" 1000 0.1
    has 'beat_\(even\|odd\)' "$data" 'no build-id'
    objcopy -R .note.gnu.build-id "$jit" "$work/other"
    mv "$work/other" "$work/which"
    stranger 'replaced behind'
    objcopy -R .note.gnu.build-id "$beat" "$work/which"
    has 'beat_\(even\|odd\)' "$data" 'no build-id, built again'
fi
for name in $'a\nb' 'a (deleted)'; do
    cp "$beat" "$work/$name"
    "$work/$name" 1000 30 &
    pid=$!
    sleep 0.1
    status 0 "$name" "$gait" record --plain -q --duration 0.2 -o "$data" -p $pid
    has 'beat_\(even\|odd\)' "$data" "$name"
    kill -KILL $pid
    wait $pid 2>/dev/null
done

# More threads than descriptors: those that can be had are followed, the others counted.
status 0 'few descriptors' bash -c 'ulimit -Sn 20 && ulimit -Hn 40 && exec "$@"' bash \
    "$gait" record --plain --duration 0.2 -o "$data" -p "$(crowd_start)"
says 'thread not followed'
about 'time off CPUs of threads that were not followed' 0 5 "$(fact off_time)"
crowd_end

# ---- all CPUs, where that is allowed
"$beat" 1000 5 &
pid=$!
"$gait" record -a -F 997 -q --duration 0.5 -o "$data" 2>"$work/stderr" &
recorder=$!
if wait $recorder; then
    readable "$data"
    has 'beat_\(even\|odd\)' "$data" 'all CPUs'
    ! "$gait" info --json "$data" | grep -q "\"pid\": $recorder," || bad 'gait itself has a row of time'
    status 4 'all CPUs while a program runs' "$gait" record -a -o "$data" -- sh -c 'sleep 0.3; exit 4'
    # Threads that end are still on a CPU when they have lost their number: they must not stay there.
    begun=$(date +%s.%N)
    status 0 'all CPUs, threads that come and go' "$gait" record -a -F 997 -o "$data" -- python3 -c '
import threading, time
end = time.monotonic() + 1.5
while time.monotonic() < end:
    for thread in [threading.Thread(target=lambda: None) for _ in range(20)]:
        thread.start()
        thread.join()
time.sleep(1.5)'
    most=$(awk -v from="$begun" -v to="$(date +%s.%N)" -v cpus="$(nproc --all)" 'BEGIN { print 1.05 * cpus * (to - from) }')
    awk -v user="$(fact user_time)" -v kernel="$(fact kernel_time)" -v most="$most" 'BEGIN { exit !(user + kernel <= most) }' ||
        bad "all CPUs: $(fact user_time) s in user mode and $(fact kernel_time) in the kernel, where there were $most in all"
else
    grep -q 'kernel.perf_event_paranoid' "$work/stderr" || bad "all CPUs: refused without a reason: $(cat "$work/stderr")"
fi
kill -KILL $pid
wait $pid 2>/dev/null

# ---- events
status 0 faults "$gait" record -e page-faults -F 5000 -o "$data" -- "$beat" 1000 0.01
says page-faults
"$gait" info "$data" | grep -q '^event *page-faults' || bad 'the event is not in the file'
status 0 'user only' "$gait" record -e cpu-clock:u -o "$data" -- "$beat" 1000 0.1
says 'user mode only'

# ---- a terminal: a line while it goes on, gone at the end
if command -v script >/dev/null; then
    script -qec "$gait record --plain -o $data -- sleep 1.2" /dev/null >"$work/tty" </dev/null
    grep -q 'samples, 0 lost' "$work/tty" || bad 'no progress on a terminal'
    grep -q $'\r\033\[K' "$work/tty" || bad 'the progress line is not erased'
fi
status 0 'no terminal' "$gait" record --plain -o "$data" -- sleep 1.2
! grep -q $'\033' "$work/stderr" || bad 'progress without a terminal'

# ---- unprivileged: own programs, without the kernel's part, and said so
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
    chmod 755 "$work"
    mkdir -m 777 "$work/theirs"
    cp "$gait" "$beat" "$work"
    as_nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all --bounding-set=-all -- "$@"; }
    cd "$work/theirs" || exit 1
    if as_nobody "$work/gait" --version >/dev/null 2>&1 && [ "$(cat /proc/sys/kernel/perf_event_paranoid)" = 2 ]; then
        status 0 unprivileged as_nobody "$work/gait" record --plain -o mine -- "$work/beat" 1000 0.1
        says "the kernel's part is not sampled: kernel.perf_event_paranoid is 2"
        says 'user mode only'
        status 125 "another's process" as_nobody "$work/gait" record --plain -p $$
        says 'Permission denied'
        status 125 'unprivileged, all CPUs' as_nobody "$work/gait" record -a --duration 0.1
        says 'kernel.perf_event_paranoid is 2; 0 or less'
        (ulimit -l 64 && as_nobody "$work/gait" record --plain -o mine -- "$work/beat" 1000 0.1) 2>"$work/stderr"
        says 'the limit on locked memory'
    fi
fi
finish
