#!/bin/bash
# A profile of one build as a profile of another: counts are held to an exact run of the new build.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
cd "$work" || exit 1
command -v gcc >/dev/null || skip 'no gcc'

cat >prog.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef NEW
/* What was not there before moves everything behind it. */
__attribute__((noinline)) int fresh(int x) { for (int i = 0; i < 3; i++) x = x * 31 + i; return x; }
#endif
__attribute__((noinline)) static unsigned step(unsigned x, int n)
{
    for (int i = 0; i < n; i++) {
        if (x & 1) x = x * 3 + 1; else x /= 2;
#ifdef NEW
        if (x == 0x7fffffff) abort();
#endif
        if (x % 7 == 0) x ^= 0x55;
    }
    return x;
}
__attribute__((noinline)) static unsigned turn(unsigned x)
{
    switch (x % 11) {
    case 0: return step(x, 3);
    case 1: return x + 9;
    case 2: return x ^ 0x1234;
    case 3: return x * 5;
    case 4: return step(x + 1, 5);
    case 5: return x - 77;
    case 6: return x >> 2;
    case 7: return x << 1;
#ifdef NEW
    case 8: return fresh((int)x);
#endif
    default: return x + 1;
    }
}
__attribute__((noinline)) static unsigned gone_or_renamed(unsigned x)
{
    for (int i = 0; i < 10; i++) x += x >> 3;
    return x;
}
static int order(const void *a, const void *b)
{
    unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
    return x < y ? -1 : x > y;
}
int main(int argc, char **argv)
{
    static unsigned all[5000];
    unsigned x = 1;
    for (int times = argc > 1 ? atoi(argv[1]) : 1; times > 0; times--) {
        for (int i = 0; i < 5000; i++) all[i] = x = turn(x) + (unsigned)i;
        qsort(all, 5000, sizeof *all, order);
        for (int i = 0; i < 5000; i++) x ^= gone_or_renamed(all[i]);
    }
    printf("%u\n", x);
    return 0;
}
C
mkdir old new moved same
build() { gcc -O2 -g "${@:2}" -o "$1/prog" prog.c -Wl,-q; }
build old
build same -Wl,--build-id=0x1234 && build moved -fno-toplevel-reorder -falign-functions=64 -Wl,--build-id=0x5678
build new -DNEW || skip 'gcc cannot build'
build_id() { readelf -n "$1" | sed -n 's/.*Build ID: //p'; }

"$gait" record -q --exact=counts --no-names -o old.data -- "$PWD/old/prog" >/dev/null || bad 'record'
"$gait" record -q --exact=counts -o moved.true -- "$PWD/moved/prog" >/dev/null
"$gait" record -q --exact=counts -o new.true -- "$PWD/new/prog" >/dev/null
overlap() { "$gait" compare --json --raw --module prog --by "$3" "$1" "$2" | sed -n 's/.*"overlap": *\([0-9.]*\).*/\1/p' | head -1; }
# at_least WHAT BAR GOT
at_least() { awk -v bar="$2" -v got="${3:-0}" 'BEGIN { exit !(got >= bar) }' || bad "$1: expected $2 at least, got '$3'"; }

# The same code elsewhere: to the last execution. A block is carried as a whole, and _start does not come back from its only call.
status 0 'code that moved' "$gait" carry --binary moved/prog -o moved.data old.data
says "build-id $(build_id old/prog), not 5678"
says '100.0 % of what'
for by in function block edge; do at_least "code that moved, by $by" 0.99999 "$(overlap moved.true moved.data $by)"; done
rows() { "$gait" report --by block --json --raw --module prog "$1" | tr '{' '\n' | grep '"address"'; }
rows moved.data >rows
rows moved.true >true_rows
[ -s rows ] && cmp -s rows true_rows || bad 'code that moved: blocks have other counts'

# Code that changed: what is new is in between, and has what flow brings there.
status 0 'code that changed' "$gait" carry --binary new/prog -o new.data old.data
for by in function block edge; do at_least "code that changed, by $by" 0.93 "$(overlap new.true new.data $by)"; done
readable new.data
"$gait" info new.data | grep -q " $PWD/new/prog " || bad 'where the new build lies depends on the folder'
for view in info report; do
    "$gait" $view new.data | grep -q "carried.* prog, from build $(build_id old/prog) to $(build_id new/prog): [0-9.]* % found again" || bad "$view does not say that it was carried"
done

# Code of which no instruction is what it was: source lines tell, as long as both builds have them.
cat >typed.c <<'C'
#include <stdio.h>
#ifdef NEW
/* Other instructions for every line, and all of them elsewhere. */
typedef double num;
#else
typedef int num;
#endif
__attribute__((noinline)) static num work(const num *all, int n)
{
    num sum = 0;
    for (int i = 0; i < n; i++) {
        if (all[i] > 30)
            sum += all[i] * 2;
        else if (all[i] > 10)
            sum -= all[i] / 3;
        else if (all[i] == 7)
            sum += 70 / (all[i] + 1);
        if (sum > 1000)
            sum -= 990 + all[n - i - 1];
        if (sum < -1000)
            sum = all[i] + all[0] * sum / 4;
    }
    return sum;
}
int main(void)
{
    static num all[1000];
    unsigned x = 1;
    num sum = 0;
    for (int times = 0; times < 20; times++) {
        for (int i = 0; i < 1000; i++)
            all[i] = (num)((x = x * 1103515245 + 12345) >> 16) / 1000;
        sum += work(all, 1000);
    }
    printf("%d\n", sum > 0);
    return 0;
}
C
mkdir typed_old typed_new typed_bare
gcc -O2 -g -o typed_old/typed typed.c && gcc -O2 -g -DNEW -o typed_new/typed typed.c && objcopy -g typed_new/typed typed_bare/typed
for build in old new bare; do "$gait" record -q --exact=counts -o typed.$build -- "$PWD/typed_$build/typed" >/dev/null; done
# typed_overlap BUILD: of edges of its program, carried over from the old one
typed_overlap() {
    "$gait" carry -q --binary "typed_$1/typed" -o typed.carried typed.old
    "$gait" compare --json --raw --module typed --by edge "typed.$1" typed.carried | sed -n 's/.*"overlap": *\([0-9.]*\).*/\1/p' | head -1
}
with=$(typed_overlap new) without=$(typed_overlap bare)
at_least 'lines' 0.85 "$with"
awk -v with="$with" -v without="$without" 'BEGIN { exit !(with > without + 0.1) }' || bad "lines: $with with them, $without without"

# What was sampled is carried as well as what was counted.
"$gait" record -q -F 2000 -o sampled.data -- "$PWD/old/prog" 1500 >/dev/null
status 0 'samples' "$gait" carry --binary new/prog -o sampled.new sampled.data
at_least 'samples' 0.75 "$(overlap new.true sampled.new edge)"
readable sampled.new
# When it was sampled, too: all of the run is in the same functions as without --time, and fresh never ran. A new function moved all others.
spent() { "$gait" contexts --json "$@" sampled.new | grep -oE '"(function|address)": "[^"]*"|"time": [0-9.]*|"self_time": [0-9.]*'; }
spent >all
spent --time 0:100000 >part
grep -q '"function": "\(step\|turn\|main\)"' all && cmp -s all part || { bad 'samples by time: other functions'; diff all part | head -n 8 | sed 's/^/    | /'; }
grep -q '"fresh"' part && bad 'samples by time: a function that never ran'
# Names of the old build are not names of the new one's addresses.
mv new/prog new/away
"$gait" report --limit 20 sampled.new 2>&1 | grep -wE 'step|turn|order|gone_or_renamed' && bad 'names of the old build'
mv new/away new/prog
# Values, numbers of paths and windows are the old code's.
"$gait" record -q -F 2000 --events edge,call,value,latency,stack -o valued.data -- "$PWD/old/prog" 300 >/dev/null
status 0 'values' "$gait" carry --binary new/prog -o valued.new valued.data
says 'left out: values of the old build'
values_of() { "$gait" values --json "$1" | grep -c '^{"address": "prog+0x'; }
[ "$(values_of valued.data)" -gt 0 ] || bad 'no values of the old build: nothing is tested'
same 'values of the new build' 0 "$(values_of valued.new)"
"$gait" info valued.new | grep -q '^carried_without *values' || bad 'info does not say that values are not carried'

# Exports are about the new build.
status 0 'an export' "$gait" export --format bolt --binary new/prog -o new.fdata old.data
says "build-id $(build_id old/prog), not $(build_id new/prog)"
"$gait" export -q --format bolt --module prog -o again.fdata new.data
cmp -s new.fdata again.fdata || bad 'an export is not that of the carried profile'
[ -s new.fdata ] || bad 'an export is empty'
for format in llvm-raw llvm gcc autofdo-text collapsed; do
    status 0 "$format" "$gait" export -q --format $format --binary new/prog -o out --gcc-version 12 old.data
    silent "$format"
    [ -s out ] || bad "$format: nothing was written"
done

# Counts for the graphs that gcc makes of the new source, held to those of a recording of it.
mkdir notes fresh carried
gcc -O2 -g -DNEW -c prog.c -o notes/prog.o && gcc -o notes/prog notes/prog.o && "$gait" record -q --exact=counts -o notes.data -- "$PWD/notes/prog" >/dev/null
gcc -O2 -g -DNEW -fprofile-use -ftest-coverage -Wno-missing-profile -c prog.c -o notes/prog.o && cp notes/prog.gcno fresh && cp notes/prog.gcno carried
"$gait" export -q --format gcda --notes notes -o fresh notes.data || bad 'counts for gcc'
status 0 'carried counts for gcc' "$gait" export --format gcda --binary notes/prog --notes notes -o carried old.data
find fresh carried -name '*.gcda' -exec sh -c 'mv "$1" "${1%%/*}/prog.gcda"' - {} \;
at_least 'carried counts for gcc' 0.93 "$("$gait" compare --json fresh carried | sed -n 's/.*"overlap": *\([0-9.]*\).*/\1/p' | head -1)"

# What was recorded has been overwritten: told at once, with both builds; a copy will do.
cp old/prog kept && cp new/prog old/prog
status 2 'a build that is gone' "$gait" export --format bolt -o none old.data
says 'is not the build that ran'
says "$(build_id new/prog)"
status 2 'the old build is gone' "$gait" carry --binary new/prog -o none old.data
says '--recorded FILE'
status 0 'a copy' "$gait" carry --binary old/prog --recorded kept -o again.data old.data
at_least 'a copy' 0.93 "$(overlap new.true again.data edge)"
status 2 'no copy of it' "$gait" carry --binary new/prog --recorded same/prog -o none old.data
says 'is not the build that ran'
status 2 'not a binary' "$gait" carry --binary prog.c --recorded kept -o none old.data
status 2 'another module' "$gait" carry --binary new/prog --module libnone.so -o none old.data
status 129 'nowhere' "$gait" carry --binary new/prog old.data
[ ! -e none ] || bad 'a failure left a file'
# The build that ran, elsewhere by now.
status 0 'the build that ran' "$gait" carry --binary kept -o kept.data old.data
silent 'the build that ran'
status 0 'the build that ran, exported' "$gait" export --format bolt --binary kept -o out old.data
[ -s out ] || bad 'the build that ran: nothing was exported'
finish
