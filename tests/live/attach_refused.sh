#!/bin/bash
# Processes that the agent is not put into: each is refused in words, and left as it was.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
. tests/live/lib/attach.sh
unfiltered || skip 'system calls are filtered here (seccomp): no process can be attached to'

refused 'no process' 'there is no process' 4194303
start sleep sleep 100
kill -STOP "$pid"
sleep 0.1
refused 'stopped' "kill -CONT $pid" "$pid"
kill -CONT "$pid"
start zombie python3 -c 'import os, time
pid = os.fork() or os._exit(0)
print("ready", pid, flush=True)
time.sleep(100)'
until_ready zombie
sleep 0.2
refused 'a zombie' 'has ended' "$(sed 's/ready //' "$work/zombie")"
cat >"$work/filtered.py" <<'PY'
import ctypes, time
class Op(ctypes.Structure): _fields_ = [("code", ctypes.c_uint16), ("t", ctypes.c_uint8), ("f", ctypes.c_uint8), ("k", ctypes.c_uint32)]
class Filter(ctypes.Structure): _fields_ = [("n", ctypes.c_uint16), ("at", ctypes.POINTER(Op))]
libc = ctypes.CDLL(None)
libc.prctl(38, 1, 0, 0, 0)
allow = Op(6, 0, 0, 0x7FFF0000)
assert libc.prctl(22, 2, ctypes.byref(Filter(1, ctypes.pointer(allow)))) == 0
print("ready", flush=True)
time.sleep(100)
PY
start filtered python3 "$work/filtered.py"
until_ready filtered
refused 'filtered' 'seccomp' "$pid"
cat >"$work/traced.py" <<'PY'
import ctypes, os, time
pid = os.fork()
if pid == 0:
    ctypes.CDLL(None).prctl(1, 9, 0, 0, 0)  # dies with its parent
    time.sleep(100)
assert ctypes.CDLL(None).ptrace(0x4206, pid, None, None) == 0
print("ready", pid, flush=True)
time.sleep(100)
PY
start traced python3 "$work/traced.py"
until_ready traced
refused 'traced' "is traced by process $pid" "$(sed 's/ready //' "$work/traced")"
# Linux tells since 6.4 whether a thread has its calls dispatched to itself. All are exempt here; the agent's need not be.
cat >"$work/dispatched.py" <<'PY'
import ctypes, signal, time
signal.signal(signal.SIGSYS, lambda *_: None)
assert ctypes.CDLL(None).prctl(59, 1, ctypes.c_ulong(4096), ctypes.c_ulong((1 << 47) - 8192), None) == 0
print("ready", flush=True)
time.sleep(100)
PY
if printf '%s\n' 6.4 "$(uname -r)" | sort -V -C; then
    start dispatched python3 "$work/dispatched.py"
    until_ready dispatched
    refused 'dispatches its calls' 'has system calls dispatched to itself' "$pid"
fi
for kernel in $(pgrep -P 2 2>/dev/null | head -1); do refused 'a thread of the kernel' 'kernel' "$kernel"; done
if [ "$(id -u)" = 0 ] && su nobody -s /bin/sh -c "test -x '$gait'"; then
    status 125 'of another user' su nobody -s /bin/sh -c "cd /tmp && '$gait' record -q -o /tmp/gait-nobody.$$ --duration 0.1 -p $pid"
    says 'belongs to another user'
fi

# Too little memory for the agent: told, and all that had been mapped is gone again.
busy=$(program busy)
(ulimit -v 150000 && exec "$busy") >"$work/poor" 2>&1 &
pid=$!
started="$started $pid"
until_ready poor
state "$pid" >"$work/before"
refused 'little memory' 'cannot' "$pid"
as_before 'little memory' "$pid"
ends 'a program with little memory' "$pid"
finish
