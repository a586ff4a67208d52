#!/bin/bash
# Runs with others
# Code made at run time has the names of its perf map, in walks as in samples; and so has real JIT code.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
cd "$work" || exit 1
cat >made.c <<'C'
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
/* 1: dec %rdi; jnz 1b; ret */
static const unsigned char loop[] = {0x48, 0xff, 0xcf, 0x75, 0xfb, 0xc3};
int main(void)
{
    unsigned char *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char path[64];
    snprintf(path, sizeof path, "/tmp/perf-%d.map", (int)getpid());
    FILE *map = fopen(path, "w"), *pids = fopen("pids", "a");
    fprintf(pids, "%d\n", (int)getpid());
    fclose(pids);
    for (int i = 0; i < 2; i++) {
        memcpy(code + 64 * i, loop, sizeof loop);
        fprintf(map, "%lx %zx made_%s\n", (long)(code + 64 * i), sizeof loop, i ? "second" : "first");
    }
    fclose(map);
    for (int i = 0; i < 300; i++) {
        ((void (*)(uint64_t))code)(1000000);
        ((void (*)(uint64_t))(code + 64))(2000000);
    }
    return 0;
}
C
gcc -O1 -g -o made made.c || { bad 'the program does not compile'; finish; }
for mode in '' --plain --exact=counts; do
    "$gait" record -q $mode -o "made$mode.data" -- ./made || bad "record $mode"
    "$gait" report --json "made$mode.data" >report.json || bad "report $mode"
    python3 - "$mode" <<'P' || failures=$((failures + 1))
import json, sys
rows = {r['name']: r for r in json.load(open('report.json'))['rows']}
key = 'instructions' if sys.argv[1] == '--exact=counts' else 'time'
parts = [(rows.get(f'made_{n}') or {key: 0})[key] or 0 for n in ('first', 'second')]
low, high = (1.99, 2.01) if key == 'instructions' else (0.6, 7) # a few dozen samples
if not (parts[0] > 0 and low < parts[1] / parts[0] < high):
    print(f'FAILED: {sys.argv[1]}: made_first and made_second have {parts}, not one and two parts;', list(rows)[:5])
    sys.exit(1)
P
done
if command -v node >/dev/null && node -e 0 2>/dev/null; then
    echo 'function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); } fib(33); require("fs").appendFileSync("pids", process.pid + "\n");' >t.js
    "$gait" record -q -o node.data -- node --perf-basic-prof --interpreted-frames-native-stack t.js || bad 'record of node'
    "$gait" report node.data | grep -q 'JS:.*fib .*\[jit\]' || { bad 'node: no name of fib'; "$gait" report node.data; }
else
    echo 'no node: not tested'
fi
while read -r pid; do rm -f "/tmp/perf-$pid.map"; done <pids
finish
