#!/bin/bash
# record --module: the example modules, and what they make of a program that is known; modules that crash, hang or are none do not take the
# recording with them.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
make -s "${GAIT_OUT:-o/rel}"/programs/{modules,latencies} >&2 || exit 1
build() { gcc -shared -fPIC -O1 -Wall -Wextra -Werror -Isrc/wire -o "$work/$1.so" "$2" -lm || bad "$1 was not built"; }
take() { # NAME PROGRAM
    "$gait" record -q -F 2000 --seed 1 --events edge,call --module "$work/$1.so" -o "$work/$1" -- "$built/programs/$2" ${3:-} >"$work/$1.out" || bad "record $1: status $?"
    "$gait" verify "$work/$1" >"$work/verify" || { bad "verify $1"; cat "$work/verify"; }
    "$gait" values --json --module "$2" "$work/$1" >"$work/$1.json" || bad "values of $1: status $?"
}
for name in latency_bins float_classes lines locks; do
    build $name examples/modules/$name.c
    program=modules rounds=10000000 # 0.05 s of a Zen 5
    [ $name = latency_bins ] && program=latencies rounds=2000000
    take $name $program $rounds
done
/usr/bin/python3 -B - "$work" <<'EOF' || bad 'figures'
import json, sys
work = sys.argv[1]
def shares(name, function):
    """Of the function's most frequent place: text to share."""
    rows = [r for r in json.load(open(f'{work}/{name}.json'))['rows'] if r['kind'] == 'module' and r['function'] == function]
    row = max(rows, key=lambda r: r['total'])
    print(name, function, row['total'], [(v['text'], v['share']) for v in row['values']])
    return {v['text']: v['share'] for v in row['values']} | {'': row['total']}
near, far = shares('latency_bins', 'near_load'), shares('latency_bins', 'far_load')
# Interrupts, and others' work before them, make some loads cold: which is which, not how much.
assert near['near'] > 0.5 and far.get('near', 0) < 0.2, (near, far)
classes = shares('float_classes', 'product')
n = classes.pop('')
# Five deviations of so many draws.
assert set(classes) == {'zero', 'normal'} and abs(classes['zero'] - 0.25) < 0.02 + 5 * (0.25 * 0.75 / n) ** 0.5, classes
lock, line = open(f'{work}/locks.out').read().split()
locks = shares('locks', 'locked')
del locks['']
assert list(locks) == [f'lock at {lock}'] and locks[f'lock at {lock}'] > 0.99, locks
_, line = open(f'{work}/lines.out').read().split()
lines = shares('lines', 'line')
del lines['']
assert list(lines)[0] == f'page {hex(int(line, 16) >> 12)}, line {int(line, 16) % 4096 // 64}' and max(lines.values()) > 0.99, lines
EOF
# At 20 % the program had two or three windows, and sometimes none: nothing was asked of the module then.
bad_module() { # NAME C-STATEMENT
    cat >"$work/$1.c" <<EOF
#include "gait-module.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static uint32_t wants(const struct gait_instruction *instruction) { return instruction->loads ? GAIT_ADDRESS : 0; }
static void take(const struct gait_scale *scale, const struct gait_tuple *tuples, size_t n, gait_emit *emit, void *to)
{
    (void)scale, (void)tuples, (void)n, (void)emit, (void)to;
    $2
}
const struct gait_module gait_module = {GAIT_MODULE_VERSION, "bad", GAIT_ADDRESS, wants, take, 0};
EOF
    build "$1" "$work/$1.c"
    "$gait" record -F 2000 --events edge,call --module "$work/$1.so" -o "$work/$1" -- "$built/programs/modules" 10000000 >/dev/null 2>"$work/stderr" || bad "$1: status $?"
    grep -q "$3" "$work/stderr" || { bad "$1 was not told of"; cat "$work/stderr"; }
    "$gait" verify "$work/$1" >"$work/verify" || bad "verify $1"
    "$gait" report --json "$work/$1" >"$work/report" && grep -q '"product"' "$work/report" || bad "$1: the profile is gone"
    grep -q '"module_silent": [1-9]' "$work/report" || bad "$1: windows without an answer are not counted"
    "$gait" info "$work/$1" | grep -q 'window without an answer of the module' || bad "$1: gait info does not tell of them"
}
bad_module crashes '*(volatile int *)8 = 1;' 'ended by signal 11'
bad_module hangs 'for (;;) __asm__ volatile("");' 'no answer in 500 ms'
bad_module allocates 'for (;;) if (!malloc(1 << 20)) abort();' 'ended by signal 6'
# All that it can reach: its stack, what gait gave it, the answer that it is to give.
bad_module scribbles 'for (volatile char *at = to;; at++) *at = 0x55;' 'ended by signal 11'
bad_module lies 'for (int fd = 3; fd < 64; fd++) if (write(fd, "zzzzzzzzzzzzzzzzzzzzzzzz", 24) < 0) continue;' 'or one that is none'
bad_module starts 'fork(); for (;;) pause();' 'no answer in 500 ms'
pgrep -f "$work/starts" >/dev/null && bad 'what a module started is still there'
# It neither reads what the program is to read nor writes between what it writes; and what it uses is part of what recording costs.
cat >"$work/busy.c" <<'EOF'
#include "gait-module.h"
#include <stdio.h>
#include <time.h>
static uint32_t wants(const struct gait_instruction *instruction) { return instruction->loads ? GAIT_ADDRESS : 0; }
static void take(const struct gait_scale *scale, const struct gait_tuple *tuples, size_t n, gait_emit *emit, void *to)
{
    struct timespec now;
    char line[64];
    (void)scale;
    printf("noise\n"), fflush(stdout);
    if (fgets(line, sizeof line, stdin))
        printf("stolen: %s", line);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    for (struct timespec then = now; now.tv_nsec - then.tv_nsec + 1000000000 * (now.tv_sec - then.tv_sec) < 20000000;)
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    for (size_t i = 0; i < 20000; i++)
        emit(to, tuples[i % n].place, i);
}
const struct gait_module gait_module = {GAIT_MODULE_VERSION, "busy", GAIT_ADDRESS, wants, take, 0};
EOF
build busy "$work/busy.c"
"$gait" record -q --overhead 50% -F 100 --events edge,call --module "$work/busy.so" -o "$work/busy" -- sh -c 'read line; echo "$line"; exec "$0" 20000000' "$built/programs/modules" <<<mine >"$work/stdout" 2>"$work/stderr" || bad "busy: status $?"
same 'what the program read' mine "$(head -n 1 "$work/stdout")"
grep -q 'noise\|stolen' "$work/stdout" && bad 'the module writes where the program does'
"$gait" info --json "$work/busy" >"$work/info.json" || bad 'info of busy'
/usr/bin/python3 -B - "$work/info.json" <<'EOF' || bad 'what a module costs'
import json, sys
info = json.load(open(sys.argv[1]))
windows, tool = info['rows'][0]['windows'], info['rows'][0]['tool_time']
print('windows', windows, 'tool', tool, info['losses'])
# 20 ms for each window that it was given.
assert tool > 0.015 * windows > 0.05, info['rows']
assert info['losses']['module_full'] >= 3000, info['losses']
EOF
status 125 'no module' "$gait" record --module "$work/none.so" -o "$work/none" -- true
status 125 'a file that is no module' "$gait" record --module "$built/libgait.so" -o "$work/none" -- true
status 125 'with exact counts' "$gait" record --module "$work/lines.so" --exact=counts -o "$work/none" -- true
finish
