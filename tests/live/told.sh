#!/bin/bash
# What would make a recording misleading is told: names that mean nothing, programs that become others, processes
# that cannot be left, children that nobody waited for.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
. tests/live/lib/attach.sh
spin='import time, sys
t = time.process_time()
while time.process_time() - t < float(sys.argv[1]): pass'

# Names that mean nothing, each by itself.
for mode in sampled exact; do
    status 0 "$mode, --only" "$gait" record $(options_of $mode) -o "$work/only" --only 'nosuch*,main,nolib.so+0x10-0x20' -- "$(program branches)"
    says '--only nosuch*: no such code ran'
    says '--only nolib.so+0x10-0x20: no such code ran'
    grep -q 'only main' "$work/stderr" && bad "$mode: main was met"
done

# Times that are not known are not 0, and memory is told.
status 0 'exact' "$gait" record --exact=counts -o "$work/exact" -- /usr/bin/python3 -c pass
# Without samples only the kernel's ticks divide the CPU time, and may be far off.
says "divided by the kernel's ticks"
"$gait" info "$work/exact" >"$work/info"
grep -q "^CPU time .* (divided by the kernel's ticks)" "$work/info" || bad "info says nothing of ticks: $(grep '^CPU' "$work/info")"
"$gait" report "$work/exact" | grep -q "^user time .* (divided by the kernel's ticks)" || bad 'report says nothing of ticks'
grep -q '^threads .*python3$' "$work/info" || bad "info of an exact run: $(grep threads "$work/info")"
"$gait" info --json "$work/exact" | /usr/bin/python3 -c 'import json, sys
thread = json.load(sys.stdin)["threads"][0]
sys.exit(thread["user_time"] is not None)' || bad 'a time in JSON that is not known'
read -r _ memory _ <<<"$(grep '^agent_memory' "$work/info")"
[ "${memory:-0}" -gt 2000000 ] && [ "$memory" -lt 33554432 ] || bad "the agent's memory: '$memory' bytes"

# What is done once: start-up, and what is left to do when the program has ended. Functions are read for their paths when
# somebody wants to see them: that takes several times as long, and of less than a second there are none.
status 0 'once' "$gait" record -o "$work/once" -- /usr/bin/python3 -c "$spin" 1.6
"$gait" info "$work/once" | grep -q 'by the kernel' && bad 'info of samples speaks of ticks'
read -r _ startup end <<<"$(sed -n 's/.*; not included: start-up \([0-9.]*\) ms\(, names [0-9.]* ms[^,]*\)\{0,1\}, at the end \([0-9.]*\) ms$/is \1 \3/p' "$work/stderr")"
awk -v startup="$startup" -v end="$end" 'BEGIN { exit !(startup > 0 && startup < 20 && end > 0) }' ||
    bad "start-up of '$startup' ms, at the end '$end': $(grep start-up "$work/stderr")"
begun=$(date +%s%N)
"$gait" paths --json "$work/once" >"$work/paths" || bad "paths: status $?"
awk -v ns=$(($(date +%s%N) - begun)) -v end="$end" 'BEGIN { exit !(3 * end < ns / 1e6) }' || bad "$end ms at the end, and finding paths took little more"
"$gait" merge -q -o "$work/whole" "$work/once" || bad "merge: status $?"
"$gait" paths --json "$work/whole" | cmp - "$work/paths" || bad 'paths of what was merged are others'
status 0 'over at once' "$gait" record -o "$work/once" -- /usr/bin/python3 -c pass
"$gait" paths "$work/once" 2>"$work/stderr" && bad 'paths of less than a second'
says 'samples of less than a second have none'

# A process that becomes another program while it is recorded. On a busy machine it takes a while to be python.
until_python() { for _ in $(seq 100); do case $(readlink "/proc/$pid/exe") in *python*) return ;; esac; sleep 0.1; done; bad 'no python'; }
attached() {
start became /usr/bin/python3 -c "$spin"'
import os
os.execv("/bin/sleep", ["sleep", "3"])' 0.8
until_python
status 0 'exec' timeout 120 "$gait" record -o "$work/became" -p "$pid"
says "process $pid became another program (exec), which is not recorded"
start ended /usr/bin/python3 -c "$spin" 0.8
until_python
status 0 'end' timeout 120 "$gait" record -o "$work/ended" -p "$pid"
grep -q 'became another' "$work/stderr" && bad 'a process that ended became another program'

# A stopped process cannot be left.
start stopped /usr/bin/python3 -c "$spin" 20
until_python
{
    for _ in $(seq 200); do grep -q memfd:gait "/proc/$pid/maps" && grep -q 'TracerPid:.0$' "/proc/$pid/status" && break; sleep 0.05; done
    sleep 0.2
    kill -STOP "$pid"
} &
status 0 'stopped' timeout 120 "$gait" record --duration 0.8 -o "$work/stopped" -p "$pid"
says "the agent stays in process $pid, which is stopped by a signal"
kill -CONT "$pid"
kill "$pid"
}
if unfiltered; then attached; else echo 'nothing can be attached to where system calls are filtered'; fi

# Whoever starts a program without the agent in an exact run.
status 0 'no environment' "$gait" record --exact=counts -o "$work/bare" -- sh -c 'env -i /bin/true; true'
says 'INCOMPLETE'
says '1 x program not recorded: it did not load the agent'
status 0 'the environment' "$gait" record --exact=counts -o "$work/clothed" -- sh -c 'env /bin/true; ./nosuch 2>/dev/null; true'
grep -q 'INCOMPLETE' "$work/stderr" && bad 'nothing is missing, and INCOMPLETE is said'

# Whom a debugger holds runs natively: nothing of it was counted, and that is said.
if command -v strace >/dev/null || command -v gdb >/dev/null; then
    tracer=(gdb -q -batch -nx -ex 'set startup-with-shell off' -ex run --args)
    command -v gdb >/dev/null || tracer=(strace -f -o /dev/null)
    status 0 'traced' "$gait" record --exact=counts -o "$work/traced" -- "${tracer[@]}" /bin/true
    says 'INCOMPLETE'
    says 'a debugger traces it'
fi

# A child that outlives the program: what it used counts, or gait's share would be of next to nothing.
status 0 'a child outlives it' "$gait" record -F 400 -o "$work/outlives" -- /usr/bin/python3 -c 'import os, time, sys
child = os.fork()
if not child:
    t = time.process_time()
    while time.process_time() - t < 20: pass
open(sys.argv[1], "w").write(str(child))
used = lambda: int(open(f"/proc/{child}/stat").read().rsplit(")", 1)[1].split()[11]) / os.sysconf("SC_CLK_TCK")
while used() < 0.6: time.sleep(0.05)' "$work/child"
kill "$(cat "$work/child")"
read -r _ _ _ user _ _ kernel _ <<<"$("$gait" info "$work/outlives" | grep '^CPU time')"
awk "BEGIN { exit !(${user:-0} + ${kernel:-0} > 0.1) }" || bad "0.6 s of a child that outlives the program: $user + $kernel s"

# Another user may not open our memory.
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
    status 0 'another user' "$gait" record -o "$work/user" -- setpriv --reuid=65534 --clear-groups /usr/bin/python3 -c "$spin" 0.2
    says 'runs as another user (65534), who may not open'
fi
finish
