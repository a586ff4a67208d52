#!/bin/bash
# The report as it is first met: user and kernel in one ranking, what to look at before the rows, what mostly runs in the
# kernel or waits is told so in the first line, and no row is wider than a terminal.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
python3 -c 1 2>/dev/null || skip 'no python3'
cd "$work" || exit 1
cat >loads.c <<'C'
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
static volatile uint64_t sink;
static double now(void) { struct timespec t; clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); return (double)t.tv_sec + (double)t.tv_nsec / 1e9; }
#define NAME(x) x##_of_which_the_name_is_rather_longer_than_what_a_terminal_has_room_for
__attribute__((noinline)) uint64_t NAME(reckon)(double s) { uint64_t x = 1; for (double end = now() + s; now() < end;) for (int i = 0; i < 100000; i++) { x = x * 3 + (uint64_t)i; if (x & 8) x ^= 5; } return x; }
__attribute__((noinline)) void ask(double s) { static char zeros[1 << 20]; int zero = open("/dev/zero", O_RDONLY); for (double end = now() + s; now() < end;) if (read(zero, zeros, sizeof zeros) < 0) return; close(zero); }
int main(int argc, char **argv)
{
    sink = NAME(reckon)(atof(argv[1]));
    ask(atof(argv[2]));
    usleep((useconds_t)(atof(argv[3]) * 1e6));
    return argc == 0;
}
C
gcc -O1 -g -o loads loads.c || { bad 'the program does not compile'; finish; }
"$gait" record -q -o user -- ./loads 0.8 0.2 0 || bad 'record'
"$gait" record -q -o kernel -- ./loads 0.2 0.8 0 || bad 'record'
# Off the CPU for long beyond doubt, also where others have the CPU meanwhile.
"$gait" record -q -o waits -- ./loads 0.1 0.1 3 || bad 'record'
for name in user kernel waits; do
    "$gait" report $name >$name.out || bad "report of $name"
    "$gait" report --json $name >$name.json || bad "report of $name as JSON"
done
grep -q '^This program mostly' user.out && ! grep -q 'mostly waits' user.out && { bad 'a program that reckons is said to do something else'; head -5 user.out; }
head -1 waits.out | grep -q '^This program mostly waits' || { bad 'the first line does not say that it waits'; head -5 waits.out; }
sampled=$(grep -c '"kernel_rows"' kernel.json)
if [ "$sampled" = 1 ]; then
    grep -q '^This program mostly runs in the kernel: [5-9][0-9] %' <(head -3 kernel.out) || { bad 'the first lines do not say that it is in the kernel'; head -5 kernel.out; }
    awk '$0 ~ /^ *self /{rows=1; next} rows && /%/{print; exit}' kernel.out | grep -q ' kernel  ' || { bad 'the first row is not of the kernel'; cat kernel.out; }
else
    echo 'no samples of the kernel here: not all is tested'
fi
# Threads that wait for work do not make a program wait whose first thread works, also where it seldom has a CPU.
cat >idle.c <<'C'
#include <pthread.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>
static void *rest(void *none) { pause(); return none; }
static double now(void) { struct timespec t; clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t); return (double)t.tv_sec + (double)t.tv_nsec / 1e9; }
int main(int argc, char **argv)
{
    pthread_t thread;
    (void)argv;
    for (int i = 0; argc > 1 && i < 8; i++)
        pthread_create(&thread, NULL, rest, NULL);
    volatile uint64_t x = 0;
    for (double end = now() + (argc > 1 ? 0.3 : 60); now() < end;)
        for (int i = 0; i < 100000; i++)
            x += (uint64_t)i;
    return 0;
}
C
gcc -O1 -g -pthread -o idle idle.c || { bad 'the program does not compile'; finish; }
cpu=$(python3 -c 'import os; print(min(os.sched_getaffinity(0)))')
others=
for _ in 1 2 3 4 5; do taskset -c "$cpu" ./idle & others="$others $!"; done
"$gait" record -q -o idle.data -- taskset -c "$cpu" ./idle threads || bad 'record of idle threads'
kill $others
wait $others 2>/dev/null
"$gait" report idle.data >idle.out
grep -q 'mostly waits' idle.out && { bad 'threads that wait for work make the program wait'; head -5 idle.out; }
# Nor does one whose work goes from thread to thread, so that each of them waits: there is always one that works.
cat >passed.c <<'C'
#include <pthread.h>
#include <stdint.h>
enum { THREADS = 8, TURNS = 60 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t passed = PTHREAD_COND_INITIALIZER;
static int turn;
static volatile uint64_t x;
static void *take_turns(void *me)
{
    for (int n = 0; n < TURNS / THREADS * 2; n++) {
        pthread_mutex_lock(&lock);
        while (turn % THREADS != (int)(intptr_t)me)
            pthread_cond_wait(&passed, &lock);
        pthread_mutex_unlock(&lock);
        for (int i = 0; i < 10000000; i++)
            x += (uint64_t)i;
        pthread_mutex_lock(&lock);
        turn++;
        pthread_cond_broadcast(&passed);
        pthread_mutex_unlock(&lock);
    }
    return 0;
}
int main(void)
{
    pthread_t threads[THREADS];
    for (intptr_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], 0, take_turns, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], 0);
    return 0;
}
C
gcc -O1 -g -pthread -o passed passed.c || { bad 'the program does not compile'; finish; }
"$gait" record -q -o passed.data -- ./passed || bad 'record of work that is passed on'
"$gait" report passed.data >passed.out
grep -q 'mostly waits' passed.out && { bad 'work that is passed on makes the program wait'; head -5 passed.out; }
# What is said to be typed can be typed.
sed -n 's/^      gait \(.*\)/\1/p' user.out kernel.out waits.out | sort -u >commands
[ -s commands ] || bad 'no command to type'
while read -r line; do
    case $line in record*) continue ;; esac
    eval "'$gait' $line" >said 2>&1 || { bad "gait $line"; cat said; }
done <commands
# Advice comes before the rows; the rest behind them.
for name in user kernel; do
    [ "$(grep -n 'what to look at first' $name.out | cut -d: -f1)" -lt "$(grep -n '^ *self ' $name.out | cut -d: -f1)" ] || { bad 'advice does not come first'; cat $name.out; }
done
python3 - "$sampled" <<'P' || failures=$((failures + 1))
import json, re, sys
bad = 0
for name in 'user', 'kernel':
    report = json.load(open(name + '.json'))
    user, kernel = report['user_time'], report['kernel_time']
    rows = sum(r['time'] for r in report['rows'] if r['time'])
    if abs(rows - user) > 0.02 * (user + kernel):
        print(f'{name}: rows of user time have {rows} of {user} s')
        bad = 1
    if not any(r.get('name', '').startswith('reckon') for r in report['rows']) or any('kernel_total' in r for r in report['rows']):
        print(f'{name}: rows are not those of the program')
        bad = 1
    if sys.argv[1] == '1':
        rows = sum(r['kernel_time'] for r in report['kernel_rows'])
        if abs(rows - kernel) > 0.02 * (user + kernel):
            print(f'{name}: rows of the kernel have {rows} of {kernel} s')
            bad = 1
P
"$gait" report --limit 100000 user | awk '$0 ~ /^ *self /{rows=1; next} rows && $1 ~ /%$/{sum += $1} END{exit !(sum > 99 && sum < 101)}' || { bad 'shares do not add up to all CPU time'; cat user.out; }
# Counts that are hardly known are for those who ask.
grep -q ' +>999%' user.out && bad 'a count that is not known is shown'
"$gait" report -v user | grep -q '^ *self .*instructions .*entries' || bad '-v does not show counts'
"$gait" report --weight time user | grep -q '^ *self .*instructions .*entries' || bad '--weight does not show counts'
# No row is wider than the terminal, whatever the rows are.
for by in function line inline block edge instruction call loop module; do
    script -qec "stty cols 80; $gait report --color never --no-pager --by $by user" /dev/null </dev/null | tr -d '\r' | sed 's/±/+/g; s/[▁▂▃▄▅▆▇█]/#/g' >out
    awk '/weighed by/{rows=1; next} /^not seen|^functions without|^how far/{rows=0} rows && length($0) > 80 && !/^\(|^[0-9]+ passages|more jumps/' out >wide
    [ ! -s wide ] || { bad "by $by: rows are wider than 80 columns"; cat wide; }
done
for form in --top-down --bottom-up --flat --kernel; do
    script -qec "stty cols 80; $gait contexts --color never --no-pager $form user" /dev/null </dev/null | tr -d '\r' | sed 's/±/+/g' >out
    awk '/weighed by/{rows=1; next} /^[0-9]+ contexts|^kernel time|^all of|^not seen|^\(/{rows=0} rows && length($0) > 80' out >wide
    [ ! -s wide ] || { bad "contexts $form: rows are wider than 80 columns"; cat wide; }
done
# Nor is anything else that people read first.
for words in "compare --by function user user" --help "report --help" "compare --help"; do
    script -qec "stty cols 80; $gait $words" /dev/null </dev/null | tr -d '\r' | sed 's/±/+/g; s/.*\x1b\[K//; s/\x1b\[[0-9;]*m//g' | awk 'length($0) > 80' >wide
    [ ! -s wide ] || { bad "gait $words: lines are wider than 80 columns"; cat wide; }
done
script -qec "stty cols 72; $gait waits --color never --no-pager waits" /dev/null </dev/null | tr -d '\r' >out
sed -n '/^by reason/,/^$/p; /^by thread/,/^$/p' out | grep -v '^by \|^$' | grep -v '%\|^ *time .*share' >wrapped
{ [ ! -s wrapped ] && grep -q '^by reason' out; } || { bad 'waits: rows are wrapped'; cat out; }
# Losses that nobody can do anything about are for those who ask, too.
"$gait" report user | grep -q 'interrupt in the kernel' && bad 'interrupts in the kernel are a loss'
if grep -q '"kernel": [1-9]' user.json; then
    "$gait" report -v user | grep -q 'interrupt in the kernel' || bad '-v does not list all losses'
fi
finish
