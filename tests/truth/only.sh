#!/bin/bash
# record --only: what is kept has the counts of a recording that keeps everything, and nothing else is kept.
cd "$(dirname "$0")/../.." || exit 1
. tests/truth/lib/programs.sh
need_command objdump binutils
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0
cat >"$work/part.c" <<'C'
#include <stdio.h>
#include <string.h>
#define OWN __attribute__((noipa))
static char from[300], to[300];
OWN static unsigned divide(unsigned a, unsigned b) { return a / b + a % b; }
OWN static double scale(double a) { return a * 1.5 + 2; }
OWN static void copy(void *d, const void *s, unsigned long n) { __asm__ volatile("rep movsb" : "+D"(d), "+S"(s), "+c"(n) : : "memory"); }
OWN static unsigned work(unsigned n)
{
    unsigned sum = 0;
    for (unsigned i = 1; i <= n; i++) {
        sum += divide(n, i);
        to[i % 300] = (char)scale(i);
        copy(to, from, i % 300);
    }
    return sum;
}
int main(void) { printf("%u\n", work(1000)); return 0; }
C
gcc -O1 -g -o "$work/part" "$work/part.c" || fail 'the test program could not be built'
whole() { "$gait" record -q --exact=counts "${@:2}" -o "$work/$1" -- "$work/part" >/dev/null || fail "record ${*:2}: status $?"
          "$gait" verify "$work/$1" >"$work/verify" || { cat "$work/verify"; bad=1; }
          "$gait" report --by instruction --module part --json "$work/$1" >"$work/$1.json"; }
check() { spec=$1; shift
          whole part.data --only "$spec"
          "$gait" report "$work/part.data" | grep -q "^only $spec was kept" || { echo "$spec: the report does not tell"; bad=1; }
          /usr/bin/python3 -B tests/truth/lib/only.py "$work/part" "$work/all.json" "$work/part.data.json" "$@" || bad=1; }
whole all
start=$(nm "$work/part" | sed -n 's/^0*\([0-9a-f]*\) t work$/\1/p')
check divide --function divide
check 'w?rk' --function work
check "part+0x$start-0x$(printf %x $((0x$start + 24)))" --range "$start" "$(printf %x $((0x$start + 24)))"
check div --class '^i?div'
check string --class '^(rep )?(movs|stos|scas|cmps|lods)[bwlq]? '
check call --class '^call'
check return --class '^(repz )?ret'
check branch --class '^(notrack )?(bnd )?j'
check float --class '(sd|ss|pd|ps)[0-9a-z]* |^u?comis|^cvt'
check divide,work,div --class '^i?div'
check module:part --class .
check function:part --none
exit $bad
