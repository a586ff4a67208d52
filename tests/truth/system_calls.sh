#!/bin/bash
# record --events argument, gait values --kind syscall: with which numbers and arguments code calls the kernel; a trace has every call, samples have the shares that the program's rule gives.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
gcc -O2 -g -o "$work/asks" -x c - <<'C' || { bad 'the test program could not be built'; exit 1; }
#include <stdlib.h>
#include <sys/syscall.h>
/* One instruction calls getpriority, of whom changes; another asks for the id of the process or of its parent. */
__attribute__((noinline)) static long priority(long which, long who)
{
    long result;
    __asm__ volatile("syscall" : "=a"(result) : "a"(SYS_getpriority), "D"(which), "S"(who) : "rcx", "r11", "memory");
    return result;
}
__attribute__((noinline)) static long id(long number)
{
    long result;
    __asm__ volatile("syscall" : "=a"(result) : "a"(number) : "rcx", "r11", "memory");
    return result;
}
int main(int argc, char **argv)
{
    long rounds = atol(argv[argc > 1]), sum = 0;
    for (long i = 0; i < rounds; i++) {
        for (int k = 0; k < 400; k++)
            __asm__ volatile("" : "+r"(sum));
        sum += priority(i % 4 ? 0 : 2, i % 8 == 1 ? 1 : 0);
        sum += id(i % 4 == 2 ? SYS_getppid : SYS_getpid);
    }
    return sum == 42;
}
C
rounds=400
"$gait" record -q --exact=trace --events argument -o "$work/data" -- "$work/asks" $rounds || bad "record: status $?"
"$gait" record -q -F 2000 --events argument --seed 1 -o "$work/sampled" -- "$work/asks" 1500000 || bad "record: status $?"
for data in data sampled; do
    readable "$work/$data"
    "$gait" values --json --kind syscall --module asks "$work/$data" >"$work/$data.json" || bad "values: status $?"
done
/usr/bin/python3 -B - "$work" $rounds <<'PY' || bad 'figures'
import json, os, sys
work, rounds = sys.argv[1], int(sys.argv[2])
truth = {('priority', 0): {'getpriority': 1}, ('priority', 1): {'0': 0.75, '2': 0.25}, ('priority', 2): {'0': 0.875, '1': 0.125},
         ('id', 0): {'getpid': 0.75, 'getppid': 0.25}}
for data in 'data', 'sampled':
    rows = json.load(open(f'{work}/{data}.json'))['rows']
    found = {(r['function'], r['argument']): r for r in rows}
    # Of six registers only those that the call takes are arguments: two of getpriority, none of getpid.
    assert set(found) == set(truth) and len(rows) == len(truth), (data, sorted(found))
    for key, shares in truth.items():
        seen = {v['text']: v for v in found[key]['values']}
        print(data, key, found[key]['register'], {text: (v['count'], v['share_lo'], v['share'], v['share_hi']) for text, v in seen.items()})
        assert set(seen) == set(shares), (data, key)
        for text, share in shares.items():
            v = seen[text]
            if data == 'data':
                assert v['count'] == share * rounds, (data, key, text, v)
            else: # half as wide again: the interval is of 95 %
                assert v['share'] - 2 * (v['share'] - v['share_lo']) <= share <= v['share'] + 2 * (v['share_hi'] - v['share']), (data, key, text, v)
PY
"$gait" values --kind syscall --module asks "$work/data" >"$work/text" || bad "as text: status $?"
grep -q 'argument 1 to the kernel, in %rdi' "$work/text" && grep -q '75.00%.* getpid$' "$work/text" || { bad 'the text'; cat "$work/text"; }
# A program that lives in the kernel: no values are shown of that, and it is said.
"$gait" record -q -F 1000 --events value -o "$work/kernel" -- dd if=/dev/zero of=/dev/null bs=1M count=20000 2>"$work/stderr" || bad "record dd: status $?"
"$gait" values "$work/kernel" >"$work/text" 2>&1
grep -q "CPU time is the kernel's, whose code is not walked and has no values" "$work/text" || { bad 'no word on the kernel'; cat "$work/text"; }
finish
