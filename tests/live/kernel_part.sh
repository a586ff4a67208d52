#!/bin/bash
# A sampled recording has the kernel's samples beside the agent's: kernel time, processes without the agent, time off
# the CPU. Nothing is counted twice, and where the kernel refuses, the recording is as it was without.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
sealed=$(program sealed)
"$gait" record -q -e cpu-clock -o "$work/granted" -- true 2>"$work/stderr" || skip "no samples of the kernel here: $(head -1 "$work/stderr")"
"$gait" info "$work/granted" | grep -q "kernel's part is not sampled" && skip 'kernel code may not be sampled here'
python3 -c 1 2>/dev/null || skip 'no python3'
cd "$work" || exit 1
cat >both.c <<'C'
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <time.h>
static volatile uint64_t sink;
static double now(void) { struct timespec t; clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); return (double)t.tv_sec + (double)t.tv_nsec / 1e9; }
__attribute__((noinline)) uint64_t reckon(double s) { uint64_t x = 1; for (double end = now() + s; now() < end;) for (int i = 0; i < 100000; i++) { x = x * 3 + (uint64_t)i; if (x & 8) x ^= 5; } return x; }
/* Long calls: little but the kernel. */
__attribute__((noinline)) void ask(double s) { static char zeros[1 << 20]; int zero = open("/dev/zero", O_RDONLY); for (double end = now() + s; now() < end;) if (read(zero, zeros, sizeof zeros) < 0) return; close(zero); }
__attribute__((noinline)) void rest(int ms) { usleep((useconds_t)ms * 1000); }
/* both SECONDS [CHILD]: without a child it only reckons. */
int main(int argc, char **argv)
{
    double s = atof(argv[1]);
    sink = reckon(s);
    if (argc < 3) return 0;
    ask(s);
    rest(400);
    if (!fork()) { execl(argv[2], argv[2], argv[1], (char *)0); _exit(1); }
    wait(0);
    struct rusage own, others;
    getrusage(RUSAGE_SELF, &own);
    getrusage(RUSAGE_CHILDREN, &others);
    printf("%.3f %.3f\n", (double)(own.ru_utime.tv_sec + others.ru_utime.tv_sec) + (double)(own.ru_utime.tv_usec + others.ru_utime.tv_usec) / 1e6,
           (double)(own.ru_stime.tv_sec + others.ru_stime.tv_sec) + (double)(own.ru_stime.tv_usec + others.ru_stime.tv_usec) / 1e6);
    return 7;
}
C
gcc -O1 -g -o both both.c || { bad 'the program does not compile'; finish; }
gcc -O1 -g -static -Dreckon=reckon_bare -o bare both.c 2>/dev/null || skip 'no static libc to link with'

status 7 'with the kernel' "$gait" record -v -o data -- ./both 0.8 ./bare
says 'samples of the kernel: '
read -r user kernel <stdout
"$gait" info --json data >info.json
"$gait" report --json data >report.json
"$gait" report --json --module '[kernel]' data >kernel.json
"$gait" contexts --json --kernel data >contexts.json
"$gait" contexts --json --flat --cpu-time --no-inline data >both.json
"$gait" export --format collapsed data >collapsed 2>/dev/null
readable data
python3 - "$user" "$kernel" <<'P' || failures=$((failures + 1))
import json, sys
user, kernel = map(float, sys.argv[1:])
info, report, kern = (json.load(open(n + '.json')) for n in ('info', 'report', 'kernel'))
bad = 0
def check(what, ok):
    global bad
    if not ok:
        print('FAILED:', what)
        bad = 1
def near(what, got, want, slack):
    check(f'{what}: {got:.3f} instead of {want:.3f}', abs(got - want) <= slack)
totals = info['rows'][0] if 'rows' in info else info
near('all CPU time', report['user_time'] + report['kernel_time'], user + kernel, 0.05 * (user + kernel))
near('user time', report['user_time'], user, 0.06 * (user + kernel))
check(f"time off the CPU {report['off_time']:.3f}: at least the 0.4 s of sleep and the parent's wait of 0.8 s", report['off_time'] > 1.1)
rows = {r['linkage']: r for r in report['rows']}
# Of 1.6 s of user time in two functions, the agent sampled one and the kernel alone the other.
for name, seconds in ('reckon', 0.8), ('reckon_bare', 0.8):
    row = rows.get(name)
    check(f'{name} has no row', row)
    if row:
        near(name, row['time'], seconds, max(0.15 * seconds, 1.5 * (row['time_hi'] - row['time'])))
        check(f"{name}: interval {row['time_lo']:.3f} to {row['time_hi']:.3f}", row['time_lo'] <= row['time'] <= row['time_hi'])
if 'reckon_bare' in rows:
    check('code that was not walked has counts', not rows['reckon_bare']['count'])
near('user rows add up', sum(r['time'] for r in report['rows']), report['user_time'], 0.02 * report['user_time'])
near('kernel rows add up', sum(r['time'] for r in kern['rows']), report['kernel_time'], 0.02 * report['kernel_time'])
check('ask has no kernel time', rows.get('ask', {}).get('kernel_time', 0) > 0.4)
# Flame graphs have both, in nanoseconds.
sums = {True: 0, False: 0}
for line in open('collapsed'):
    stack, n = line.rsplit(' ', 1)
    sums['_[k]' in stack.split(';')[-1]] += int(n) / 1e9
near('collapsed user time', sums[False], report['user_time'], 0.02 * report['user_time'])
near('collapsed kernel time', sums[True], report['kernel_time'], 0.02 * report['kernel_time'])
# Contexts of both user and kernel time have the shares of the report.
both = json.load(open('both.json'))
near('contexts of both add up', both['selected']['time'], report['user_time'] + report['kernel_time'], 0.01)
totals = {r['address']: r for r in both['rows'] if 'address' in r}
for r in report['rows'] + report['kernel_rows']:
    if r['total_share'] and r['total_share'] > 0.02 and r['address'] in totals:
        near(f"{r['linkage']} with callees", totals[r['address']]['time'] / both['selected']['time'], r['total_share'], 0.002)
        near(f"{r['linkage']} itself", totals[r['address']]['metrics']['self_time'] / both['selected']['time'], r['share'], 0.005)
check('rows of both were compared', rows['main']['address'] in totals and any(r['address'] in totals for r in report['kernel_rows']))
contexts = json.load(open('contexts.json'))
check('no context of the kernel has a caller in the program', any(r['kernel'] for r in contexts['rows']) and any(r['linkage'] == 'main' for r in contexts['rows']))
sys.exit(bad)
P
"$gait" info data | grep -q '^agentless .* bare' || bad 'the process without the agent is not named'
"$gait" merge -q -o sum data data && readable sum
"$gait" report --module '[kernel]' sum >/dev/null || bad 'a merged profile has no kernel'
"$gait" diff data sum >/dev/null || bad 'diff of such profiles'

# No process with the agent: there is something to look at all the same.
cp bare setgid && chmod g+s setgid
status 0 'no agent at all' "$gait" record -o alone -- ./setgid 0.3
says 'only samples of the kernel were recorded'
says 'next: gait report'
readable alone
"$gait" report alone | grep -q 'reckon_bare' || bad 'a program without the agent has no row'

# Without: as the agent alone sees it.
status 7 'without the kernel' "$gait" record -v --no-kernel -o none -- ./both 0.1 ./bare
grep -q 'samples of the kernel' stderr && bad '--no-kernel has samples of the kernel'
"$gait" info none | grep -q '\[kernel\]' && bad '--no-kernel has a module of the kernel'
status 125 'plain has nothing to leave out' "$gait" record --plain --no-kernel -o none -- true

# Refused: said, and nothing else.
status 7 'refused' "$sealed" 1 298 -- "$gait" record -v -o refused -- ./both 0.2 ./bare
says "no samples of the kernel beside the agent's: perf_event_open"
"$gait" info refused | grep -q '^refused ' || bad 'the refusal is not in the profile'
readable refused
"$gait" contexts --flat --cpu-time refused | grep -q '\[kernel\]$' || bad 'a kernel that was not sampled is no context'
status 129 'both of one' "$gait" contexts --cpu-time --kernel data
"$gait" report refused | grep -q reckon || bad 'nothing was recorded where the kernel refuses'
# The perf clock was asked for and is refused: the timer takes its place, and the summary says so.
for errno in 1 38; do
    status 7 'perf clock refused' "$sealed" $errno 298 -- "$gait" record --trigger perf -F 200 -o timed -- ./both 0.2 ./bare
    says 'trigger: CPU-time timer, on average every'
    says 'the perf clock was refused: '
    "$gait" report timed | grep -q reckon || bad 'nothing was recorded where the perf clock is refused'
done
status 7 'no trigger' "$sealed" 1 298 222 -- "$gait" record --trigger perf -o none -- ./both 0.1 ./bare
says 'trigger: none, the CPU-time timer was refused'
says '--exact=counts needs none'

# Two processes that do nothing but wait for each other: switches are not asked for long, but kernel time is sampled to the end.
cat >turns.c <<'C'
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return (double)t.tv_sec + (double)t.tv_nsec / 1e9; }
/* turns SECONDS: not so many turns: one takes 4 us or 100, as the machine is, and the tool looks now and then. */
int main(int argc, char **argv)
{
    double end = now() + atof(argv[argc - 1]);
    int a[2], b[2];
    char x = 0;
    if (pipe(a) || pipe(b)) return 1;
    if (!fork()) { close(a[1]); while (read(a[0], &x, 1) == 1 && write(b[1], &x, 1) == 1); _exit(0); }
    while (now() < end && write(a[1], &x, 1) == 1 && read(b[0], &x, 1) == 1);
    close(a[1]);
    wait(0);
    return 7;
}
C
gcc -O1 -g -o turns turns.c || bad 'the program does not compile'
status 7 'many switches' "$gait" record -v -o turns.data -- ./turns 2
readable turns.data
"$gait" waits turns.data >waits.out 2>&1
grep -q 'context switches were too many after' waits.out || { bad 'many switches: they were asked for to the end'; head -5 waits.out; }
"$gait" info --json turns.data >info.json
"$gait" report --json --module '[kernel]' turns.data >rows.json
python3 - <<'P' || bad 'many switches: kernel time is not sampled to the end'
import json
total, rows = json.load(open('info.json'))['rows'][0], json.load(open('rows.json'))['rows']
cpu = total['user_time'] + total['kernel_time']
print(cpu, total['kernel_time'], total['kernel_samples'], len(rows))
# 49 a CPU second where nobody takes CPUs away; before, those of the first tenth of a second.
raise SystemExit(not (cpu < 0.2 or total['kernel_samples'] > 12 * cpu)) # a machine so busy knows nothing
P
status 7 'many switches, whatever they cost' "$gait" record -v -F 100 -o turns.data -- ./turns 0.6
grep -q 'cost too much' stderr && bad 'with -F the kernel is not asked any more'
"$gait" info --json turns.data >info.json
python3 - <<'P' || bad 'time off the CPU of processes that take turns'
import json
total = json.load(open('info.json'))['rows'][0]
print(total['user_time'] + total['kernel_time'], total['off_time'])
raise SystemExit(not total['off_time'] > 0.3 * (total['user_time'] + total['kernel_time']))
P

# A recording with --names, as any that was long enough, names the kernel's functions itself, so another machine, or this one later, can.
status 7 'with all names' "$gait" record -q --names -o long.data -- ./both 0.8 ./bare
cat >other <<O
mount --bind /dev/null /proc/kallsyms && "$gait" report --json --module '[kernel]' long.data >long.json
O
if unshare -m true 2>/dev/null; then
    unshare -m sh other || bad 'report of a recording with all names without /proc/kallsyms'
    python3 - <<'P' || bad 'a recording with all names does not name what ran in the kernel'
import json
report = json.load(open('long.json'))
named = sum(row['time'] for row in report['rows'] if row['name'] and not row['name'].startswith('[kernel]'))
print(f'{named:.2f} of {report["kernel_time"]:.2f} s in the kernel have names, of {report["user_time"]:.2f} s of user time')
raise SystemExit(not named > 0.9 * report['kernel_time'])
P
fi

# Running processes.
grep -q '^Seccomp:.*2$' /proc/self/status && echo 'nothing can be attached to where system calls are filtered' && finish
./both 0.3 ./bare >/dev/null &
victim=$!
until [ "$(readlink /proc/$victim/exe)" != "$(readlink /proc/$$/exe)" ]; do :; done # not the shell before its exec
status 0 'of a running process' "$gait" record -v -p $victim -o running
wait $victim
grep -q 'attach' stderr && skip "cannot attach here: $(head -1 stderr)"
says 'samples of the kernel: '
readable running
"$gait" info --json running | grep -q '"kernel_samples": 0' && bad 'no sample of the kernel of a running process'
finish
