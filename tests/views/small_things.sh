#!/bin/bash
# Small things that were once wrong to the eye: counts of 0, stars on noise, times of 0.000 s, the same line twice.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
cd "$work" || exit 1
cat >loops.c <<'C'
#include <stdlib.h>
static volatile unsigned sink;
__attribute__((noinline)) unsigned inner(unsigned n) { unsigned s = 0; for (unsigned i = 0; i < n; i++) s += i * i ^ s >> 3; return s; }
__attribute__((noinline)) unsigned outer(unsigned n) { unsigned s = 0; for (unsigned i = 0; i < n; i++) s += inner(i % 100); return s; }
int main(int c, char **v) { unsigned n = c > 1 ? (unsigned)atoi(v[1]) : 1; for (unsigned i = 0; i < n; i++) sink += outer(2000 + (sink & 7)); return 0; }
C
gcc -O1 -g -o loops loops.c || { bad 'the program does not compile'; finish; }

# Loops of an exact recording have iterations: 2000 / 100 times 0 + 1 + ... + 99, about.
"$gait" record -q --exact=counts -o exact.data -- ./loops || bad 'exact'
"$gait" report --by loop --json exact.data >loops.json || bad 'report --by loop'
python3 - <<'P' || failures=$((failures + 1))
import json
rows = {r['function']: r for r in json.load(open('loops.json'))['rows'] if r['function'] in ('inner', 'outer')}
got = rows['inner']['iterations'], rows['outer']['iterations']
if not (98000 <= got[0] <= 101000 and 1990 <= got[1] <= 2010):
    print('FAILED: iterations of inner and outer are', got)
    raise SystemExit(1)
P

# Two recordings of one program: no star on what includes 0, and nothing twice.
"$gait" record -q -o a.data -- ./loops 4000 || bad 'record'
"$gait" record -q -o b.data -- ./loops 4000 || bad 'record'
"$gait" diff a.data b.data >diff || bad 'diff'
python3 - <<'P' || failures=$((failures + 1))
import re
bad = 0
for line in open('diff'):
    m = re.match(r' *([-+][0-9.]+) ms ±([0-9.]+)(.?)', line)
    if m and abs(float(m[1])) < float(m[2]) and '*' in line:
        print('FAILED: a star on noise:', line)
        bad = 1
raise SystemExit(bad)
P
[ "$(grep -c 'kinds\? of loss' diff)" -le 1 ] || { bad 'diff says what was lost twice'; tail -8 diff; }
"$gait" record -q -o x.data -- true && "$gait" record -q -o y.data -- true
"$gait" diff x.data y.data | grep -q 'DIFFERENT PROGRAMS' && bad 'two empty recordings are said to be of different programs'

# Functions without a name say where they are: module and offset, in every view and export, and that can be typed.
cp loops bare && strip bare && "$gait" record -q -o bare.data -- ./bare 4000 || bad 'record of a stripped program'
"$gait" report bare.data | grep -Eq ' bare\+0x[0-9a-f]+ +bare$' || { bad 'report: no bare+0xOFFSET'; "$gait" report bare.data; }
for view in 'contexts' 'contexts --bottom-up' 'contexts --flat' 'export --format collapsed -o -' 'export --format speedscope -o -' 'export --format callgrind -o -' 'report --json' 'contexts --json'; do
    "$gait" $view -i bare.data >shown || bad "$view of a stripped program"
    grep -q 'bare+0x[0-9a-f]' shown && ! grep -q '\[0x' shown || { bad "$view: functions without names are not MODULE+0xOFFSET"; head -12 shown; }
done
one=$("$gait" report --json bare.data | grep -o 'bare+0x[0-9a-f]*' | head -1)
"$gait" annotate "$one" -i bare.data | grep -q "^$one  *[0-9.]*%" || { bad "annotate $one: its head"; "$gait" annotate "$one" -i bare.data | head -5; }

# (One of two samples is half of them, give or take a half: where others have the CPU there may be no more.)
# Where no sample was taken in the kernel, a total has the interval of its samples, not all or nothing.
"$gait" record -q -o brief.data -- sh -c 'i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done' || bad 'record of a short program'
for by in module cpu function,module; do
    "$gait" report --by $by brief.data >shown || bad "report --by $by of a short program"
    grep -E '([0-9.]+)% -\1( |$)' shown | grep -v ' 50\.00% -50\.00' && bad "by $by: an interval from 0 to the value"
done
# record mentions what nothing can be done about only if asked.
"$gait" record -o quiet.data -- ./loops 4000 2>said || bad 'record'
grep -E 'not timed|not walked' said && bad 'record lists losses that nothing can be done about'
# A flat list of one function begins with it, however little of the time is its own.
"$gait" contexts --flat --function outer a.data | awk '/ function$/ { getline; print $NF; exit }' | grep -qx outer || { bad 'contexts --flat --function outer does not begin with outer'; "$gait" contexts --flat --function outer a.data | head -8; }
# One function alone is no ranking.
"$gait" report --function inner a.data | grep -q hottest && bad 'one function that was asked for is called the hottest'

# A format is a word, and the file may follow it.
"$gait" export collapsed a.data >by_word 2>said || { bad 'export collapsed FILE'; cat said; }
"$gait" export --format collapsed a.data | cmp -s - by_word || bad 'export collapsed FILE is not export --format collapsed FILE'

# What perf sampled by a clock has its CPU time.
if perf record -q -e cpu-clock -F 499 -o perf.data ./loops 4000 >said 2>&1; then
    "$gait" import -o imported.data perf.data 2>/dev/null || bad 'import'
    "$gait" info --json imported.data | python3 -c 'import json, sys; row = json.load(sys.stdin)["rows"][0]; sys.exit(not 0.05 < row["user_time"] < 60)' || { bad 'imported samples have no CPU time'; "$gait" info imported.data; }
else
    echo 'perf does not record here: import of its samples is not tested'
fi

# A loop that is entered in two ways, always past its head, has no number of iterations; it is not 0.
cat >entries.c <<'C'
#include <stdio.h>
int main(int argc, char **argv)
{
    (void)argv;
    unsigned x = (unsigned)argc, n = 3000;
    if (argc > 5)
        goto head;
    goto middle;
head:
    x = x * 3 + 1;
    printf("%u", x);
    if (x & 1)
        goto out;
middle:
    for (unsigned i = 0; i < n; i++)
        x ^= x * 5 + i;
    if (argc > 3)
        goto head;
out:
    return (int)(x & 1);
}
C
if gcc -O1 -g -o entries entries.c && "$gait" record -q --exact=counts -o entries.data -- ./entries; then
    "$gait" report --by loop --module entries entries.data >shown || bad 'loops that are entered in two ways'
    grep -E ' 0 +1 +0\.00 +main' shown && bad 'a loop entered past its head is said to have 0 iterations'
    grep -qE ' - +1 +- +main' shown || { bad 'no - for a loop whose head never ran'; cat shown; }
fi
# Of a process that does nothing there is nothing to add up, and no cost to be a share of.
sleep 60 & sleeper=$!
"$gait" record -o sleeper.data -p $sleeper --duration 0.5 2>said || bad 'record of a sleeping process'
kill $sleeper
wait $sleeper 2>/dev/null
grep -q 'no sample: only' said || grep -q '[1-9][0-9]* interrupt' said || bad 'it is not said that there is no sample'
grep -q '^gait: 0 interrupts\|overhead [0-9]\{4,\}\.' said && { bad 'figures of nothing'; cat said; }
"$gait" record -q --exact=counts -o one.data -- true && "$gait" diff --limit 3 one.data one.data | grep -q '1 rows' && bad 'one rows'
# A stub of the PLT is what it leads to, for people; --json and --plt tell them apart.
echo 'int tiny(int x) { return x ^ 1; }' >tiny.c
cat >stubs.c <<'C'
#include <time.h>
int tiny(int x);
static double now(void) { struct timespec t; clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); return (double)t.tv_sec + (double)t.tv_nsec / 1e9; }
int main(void)
{
    int x = 0;
    for (double end = now() + 0.5; now() < end;)
        for (int i = 0; i < 1000000; i++)
            x = tiny(x);
    return x >> 1;
}
C
if gcc -O1 -g -shared -fPIC -o libtiny.so tiny.c && gcc -O1 -g -fcf-protection=none -o stubs stubs.c -L. -ltiny -Wl,-rpath,. -Wl,-z,lazy; then
    "$gait" record -q -F 999 -o stubs.data -- ./stubs || bad 'record of stubs'
    "$gait" report --plt stubs.data | grep -q 'tiny@plt' || bad 'the program has no stub'
    for view in contexts 'contexts --bottom-up' 'report --callees-of main' 'report --callers-of tiny' report; do
        "$gait" $view -i stubs.data >shown || bad "$view of stubs"
        grep -q 'tiny@plt' shown && { bad "$view: a stub is a function"; grep tiny shown; }
    done
    "$gait" contexts --json stubs.data | grep -q 'tiny@plt' || bad 'contexts --json: no stub'
    "$gait" report --callees-of main stubs.data | grep -q '[0-9]%.* tiny ' || bad 'main does not call tiny'
fi
finish
