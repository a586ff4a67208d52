#!/bin/bash
# Processes that run are attached to, walked, and left: they never notice, and nothing is left behind.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
cycles=10
[ "${GAIT_LONG:-0}" = 1 ] && cycles=1000
. tests/live/lib/attach.sh
unfiltered || skip 'system calls are filtered here (seccomp): no process can be attached to'

busy=$(program busy)
start busy "$busy"
until_ready busy
state "$pid" >"$work/before"

# CPU time of a process, user and kernel, in hundredths of a second.
cpu_time() { awk '{ print $14 + $15 }' "/proc/$1/stat"; }

# One attachment: what is told is true of the program, however much of the CPU it gets.
used=$(cpu_time "$pid")
status 0 'attached once' "$gait" record -F 1000 --duration 1 -o "$work/data" -p "$pid"
used=$(($(cpu_time "$pid") - used))
readable "$work/data"
says 'windows'
"$gait" report --json -i "$work/data" >"$work/report"
python3 - "$work/report" "$used" <<'PY' || bad 'the report is not what the program does'
import json, sys
rows = json.load(open(sys.argv[1]))["rows"]
time = {row["name"]: row["time"] for row in rows}
whole = sum(time.values())
share = (time.get("compute", 0) + time.get("mix", 0)) / whole
used = int(sys.argv[2]) / 100
print(f"{whole:.2f} s of {used:.2f}, {100 * share:.1f} % of it in compute and mix")
sys.exit(not (0.9 < share <= 1 and 0.5 * used - 0.05 < whole < used + 0.05))
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

# While one recording is under way a second is refused, and gait itself cannot be walked.
"$gait" record -q -o "$work/first" -p "$pid" 2>"$work/first.err" &
recorder=$!
for _ in $(seq 100); do grep -q 'memfd:gait' "/proc/$pid/maps" && grep -q 'TracerPid:.0$' "/proc/$pid/status" && break; sleep 0.1; done
refused 'recorded already' 'has the agent in it already' "$pid"
refused 'gait itself' 'is gait' "$recorder"
kill -INT "$recorder"
wait "$recorder"
same 'ended by Ctrl-C' 0 $?
as_before 'after Ctrl-C' "$pid"
# Of its threads the oldest but the first: others come and go, and numbers may have begun again.
thread=$(cat "/proc/$pid/task"/*/stat 2>/dev/null | sort -n -k 22 | awk -v pid="$pid" '$1 != pid { print $1; exit }')
refused 'a thread' "is a thread of process $pid" "$thread"
ends 'a busy program' "$pid"
cat "$work/busy"

# Real programs, attached to for as long as they run: what they say is what they say alone.
cat >"$work/digest.py" <<'PY'
import hashlib, json, threading
sums = {}
def work(n):
    text = json.dumps([{"n": n, "squares": [i * i for i in range(50)]}])
    for i in range(5000):
        text = hashlib.sha256(json.dumps(json.loads(json.dumps([text, i]))).encode()).hexdigest()
    sums[n] = text
print("ready", flush=True)
threads = [threading.Thread(target=work, args=(n,)) for n in range(3)]
[t.start() for t in threads], [t.join() for t in threads]
print(sorted(sums.items()))
PY
python3 "$work/digest.py" >"$work/alone"
start digest python3 "$work/digest.py"
until_ready digest
times=0
while "$gait" record -q -F 2000 --duration 0.05 -o "$work/data" -p "$pid" 2>"$work/stderr"; do times=$((times + 1)); done
wait "$pid"
same 'python3: how it ended' 0 $?
cmp "$work/alone" "$work/digest" || bad 'python3 says something else'
echo "python3: $times times in and out"

port=$((20000 + $$ % 10000))
if command -v redis-server redis-benchmark >/dev/null; then
    start redis redis-server --port $port --save '' --io-threads 2
    server=$pid
    for _ in $(seq 50); do redis-cli -p $port ping 2>/dev/null | grep -q PONG && break; sleep 0.1; done
    start load redis-benchmark -p $port -q -n ${GAIT_LONG:+1}50000 -t set,get,lpush -P 8
    for times in 1 2 3 4 5 ${GAIT_LONG:+6 7 8}; do
        status 0 'redis' "$gait" record -q -F 2000 --duration 0.05 -o "$work/data" -p "$server"
    done
    wait "$pid"
    same 'redis-benchmark: how it ended' 0 $?
    redis-cli -p $port shutdown nosave
    wait "$server"
    same 'redis: how it ended' 0 $?
    echo "redis-server under load: $times times in and out"
fi

# It ends, or becomes another program, while it is attached to.
start brief "$busy" 40000
until_ready brief
status 0 'ends while attached' "$gait" record -o "$work/data" -p "$pid"
readable "$work/data"
wait "$pid"
same 'ended by itself' 0 $?
start becomes bash -c "echo ready; i=0; while [ \$i -lt 300000 ]; do i=\$((i + 1)); done; exec $busy 1000"
until_ready becomes
status 0 'becomes another program' timeout 60 "$gait" record -o "$work/data" -p "$pid"
wait "$pid"
same 'became another program' 0 $?

# In namespaces of its own, where our numbers and files mean nothing.
if unshare -pmf --mount-proc true 2>/dev/null; then
    start contained unshare -pmf --mount-proc "$busy"
    until_ready contained
    inner=$(pgrep -P "$pid")
    state "$inner" >"$work/before"
    status 0 'contained' "$gait" record -F 1000 --duration 0.5 -o "$work/data" -p "$inner"
    "$gait" report --json -i "$work/data" | grep -q '"compute"' || bad 'contained: nothing was seen'
    as_before 'contained' "$inner"
    kill -TERM "$inner"
    wait "$pid"
    same 'contained: how it ended' 0 $?
fi

# Static programs are walked from their start, and can be attached to.
if gcc -O2 -g -static -D_GNU_SOURCE -pthread -o "$work/static" tests/programs/busy.c 2>/dev/null; then
    status 0 'static' "$gait" record -F 1000 -o "$work/data" -- "$work/static" 50000
    readable "$work/data"
    "$gait" report --json -i "$work/data" | grep -q '"compute"' || bad 'static: nothing was seen'
    "$gait" info "$work/data" | grep -q no_agent && bad 'static: the agent is missed'
    start unmoved "$work/static"
    until_ready unmoved
    state "$pid" >"$work/before"
    status 0 'static, attached' "$gait" record -F 1000 --duration 0.3 -o "$work/data" -p "$pid"
    as_before 'static' "$pid"
    ends 'a static program' "$pid"
fi
finish
