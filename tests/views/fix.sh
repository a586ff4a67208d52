#!/bin/bash
# gait fix: for planted habits (a divisor, a load, a target, an argument, a carried value, a branch that jumps over what is rare, a line that
# threads share, a load of a large table) the change that they ask for, and none for what has no habit.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
make -s "${GAIT_OUT:-o/rel}"/programs/{habits,strides,conflicts} >&2 || exit 1
gcc -O2 -g -o "$work/arguments" tests/programs/processes/arguments.c || bad 'the test program could not be built'
cat >"$work/rare.c" <<'C'
#include <stdio.h>
int main(void)
{
    volatile unsigned long sum = 0;
    for (unsigned long i = 0; i < 200000; i++) {
        unsigned long x = i * 2654435761u;
        __asm__ volatile("test $0xff, %%al\n\tjnz 1f\n\tmovq $1, %0\n1:" : "+m"(sum) : "a"(x) : "cc");
    }
    printf("%lu\n", sum);
    return 0;
}
C
gcc -O2 -g -o "$work/rare" "$work/rare.c" || bad 'the test program could not be built'
cat >"$work/scaled.c" <<'C'
#include <stdio.h>
__attribute__((noipa)) static double scaled(double x, double by)
{
    return x * by;
}
int main(void)
{
    double sum = 0;
    for (int i = 0; i < 3000; i++)
        sum += scaled(i, 0.5);
    printf("%g\n", sum);
    return 0;
}
C
gcc -O2 -g -o "$work/scaled" "$work/scaled.c" || bad 'the test program could not be built'
cat >"$work/small.c" <<'C'
#include <stdio.h>
#include <stdlib.h>
KIND unsigned mix(unsigned x, unsigned by)
{
    return (x ^ by) * 2654435761u >> 3;
}
int main(int argc, char **argv)
{
    unsigned sum = 1;
    long rounds = atol(argv[argc - 1]);
    for (long i = 0; i < rounds; i++)
        for (unsigned k = 0; k < 1000; k++)
            sum += mix(k, (unsigned)i);
    printf("%u\n", sum);
    return 0;
}
C
gcc -O2 -g -DKIND='__attribute__((noipa)) static' -o "$work/called" "$work/small.c" || bad 'the test program could not be built'
gcc -O2 -g -DKIND='static inline' -o "$work/inlined" "$work/small.c" || bad 'the test program could not be built'
for name in called inlined; do
    "$gait" record -q --overhead 20% --seed 1 -o "$work/$name.data" -- "$work/$name" 100000 >/dev/null || bad "record $name: status $?"
    "$gait" fix --kind inline --json "$work/$name.data" >"$work/$name.json" || bad "fix $name: status $?"
done
"$gait" record -q --exact=trace --events argument -o "$work/doubles" -- "$work/scaled" >/dev/null || bad "record scaled: status $?"
"$gait" record -q --exact=trace --events value,argument -o "$work/values" -- "$built/programs/habits" 20000 >/dev/null || bad "record habits: status $?"
"$gait" record -q --exact=trace --events argument -o "$work/calls" -- "$work/arguments" 2000 >/dev/null || bad "record arguments: status $?"
"$gait" record -q --exact=counts -o "$work/branches" -- "$work/rare" >/dev/null || bad "record rare: status $?"
"$gait" record -q --overhead 20% --seed 1 --events edge,call,address -o "$work/loops" -- "$built/programs/strides" 60000 >/dev/null || bad "record strides: status $?"
"$gait" record -q -F 2000 --seed 1 --events edge,call,address,stack -o "$work/sharing" -- "$built/programs/conflicts" planted 10000 >/dev/null || bad "record conflicts: status $?"
for data in values calls doubles branches loops sharing; do "$gait" fix --json "$work/$data" >"$work/$data.json" || bad "fix $data: status $?"; done
/usr/bin/python3 -B - "$work" <<'PY' || bad 'fixes'
import json, sys
def rows(data, function=None, kind=None):
    found = json.load(open(f'{sys.argv[1]}/{data}.json'))['rows']
    return [r for r in found if (function is None or function in r['function']) and (kind is None or r['kind'] == kind)]
row = next(r for r in rows('values', 'divided', 'specialise') if 'divides' in r['evidence'])
assert 'divides by 7 in 95 %' in row['evidence'] and row['sketch'].startswith('q = d == 7 ? n / 7 : n / d;'), row
assert any('loads 42 in 100 %' in r['evidence'] for r in rows('values', 'loaded', 'specialise'))
row = next(r for r in rows('values', 'main', 'call') if 'often' in r['evidence'])
assert 'if (f == often)' in row['sketch'], row
assert not rows('values', 'drawn'), rows('values', 'drawn')
row = next(r for r in rows('calls', 'pointed', 'specialise') if 'argument 2' in r['evidence'])
assert 'is 1 in 100 % of calls' in row['evidence'] and 'if (argument 2 == 1)' in row['sketch'], row
assert not [r for r in rows('calls', 'pointed') if 'argument 1' in r['evidence']]
# A number that is no address, however large its bits are.
row, = [r for r in rows('doubles', 'scaled', 'specialise') if 'argument 2' in r['evidence']]
assert 'floating-point argument 2 (in %xmm1) is 0.5 in 100 %' in row['evidence'] and 'object' not in row['fix'], row
assert 'if (floating-point argument 2 == 0.5)' in row['sketch'], row
row, = rows('called', 'main', 'inline')
assert row['evidence'].startswith('calls mix; without the call ') and 'always_inline)) ... mix(...)' in row['sketch'], row
assert not rows('inlined'), rows('inlined')
row = next(r for r in rows('branches', 'main', 'branch') if r['weight'] > 0.5)
assert 'in 99.6 % of executions' in row['evidence'] and '__builtin_expect' in row['sketch'], row
assert len(rows('branches', 'main', 'branch')) == 1, rows('branches', 'main')
for function, word in (('carries', 'an earlier iteration stored'), ('gathers', 'without a stride'), ('chases', 'what this load brings')):
    found = rows('loops', function, 'loop')
    assert not found or any(word in r['evidence'] for r in found), (function, found)
assert len(rows('loops', None, 'loop')) > 4 and not rows('loops', 'vectors', 'loop') and not rows('loops', 'plain', 'loop')
assert any('another thread' in r['evidence'] and '_Alignas(64)' in r['sketch'] for r in rows('sharing', None, 'padding')), rows('sharing')
for data in ('values', 'calls', 'branches', 'loops', 'sharing'):
    weights = [r['weight'] for r in rows(data)]
    assert weights == sorted(weights, reverse=True) and all(0 <= w <= 1.0001 for w in weights)
PY
"$gait" fix --kind call --limit 1 "$work/values" >"$work/text" || bad "fix as text: status $?"
grep -q 'fix: calls nearly always the same' "$work/text" || bad 'no fix in the text'
status 129 'a wrong kind' "$gait" fix --kind nothing "$work/values"
finish
