#!/bin/bash
# What a report says of recordings in which little or nothing was seen, and what to type then.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
top=$PWD
cd "$work" || exit 1
cat >spin.c <<'C'
__attribute__((noinline)) unsigned spin(unsigned n, unsigned x)
{
    while (n--)
        x = (x ^ x << 13) * 5;
    return x;
}
int main(void) { return spin(100000000, 1) & 1; }
C
gcc -O1 -g -o spin spin.c || exit 77

# A program that the agent cannot get into.
python3 "$top/tests/live/lib/foreign.py" foreign
"$gait" record -q -o foreign.data -- ./foreign 2>err
"$gait" report foreign.data >out || bad 'report of a program without the agent'
grep -q 'gait record --plain -- ./foreign' out || { bad 'advice does not say --plain'; cat out; }
grep -q 'record for longer' out && bad 'longer would not help'

# A binary that is another one by now: a module is no function.
if "$gait" record -e cpu-clock -q -F 1000 -o spin.data -- ./spin 2>err; then
    "$gait" report spin.data >out
    grep -q 'is in main and its callees' out && bad 'advice to look at main'
    sed -i s/100000000/99999999/ spin.c
    gcc -O2 -o spin spin.c
    "$gait" report spin.data >out || bad 'report of a binary that changed'
    grep -q '^ *[0-9.]*% .* \[spin\] ' out || { bad 'the module is not marked as one'; cat out; }
    grep -q 'spin.*is the hottest function' out && bad 'a module as hottest function'
    grep -q 'is not the build that ran' out || bad 'it does not say that the binary changed'
    "$gait" annotate spin spin.data >out 2>err
    [ $? = 2 ] && grep -q 'is not the build that ran' err || { bad 'annotate does not say that the binary changed'; cat err; }
fi
# A line that waits for memory has most of the time and few of the instructions.
cat >chase.c <<'C'
#include <stdlib.h>
#include <time.h>
enum { N = 1 << 20, MS = CLOCKS_PER_SEC / 1000 };
struct node { struct node *next; long v, pad[6]; };
int main(void)
{
    struct node *a = malloc(N * sizeof *a);
    unsigned *o = malloc(N * sizeof *o), x = 1;
    long s = 0;
    for (unsigned i = 0; i < N; i++) o[i] = i;
    for (unsigned i = N - 1; i > 0; i--) { x ^= x << 13; x ^= x >> 17; x ^= x << 5; unsigned j = x % i, t = o[i]; o[i] = o[j]; o[j] = t; }
    for (unsigned i = 0; i < N; i++) { a[o[i]].next = &a[o[(i + 1) % N]]; a[o[i]].v = i; }
    for (clock_t end = clock() + 500 * MS; clock() < end;) /* parts of the time that no machine changes */
        for (unsigned i = 0; i < 1000000; i++) { x += i ^ 7; __asm__ volatile("" : "+r"(x)); }
    struct node *p = a;
    for (clock_t end = clock() + 1500 * MS; clock() < end;)
        for (int n = 20000; n--;) { s += p->v; p = p->next; } /* misses */
    return (s + x) & 1;
}
C
gcc -O2 -g -o chase chase.c && "$gait" record -q -F 1000 -o chase.data -- ./chase
"$gait" report chase.data >out || bad 'report of a line that waits'
line=$(grep -n 'misses' chase.c | cut -d: -f1)
grep -q "chase.c:$line of main takes .* of user time with .* of the instructions: it waits" out && grep -q 'gait record --events latency -- ./chase' out || { bad 'no word of the line that waits'; cat out; }
"$gait" pipeline chase.data >out || bad 'pipeline of a line that waits'
grep -q "DISAGREE: chase.c:$line (main) took" out || { bad 'the model says nothing of the line that waits'; head -20 out; }
for from in 0 0.2 0.4 0.6; do
    "$gait" report --time $from:"$(awk "BEGIN { print $from + 0.1 }")" chase.data 2>err | grep '±?' && bad "an interval of a part is not known: --time $from"
done
spin_agrees() {
    "$gait" record -q -F 500 -o spin.line -- ./spin # its status is what it reckoned
    ! "$gait" report spin.line | grep ': it waits' && ! "$gait" pipeline spin.line | grep DISAGREE
}
thrice 'a loop that works is said to wait, or the model and the clock do not agree' spin_agrees
"$gait" report --time 0:0.1 spin.line | grep -q 'complete walk' && bad 'all of a loop is walked, also in a part of the run'
# A function of C++ goes by the name that is read, not by a line of what it is linked as; unless another goes by it, too.
cat >names.cc <<'C'
#include <map>
#include <string>
template <class T, class U> struct table { __attribute__((noinline)) static unsigned spin(T n, U x) { while (n--) x = (x ^ x << 13) * 5; return x; } };
int main(int n, char **) { unsigned x = table<unsigned, unsigned>::spin(100000000, 1); if (n > 1) x += table<unsigned, unsigned long>::spin(50000000, 1); return x == 1; }
C
if g++ -O1 -o names names.cc 2>/dev/null; then
    "$gait" record -q --exact=counts -o names.data -- ./names && "$gait" report names.data >out || bad 'names of C++'
    grep -qx ' *gait annotate table::spin -i names.data' out || { bad 'a name that is read'; cat out; }
    "$gait" annotate table::spin -i names.data >out || bad 'a name that is read cannot be typed'
    "$gait" record -q --exact=counts -o names.data -- ./names both && "$gait" report names.data >out || bad 'names of C++'
    grep -qx ' *gait annotate _ZN5tableIjjE4spinEjj -i names.data' out || { bad 'a name of two'; cat out; }
fi
# An event that only the kernel has.
if "$gait" record -q -e context-switches -o switches.data -- sh -c 'for i in 1 2 3 4 5; do sleep 0.01; done' 2>err; then
    "$gait" report switches.data >out || bad 'report of context switches'
    if grep -q ' 0 samples' out; then
        echo 'no context switches were sampled'
    else
        grep -q "gait contexts --kernel -i switches.data" out || { bad 'it does not say where they are'; cat out; }
        grep -q ' 0\.00%' out && bad 'rows without figures'
    fi
fi
finish
