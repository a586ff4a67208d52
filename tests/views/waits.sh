#!/bin/bash
# gait waits: where threads are off a CPU, for how long and for what, in default and in plain recordings; as text, JSON and flame graph.
# Programs that switch all the time stay within the budget.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
waits=$(program waits)
pipes=$(program pipes)
"$gait" record -q -e cpu-clock -o "$work/granted" -- true 2>"$work/stderr" || skip "no samples of the kernel here: $(head -1 "$work/stderr")"
"$gait" info "$work/granted" | grep -q "kernel's part is not sampled" && skip 'kernel code may not be sampled here'
grep -q ' __x64_sys_futex\| do_futex' /proc/kallsyms || skip 'the kernel does not name its functions'
/usr/bin/python3 -c 1 2>/dev/null || skip 'no python3'

for mode in '' --plain; do
    status 0 "record $mode" "$gait" record -q $mode -o "$work/data" -- "$waits" slow
    cp "$work/stdout" "$work/expected"
    status 0 "waits $mode" "$gait" waits --json "$work/data"
    cp "$work/stdout" "$work/json"
    "$gait" export -q --format collapsed --weight wait "$work/data" >"$work/collapsed" || bad "$mode: export --weight wait"
    /usr/bin/python3 -B - "$work" "$gait" <<'P' || bad "waits $mode"
import json, subprocess, sys
work = sys.argv[1]
got = json.load(open(work + '/json'))
expected = {name: int(ms) for name, ms in (line.split() for line in open(work + '/expected'))}
reasons = {'sleeper': 'sleep', 'locker': 'futex', 'reader': 'read (pipe)', 'poller': 'poll'}
assert got['schema'] == 'gait/waits/1' and got['sources'], got['sources']
# All the time that threads were off a CPU, but for what is between two records of one moment. Where threads have to
# wait for a CPU (nothing on a quiet machine), a new one waits for its first before there is a record of it.
wanted = sum(row['time'] for row in got['reasons'] if row['reason'] == 'runnable')
assert abs(got['time'] - got['off_time']) < 0.05 * got['off_time'] + 0.01 + wanted, (got['time'], got['off_time'], wanted)
for rows in 'reasons', 'threads', 'rows':
    assert abs(sum(row['time'] for row in got[rows]) - got['time']) < 1e-6, rows
    assert sum(row['count'] for row in got[rows]) == got['count'], rows
    assert max(row['longest'] for row in got[rows]) <= got['longest'] < 10, rows
# A part of the run.
def part(time):
    return json.loads(subprocess.run([sys.argv[2], 'waits', '--json', '--time', time, work + '/data'], check=True, capture_output=True).stdout)
whole = part('0:')
before = part(f":{whole['part']['waits_from'] + 0.1:.6f}")
# A slice is 2^28 ns and `slow` takes 1 s: waits end in several.
after = part(f"{before['part']['waits_to'] + 1e-6:.6f}:")
assert whole['rows'] == got['rows'], 'the whole run as a part'
assert 0 < before['time'] < got['time'] and abs(before['time'] + after['time'] - got['time']) < 0.001 * got['time'] + 1e-6, (before['time'], after['time'], got['time'])
assert before['count'] + after['count'] == got['count'], (before['count'], after['count'], got['count'])
for name, ms in expected.items():
    rows = [row for row in got['rows'] if any(frame['function'] == name for frame in row['stack']) and row['reason'] == reasons[name]]
    time = sum(row['time'] for row in rows)
    print(name, ms, time, [row['reason'] for row in rows])
    assert time >= ms / 1000, (name, rows)
    assert all(row['time_lo'] <= row['time'] <= row['time_hi'] and row['longest'] <= row['time_hi'] + 1e-6 for row in rows), rows
# main held the lock, and was found while it did: where the wait was looked at in time.
holders = {row['holder'] for row in got['rows'] if 'holder' in row}
assert holders <= {min(row['tid'] for row in got['threads'])}, holders
print('holders', holders)
open(work + '/holders', 'a').write(' '.join(map(str, holders)))
sleeps = next(row for row in got['rows'] if any(frame['function'] == 'sleeper' for frame in row['stack']) and row['reason'] == 'sleep')
assert sleeps['count'] == 10 and 0.03 <= sleeps['longest'] <= sleeps['time'] - 0.27, sleeps
# The flame graph has the same time, in nanoseconds.
lines = [line.rsplit(' ', 1) for line in open(work + '/collapsed')]
assert abs(sum(int(n) for _, n in lines) / 1e9 - got['time']) < 1e-6, lines
assert any('sleeper' in stack and 'nanosleep' in stack for stack, _ in lines)
P
    status 0 'as text' "$gait" waits "$work/data"
    for word in 'by reason' 'by thread' 'by stack' 'source: ' 'read (pipe)' locker; do grep -qF "$word" "$work/stdout" || bad "no '$word' in the text"; done
    status 0 'one reason' "$gait" waits --by stack --reason futex --function locker "$work/data"
    grep -q locker "$work/stdout" && ! grep -q 'by reason\|sleeper' "$work/stdout" || bad 'more than the futex of locker'
done

# Two that want one CPU: who loses it was at no line of its own choice, and no lock is to blame.
cpu=$(/usr/bin/python3 -c 'import os; print(min(os.sched_getaffinity(0)))')
spin='import time
def spin(t):
    while time.thread_time() < t:
        pass
spin(0.5)'
taskset -c "$cpu" /usr/bin/python3 -c "${spin/0.5/1.0}" &
other=$!
"$gait" record -q --plain -o "$work/data" -- taskset -c "$cpu" /usr/bin/python3 -c "$spin"
kill $other 2>/dev/null
wait $other 2>/dev/null
"$gait" report "$work/data" | grep -q 'too few CPUs: threads were ready to run but without one for' || bad 'the report does not say that a CPU was wanted'
"$gait" waits --json "$work/data" | /usr/bin/python3 -c '
import json, sys
rows = [r for r in json.load(sys.stdin)["rows"] if r["reason"] == "runnable"]
assert rows and sum(r["time"] for r in rows) > 0.1, rows
assert not any("holder" in r or (r["stack"] and r["stack"][0]["line"]) for r in rows), rows' || bad 'waits for a CPU'

[ -s "$work/holders" ] || bad 'nobody held the lock that locker waited for'

# Without the kernel's events: looks at /proc. Times are those of schedstat, stacks of some waits.
if [ "$(id -u)" = 0 ] && setpriv --reuid=65534 --regid=65534 --clear-groups true 2>/dev/null; then
    chmod 755 "$work" && mkdir -m 777 "$work/theirs"
    looked() {
        setpriv --reuid=65534 --regid=65534 --clear-groups "$gait" record -q -o "$work/theirs/data" -- "$waits" slow >/dev/null || { bad 'record as nobody'; return 1; }
        "$gait" waits --json "$work/theirs/data" >"$work/json" || return 1
        /usr/bin/python3 -B - "$work" <<'P'
import json, sys
got = json.load(open(sys.argv[1] + '/json'))
print(got['sources'], got['time'], got['off_time'])
if not any('looks at /proc' in source for source in got['sources']):
    sys.exit(0)  # everybody may have stacks of waits here
assert 0.2 < got['time'] <= got['off_time'] * 1.01 + 0.01, got['time']
found = {(row['reason'], frame['function']) for row in got['rows'] for frame in row['stack']}
print(sorted(found))
# A few looks at a short program, fewer on a busy machine: not all threads are met in the middle of it.
expected = {('futex', 'main'), ('sleep', 'main'), ('read (pipe)', 'reader'), ('sleep', 'sleeper'), ('futex', 'locker'), ('poll', 'poller')}
assert len(found & expected) >= 3, found
P
    }
    thrice 'waits by /proc' looked
else
    echo 'not root: waits without the kernel are not tried'
fi

# Threads that wait when they are attached to, and go on waiting.
mkfifo "$work/fifo"
"$waits" hold <"$work/fifo" >"$work/held" &
held=$!
exec 9>"$work/fifo"
for _ in $(seq 50); do grep -q ready "$work/held" && break; sleep 0.1; done
# One of them may come back to its wait just when the kernel's events begin: it is looked at again then.
before() {
    status 0 "attach $mode" "$gait" record -q $mode -p $held --duration 0.3 -o "$work/attached"
    "$gait" waits --json --by stack "$work/attached" >"$work/json" || bad "waits of $mode -p"
    /usr/bin/python3 -B - "$work" <<'P'
import json, sys
got = json.load(open(sys.argv[1] + '/json'))
rows = [row for row in got['rows'] if row['reason'] == 'read (pipe)' and any(frame['function'] == 'main' for frame in row['stack'])]
assert rows and rows[0]['time'] > 0.2, got['rows']
P
}
for mode in '' --plain; do before || bad "waits of what waited before, $mode"; done
exec 9>&-
wait $held

# A hundred thousand switches a second. The recording says what it left out, and costs no more than it may. (Of a busy machine's figures the best of three is taken.)
cheap() {
    "$gait" record --overhead 2% -o "$work/many" -- "$pipes" 200000 2>"$work/summary" >/dev/null || { bad 'record pipes'; return 1; }
    over=$(sed -n 's/.*overhead \([0-9.]*\) % as gait.*/\1/p' "$work/summary")
    echo "overhead $over"
    awk -v o="${over:-99}" 'BEGIN { exit !(o < 8) }'
}
thrice 'many switches are cheap' cheap
status 0 'waits of many switches' "$gait" waits "$work/many"
grep -q 'source: .*context switches' "$work/stdout" || bad 'no source of many waits'
"$gait" waits --json "$work/many" >"$work/json" || bad 'waits of many switches as JSON'
/usr/bin/python3 -B - "$work" <<'P' || bad 'many waits'
import json, sys
got = json.load(open(sys.argv[1] + '/json'))
by = {}
for row in got['reasons']:
    by[row['reason']] = by.get(row['reason'], 0) + row['time']
print(got['sources'], got['time'], got['count'], by)
assert by.get('read (pipe)', 0) > 0 and by.get('stack not taken', 0) < 0.5 * got['time'], by
assert abs(got['time'] - got['off_time']) < 0.1 * got['off_time'] + 0.02, (got['time'], got['off_time'])
P

status 0 'exact' "$gait" record -q --exact=counts -o "$work/exact" -- true
status 2 'an exact recording' "$gait" waits "$work/exact"
says 'an exact recording has no waits'
status 2 'no such wait' "$gait" waits --reason nonsense "$work/data"
says 'no wait is left'
status 129 'no such key' "$gait" waits --by colour "$work/data"
status 129 'waits for a compiler' "$gait" export --format bolt --weight wait "$work/data"
says 'for formats of stacks'
status 2 'a flame graph of no waits' "$gait" export --format collapsed --weight wait "$work/exact"
finish
