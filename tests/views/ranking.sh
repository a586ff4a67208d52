#!/bin/bash
# gait report by process, thread, module and source file, and by several of these: all CPU time, the program's and the
# kernel's, in one ranking whose shares add up to all of it.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
python3 -c 1 2>/dev/null || skip 'no python3'
case $modes in *plain*) ;; *) skip 'no samples of the kernel here' ;; esac
cd "$work" || exit 1
cat >multi.c <<'C'
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static volatile uint64_t sink;
static double now(clockid_t clock) { struct timespec t; clock_gettime(clock, &t); return (double)t.tv_sec + (double)t.tv_nsec / 1e9; }
__attribute__((noinline)) uint64_t spin(double s) { uint64_t x = 1; for (double end = now(CLOCK_THREAD_CPUTIME_ID) + s; now(CLOCK_THREAD_CPUTIME_ID) < end;) for (int i = 0; i < 100000; i++) { x = x * 3 + (uint64_t)i; if (x & 8) x ^= 5; } return x; }
__attribute__((noinline)) void ask(double s) { static char zeros[1 << 20]; int zero = open("/dev/zero", O_RDONLY); for (double end = now(CLOCK_THREAD_CPUTIME_ID) + s; now(CLOCK_THREAD_CPUTIME_ID) < end;) if (read(zero, zeros, sizeof zeros) < 0) return; close(zero); }
/* The helper runs on the first CPU that is permitted, everything else on the last. */
static cpu_set_t permitted;
static void pin(int last) { cpu_set_t one; int found = -1; for (int i = 0; i < CPU_SETSIZE; i++) if (CPU_ISSET(i, &permitted) && (last || found < 0)) found = i; CPU_ZERO(&one); CPU_SET(found, &one); sched_setaffinity(0, sizeof one, &one); }
static void *helper(void *p) { pin(0); pthread_setname_np(pthread_self(), "helper"); sink += spin(0.3); return p; }
int main(void)
{
    pthread_t thread;
    sched_getaffinity(0, sizeof permitted, &permitted);
    pin(1);
    pthread_create(&thread, 0, helper, 0);
    ask(0.3);
    pthread_join(thread, 0);
    fflush(0);
    if (!fork()) { sink += spin(0.2); _exit(0); }
    wait(0);
    return 0;
}
C
gcc -O1 -g -pthread -o multi multi.c || { bad 'the program does not compile'; finish; }
status 0 'record' "$gait" record -o data -- ./multi
status 0 'plain' "$gait" record --plain -o plain -- ./multi
"$gait" record -q --exact=counts -o exact -- ./multi || bad 'exact'
for by in process thread module source-file process,function thread,module function,line cpu cpu,function; do
    for data in data plain; do
        [ -s $data ] || continue
        "$gait" report --by $by --json $data >"$data.$by.json" || bad "$data by $by as JSON"
        "$gait" report --by $by $data >"$data.$by" || bad "$data by $by"
    done
done
python3 - <<'P' || failures=$((failures + 1))
import json, os, sys
bad = 0
def check(what, ok):
    global bad
    if not ok:
        print('FAILED:', what)
        bad = 1
def near(what, got, want, slack):
    check(f'{what}: {got:.3f} instead of {want:.3f}', abs(got - want) <= slack)
for data in 'data', 'plain':
    if not os.path.exists(data + '.module.json'):
        print(data, 'was not recorded')
        continue
    of = {by: json.load(open(f'{data}.{by}.json')) for by in ('process', 'thread', 'module', 'source-file', 'process,function', 'thread,module', 'function,line', 'cpu', 'cpu,function')}
    user, kernel = of['module']['user_time'], of['module']['kernel_time']
    for by, report in of.items():
        rows = report['rows']
        check(f'{data} by {by}: by is {report["by"]}', report['by'] == by)
        near(f'{data} by {by}: shares', sum(r['share'] for r in rows), 1, 0.001)
        # Times of threads are read as each ends, those of the program at its end; what of them was in the kernel, the
        # kernel itself guesses by its ticks, for each thread and for the program apart.
        used, in_kernel = sum(r['time'] for r in rows), sum(r['kernel_time'] for r in rows)
        if by in ('process', 'thread'):
            near(f'{data} by {by}: time', used + in_kernel, user + kernel, 0.06 * (user + kernel))
        else:
            near(f'{data} by {by}: user time', used, user, 0.02 * (user + kernel))
            near(f'{data} by {by}: kernel time', in_kernel, kernel, 0.02 * (user + kernel))
        check(f'{data} by {by}: not sorted', all(a['share'] >= b['share'] - 1e-9 for a, b in zip(rows, rows[1:])))
        check(f'{data} by {by}: an interval without its value', all(r['share_lo'] <= r['share'] + 1e-9 and r['share'] <= r['share_hi'] + 1e-9 for r in rows if r['share_lo'] is not None))
    # The kernel tells what each thread used; programs here ask for so many seconds of their own CPU time.
    threads = {r['thread'] + (' child' if r['pid'] != of['process']['rows'][0]['pid'] else ''): r for r in of['thread']['rows']}
    check(f'{data}: threads are {sorted(threads)}', sorted(threads) == ['helper', 'multi', 'multi child'])
    if len(threads) == 3:
        near(f'{data}: helper', threads['helper']['time'] + threads['helper']['kernel_time'], 0.3, 0.04)
        near(f'{data}: the child', threads['multi child']['time'] + threads['multi child']['kernel_time'], 0.2, 0.04)
        check(f'{data}: main waits', threads['multi']['off_time'] > 0.15)
    modules = {r['module']: r for r in of['module']['rows']}
    check(f'{data}: the program has kernel time of its own', modules['multi']['kernel_time'] == 0)
    check(f'{data}: not all user time is in the program and its libraries', user - modules['multi']['time'] < 0.2 * user)
    near(f'{data}: all below the program', modules['multi']['total'], user + kernel, 0.2 * (user + kernel))
    spins = [r for r in of['process,function']['rows'] if r['name'] == 'spin']
    check(f'{data}: spin has {len(spins)} rows, one for each process', len(spins) == 2)
    cpus = sorted(os.sched_getaffinity(0))
    first, last = cpus[0], cpus[-1]
    check(f'{data}: CPUs are {[r["cpu"] for r in of["cpu"]["rows"]]}', {r['cpu'] for r in of['cpu']['rows']} <= {first, last})
    on = {(r['cpu'], r['name']): r for r in of['cpu,function']['rows']}
    if first != last:
        # How much is kernel time, some thirty samples of the kernel know; intervals of rows do not have that.
        for cpu, name, want, slack in (first, 'spin', 0.3, 0.08), (last, 'spin', 0.2, 0.08), (last, 'ask', 0.3, 0.17):
            row = on.get((cpu, name)) or {'total_lo': 0, 'total_hi': 0}
            check(f'{data}: {name} on CPU {cpu}: {want} s is not within {row}', row['total_lo'] - slack <= want <= row['total_hi'] + slack)
        check(f'{data}: ask on the first CPU', (first, 'ask') not in on)
    files = {os.path.basename(r['file']): r for r in of['source-file']['rows']}
    check(f'{data}: no row of multi.c', files.get('multi.c', {}).get('time', 0) > 0.5 * user)
sys.exit(bad)
P
# A kernel that was not sampled has its time in a row, of the processes and threads where these are asked for.
status 0 'no samples of the kernel' "$gait" record --no-kernel -o unsampled -- ./multi
for by in function module process,function thread,module cpu,function; do
    "$gait" report --by $by --json unsampled >one.json || bad "unsampled by $by as JSON"
    "$gait" report --by $by unsampled >one || bad "unsampled by $by"
    grep -q '^ *[0-9.]*% .* kernel .*\[kernel\]' one || { bad "unsampled by $by: no row of the kernel"; cat one; }
        [ $by = function ] || python3 - $by <<'P' || failures=$((failures + 1))
import json, sys
report = json.load(open('one.json'))
share, kernel = sum(r['share'] for r in report['rows']), sum(r['kernel_time'] for r in report['rows'])
ok = abs(share - 1) < 0.001 and abs(kernel - report['kernel_time']) < 0.02 * report['user_time'] and kernel > 0.15
ok or print(f'FAILED: unsampled by {sys.argv[1]}: shares {share:.3f}, kernel {kernel:.3f} of {report["kernel_time"]:.3f} s')
sys.exit(not ok)
P
done
# What is sampled in the kernel stands among the rest, and says so.
if grep -q '"kernel_samples": [1-9]' <("$gait" info --json data); then
    grep -q '^ *[0-9.]*% .* kernel  \[kernel\]$' data.module || { bad 'no row of the kernel'; cat data.module; }
    grep -q '^ *[0-9.]*% .* user  *multi$' data.module || { bad 'the program is not said to be user code'; cat data.module; }
fi
# Who calls, and whom: parts of a function's time, which add up to it.
for data in data plain; do
    [ -s $data ] || continue
    "$gait" report --callers-of spin --json $data >callers.json || bad "$data: callers of spin"
    "$gait" report --callees-of main --json $data >callees.json || bad "$data: callees of main"
    "$gait" report --callers-of spin $data >/dev/null || bad "$data: callers of spin as text"
    python3 - $data <<'P' || failures=$((failures + 1))
import json, sys
callers, callees = (json.load(open(f)) for f in ('callers.json', 'callees.json'))
bad = 0
for report in callers, callees:
    total = sum(r['share'] for r in report['rows'])
    if abs(total - 1) > 0.001:
        print(f'{sys.argv[1]}: shares of {report["by"]}s add up to {total}')
        bad = 1
rows = {r['name']: r for r in callers['rows']}
if sorted(rows) != ['helper', 'main'] or not rows['helper']['share_lo'] - 0.1 <= 0.6 <= rows['helper']['share_hi'] + 0.1:
    print(f'{sys.argv[1]}: callers of spin are {rows}, and helper should stand for 60 %')
    bad = 1
rows = {r['name']: r for r in callees['rows']}
if not {'spin', 'ask'} <= set(rows):
    print(f'{sys.argv[1]}: callees of main are {rows}')
    bad = 1
sys.exit(bad)
P
done
# On a terminal of 80 columns no row wraps. (mawk counts bytes, and ± has two.)
for by in process,function function,line thread,module,source-file thread,cpu,function; do
    script -qec "stty cols 80; $gait report --color never --no-pager --by $by data" /dev/null </dev/null >out
    sed -n '/weighed by/,/^not seen/p' out | tr -d '\r' | grep '%' | sed 's/±/+/g' | awk '{ if (length($0) > 80) exit 1 }' || { bad "by $by: a row is wider than 80 columns"; cat out; }
done
# Exact counts have modules and files, and no threads.
"$gait" report --by module --json exact | python3 -c '
import json, sys
report = json.load(sys.stdin)
rows = {r["module"]: r["instructions"] for r in report["rows"]}
sys.exit(abs(sum(r["share"] for r in report["rows"]) - 1) > 1e-6 or not rows["multi"] > 1000000)' || bad 'modules of an exact run'
status 2 'CPUs of an exact run' "$gait" report --by cpu exact
status 2 'threads of an exact run' "$gait" report --by thread exact
# Processes that end before their first sample have their times, too: rows add up to the totals. Context switches tell
# them. Where those cost too much, as while a disk is read (so it is read before), later processes have no rows.
ls -lR /usr/include >/dev/null 2>&1
"$gait" record -q -o short -- sh -c 'for i in 1 2 3 4 5 6; do ls -lR /usr/include >/dev/null 2>&1; done; ls >/dev/null; ls >/dev/null'
if "$gait" info short | grep -q '^waits .*were too many'; then
    echo "times of short processes: not compared, context switches were too many"
else
    "$gait" report --by process --json short
fi | python3 -c '
import json, sys
text = sys.stdin.read()
if not text.startswith("{"):
    print(text, end="")
    sys.exit()
report = json.loads(text)
rows, known = report["rows"], [r for r in report["rows"] if r["pid"]]
cpu = report["user_time"] + report["kernel_time"]
sums = [sum(r["time"] + r["kernel_time"] for r in rows), sum(r["off_time"] for r in rows)]
ok = sums[0] > 0.98 * cpu and sums[1] > 0.98 * report["off_time"] and len(known) >= 9
ok = ok and all(r["time"] + r["kernel_time"] > 0 for r in known)
if not ok: print(cpu, report["off_time"], sums, rows)
sys.exit(not ok)' || bad 'times of short processes'
# What they told until they were too many stays: of a shell that is never sampled, its time before.
cat >turns.c <<'C'
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void)
{
    int there[2], back[2];
    char byte = 0;
    if (pipe(there) || pipe(back))
        return 1;
    int child = fork() == 0;
    for (int i = 0; i < 30000; i++) {
        if (child && (read(there[0], &byte, 1) != 1 || write(back[1], &byte, 1) != 1))
            return 1;
        if (!child && (write(there[1], &byte, 1) != 1 || read(back[0], &byte, 1) != 1))
            return 1;
    }
    return child ? 0 : wait(NULL) < 0;
}
C
gcc -O1 -o turns turns.c || bad 'the program that takes turns does not compile'
# So does it where new threads cost too much, and samples end, too.
cat >forks.c <<'C'
#include <sys/wait.h>
#include <unistd.h>
int main(void) { for (int i = 0; i < 2000; i++) { if (!fork()) _exit(0); wait(0); } return 0; }
C
gcc -O1 -o forks forks.c || bad 'the program that forks does not compile'
# One time in thirty the shell has none, which the loss unsampled_us says.
shell_timed() {
    status 0 "$many" "$gait" record -q -o $many.data -- sh -c "./$many; :"
    "$gait" report --by process --json $many.data | python3 -c '
import json, sys
rows = json.load(sys.stdin)["rows"]
shells = [r["time"] + r["kernel_time"] for r in rows if r["process"] == "sh"]
if len(shells) != 1 or shells[0] <= 0: print(rows)
sys.exit(len(shells) != 1 or shells[0] <= 0)'
}
for many in turns forks; do thrice "$many: the time of a shell before its program was too much" shell_timed; done
status 129 'a key that is none' "$gait" report --by process,nothing data
status 129 'a key twice' "$gait" report --by process,process data
status 129 'no such pair' "$gait" report --by process,edge data
finish
