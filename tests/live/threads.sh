#!/bin/bash
# Threads that are walked: each weighs the user time that it used, whatever part of its time the kernel had
# and however often it was sampled; views of one thread show its time.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
cd "$work" || exit 1
cat >mixed.c <<'C'
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
static volatile uint64_t sink;
__attribute__((noinline)) uint64_t reckon(uint64_t n) { uint64_t x = 1; for (uint64_t i = 0; i < n; i++) { x = x * 3 + i; if (x & 8) x ^= 5; } return x; }
/* Long system calls: of short ones the kernel counts the way out as user time. */
__attribute__((noinline)) uint64_t ask(uint64_t n) { static char zeros[1 << 17]; int zero = open("/dev/zero", O_RDONLY); uint64_t x = 1; for (uint64_t i = 0; i < n; i++) { x = x * 5 + i; if (i % 30000 == 0) x += (uint64_t)syscall(SYS_read, zero, zeros, sizeof zeros); } return x; }
static void tell(void) { struct rusage u; getrusage(RUSAGE_THREAD, &u); char name[16]; pthread_getname_np(pthread_self(), name, 16); printf("%s %d %ld\n", name, gettid(), u.ru_utime.tv_sec * 1000 + u.ru_utime.tv_usec / 1000); }
static void *reckoner(void *none) { pthread_setname_np(pthread_self(), "reckoner"); sink = reckon(900000000); tell(); return none; }
static void *asker(void *none) { pthread_setname_np(pthread_self(), "asker"); sink = ask(450000000); tell(); return none; }
static void *brief(void *none) { sink = reckon(200000); return none; }
int main(void)
{
    pthread_t threads[2], short_one;
    pthread_create(&threads[0], 0, reckoner, 0);
    pthread_create(&threads[1], 0, asker, 0);
    for (int i = 0; i < 300; i++) { pthread_create(&short_one, 0, brief, 0); pthread_join(short_one, 0); }
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
}
C
cc -O1 -g -o mixed mixed.c -lpthread || { bad 'the program does not compile'; exit 1; }
for trigger in perf cputime; do
    case $trigger:$modes in perf:*plain) ;; perf:*) echo 'perf is refused here' && continue ;; esac
    "$gait" record -q --trigger $trigger -F 1000 -o $trigger.data -- ./mixed >told 2>said || { bad "record with $trigger"; cat said; }
    sort told >sorted
    "$gait" info --json $trigger.data >info.json
    for thread in $(cut -d ' ' -f 2 told); do
        "$gait" report -i $trigger.data --tid "$thread" --json >"thread.$thread"
    done
    "$gait" report -i $trigger.data --json >all.json
    /usr/bin/python3 - <<'P' || { bad "times of threads, $trigger"; cat told; "$gait" info $trigger.data; }
import json
told = {line.split()[0]: (int(line.split()[1]), int(line.split()[2]) / 1000) for line in open("told")}
info = json.load(open("info.json"))
rows = json.load(open("all.json"))["rows"]
# Time of walks that were dropped, since the tool got no CPU, is known of the process, but not of its threads.
dropped = info["losses"].get("dropped", 0) / info["rows"][0]["interrupts"]
wrong = []
def near(what, got, want, part):
    print(f"{what}: {got:.3f} s of {want:.3f}, within {part * want + 0.03:.3f}")
    if abs(got - want) > part * want + 0.03:
        wrong.append(f"{what}: {got:.3f} s, the kernel says {want:.3f}")
# Of a thread's samples five deviations, of the time that they stand for. With the timer there are as many as the kernel has ticks.
samples = info["rows"][0]["interrupts"] / info["rows"][0]["user_time"]
chance = lambda user: 5 / (samples * user) ** 0.5
for name, (tid, user) in told.items():
    time = sum(row["time"] for row in json.load(open(f"thread.{tid}"))["rows"])
    near(f"report --tid of {name}", time, user, chance(user) + dropped)
    near(f"info of {name}", sum(t["user_time"] or 0 for t in info["threads"] if t["tid"] == tid), user, chance(user) + 2 * dropped)
    if name not in [t["name"] for t in info["threads"] if t["tid"] == tid]:
        wrong.append(f"{name} has not its name")
user = info["rows"][0]["whole_user_time"]
near("all rows", sum(row["time"] for row in rows), user, 0.02)
near("what was recorded", info["rows"][0]["user_time"], user, 0.03)
near("ask", sum(row["time"] for row in rows if row["name"] in ("ask", "syscall")), told["asker"][1], chance(told["asker"][1]) + dropped)
print(*wrong, sep="\n", end="\n" if wrong else "")
raise SystemExit(bool(wrong))
P
done
thread=$(cut -d ' ' -f 2 told | head -1)
status 2 'edges of a thread' "$gait" report -i cputime.data --tid "$thread" --by edge
says 'not kept thread by thread'
status 2 'counts of a thread' "$gait" report -i cputime.data --tid "$thread" --weight count
says 'not kept thread by thread'
status 2 'no such thread' "$gait" report -i cputime.data --tid 1
says 'no such thread'
status 2 'counts of a thread, exported' "$gait" export --format collapsed --weight count --tid "$thread" cputime.data
says 'do not tell threads apart'
status 0 'annotate' "$gait" annotate ask -i cputime.data --tid "$(grep asker told | cut -d ' ' -f 2)"
grep -q cpi stdout && bad 'one thread has cycles per instruction, and no instructions'
status 0 'export' "$gait" export --format collapsed --weight time --tid "$(grep asker told | cut -d ' ' -f 2)" cputime.data
grep -q ';reckon' stdout && bad 'the export of one thread has what another did'
grep -q ';ask' stdout || bad 'the export of one thread has not what it did'
finish
