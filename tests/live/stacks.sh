#!/bin/bash
# Stacks of walks: a program that spends its time by known shares in known contexts, in two threads, deep down, on
# a signal's own stack and on a stack that ends at a hole.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
cd "$work" || exit 1
cat >shares.c <<'C'
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>
static volatile uint64_t sink;
static ucontext_t home, away;
__attribute__((noinline, noclone)) uint64_t spin(uint64_t n) { uint64_t x = sink; for (uint64_t i = 0; i < n; i++) x = x * 3 + i; return sink = x; }
__attribute__((noinline, noclone)) uint64_t left(uint64_t n) { return spin(n) + 1; }
__attribute__((noinline, noclone)) uint64_t right(uint64_t n) { return spin(3 * n) + 2; }
__attribute__((noinline, noclone)) uint64_t deep(uint64_t n, int depth) { volatile char room[200]; room[0] = (char)n; return depth ? deep(n, depth - 1) + (uint64_t)room[0] : left(n) + right(n) + 1; }
__attribute__((noinline, noclone)) void handler(int s) { (void)s; sink += right(100000); }
static void island(void) { for (int i = 0; i < 300; i++) sink += left(100000); swapcontext(&away, &home); }
static void *other(void *none) { for (int i = 0; i < 200; i++) sink += right(100000); return none; }
int main(void)
{
    pthread_t thread;
    for (int i = 0; i < 1000; i++) sink += left(100000) + right(100000);
    pthread_create(&thread, 0, other, 0);
    pthread_join(thread, 0);
    for (int i = 0; i < 150; i++) sink += deep(100000, 600); /* 150 KiB and more */
    stack_t own = {.ss_sp = malloc(65536), .ss_size = 65536};
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
    sigaltstack(&own, 0);
    sigaction(SIGUSR1, &action, 0);
    for (int i = 0; i < 100; i++) raise(SIGUSR1);
    char *hole = mmap(0, 16 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    munmap(hole + 8 * 4096, 4096);
    getcontext(&away);
    away.uc_stack.ss_sp = hole;
    away.uc_stack.ss_size = 8 * 4096;
    makecontext(&away, island, 0);
    swapcontext(&home, &away);
    printf("%lu\n", (unsigned long)sink);
}
C
gcc -g -O2 -o shares shares.c || exit 1
./shares >expected
"$gait" record -q --overhead 20 -o data -- ./shares >got || bad 'record'
cmp -s expected got || bad 'the program printed something else'
"$gait" contexts --flat --json data >flat.json || bad 'contexts'
"$gait" contexts --top-down --unfolded --json data >tree.json || bad 'contexts'
/usr/bin/python3 - flat.json tree.json <<'P' || bad 'contexts are not those of the program'
import json, sys
tree = json.load(open(sys.argv[2]))["rows"]
rows = {row["id"]: row for row in tree}
def path(row):
    names = []
    while row:
        names.insert(0, row["function"])
        row = rows.get(row["parent"])
    return names
def time(*inside):
    """Seconds seen with these as the innermost callers of spin, and how far they may be off."""
    hits = [r for r in tree if r["function"] == "spin" and path(r)[-1 - len(inside):-1] == list(inside)]
    value = sum(r["time"] for r in hits)
    return value, sum((r["time_hi"] - r["time_lo"]) ** 2 for r in hits) ** 0.5
units = {("main", "left"): 1000, ("main", "right"): 3000, ("other", "right"): 600, ("deep", "left"): 150,
         ("deep", "right"): 450, ("handler", "right"): 300, ("island", "left"): 300}
all_units, all_time, wrong = sum(units.values()), time()[0], 0
for inside, unit in units.items():
    value, off = time(*inside)
    expected = all_time * unit / all_units
    print(" > ".join(inside), "%.3f s, expected %.3f" % (value, expected))
    wrong += abs(value - expected) > 1.5 * off + 0.02 * all_time
print("%.3f s in spin of all" % all_time)
deepest = max(len(path(r)) for r in tree)
print("deepest:", deepest)
sys.exit(wrong > 0)
P
"$gait" export --format collapsed data >collapsed || bad 'export'
grep -q ';main;right;spin ' collapsed || { bad 'no callers in what is exported'; head -5 collapsed; }
grep -q ';island;left;spin ' collapsed || bad 'what ran on a stack of its own is not in what is exported'
"$gait" report --tid "$("$gait" info --json data | grep -o '"tid": *[0-9]*' | head -1 | grep -o '[0-9]*$')" --no-pager data >report ||
    bad 'report of a thread'
grep -q total report || { bad 'no totals in the report of a thread'; head report; }
"$gait" report --json data >walked.json || bad 'report'
/usr/bin/python3 - walked.json <<'P' || bad 'totals of functions'
import json, sys
rows = {row["name"]: row for row in json.load(open(sys.argv[1]))["rows"]}
left, right, spin = rows["left"], rows["right"], rows["spin"]
# Two and a half intervals: five deviations.
below, above = (left["total"] + 2.5 * (left[end] - left["total"]) for end in ("total_lo", "total_hi"))
print("below left %.3f s, below right %.3f, expected %.3f and %.3f" % (left["total"], right["total"], spin["total"] / 4, spin["total"] * 3 / 4))
sys.exit(not (below <= spin["total"] / 4 <= above + 0.02 and spin["total"] >= 0.95 * (left["total"] + right["total"])
              and left["total"] > 5 * left["time"]))
P
status 0 'without stacks' "$gait" record -q --events edge,call --overhead 5 -o bare -- ./shares
status 2 'contexts without stacks' "$gait" contexts bare
says 'no stacks'
finish
