#!/bin/bash
# Code made at run time has the names of its perf map, in walks as in samples; and so has real JIT code.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
cd "$work" || exit 1
cat >made.c <<'C'
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
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
    for (int rounds = getenv("ROUNDS") ? atoi(getenv("ROUNDS")) : 300; rounds-- > 0;) {
        ((void (*)(uint64_t))code)(1000000);
        ((void (*)(uint64_t))(code + 64))(2000000);
    }
    return 0;
}
C
gcc -O1 -g -o made made.c || { bad 'the program does not compile'; finish; }
# What is counted exactly needs no long run.
rounds_of() { [ "$1" = --exact=counts ] && echo 20 || echo 300; }
for mode in '' --plain --exact=counts; do
    ROUNDS=$(rounds_of "$mode") "$gait" record -q $mode -o "made$mode.data" -- ./made || bad "record $mode"
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
# A dump says more: the same program writes one, and maps it so that it is found.
sed 's|^int main(void)|#include <elf.h>\n#include <fcntl.h>\nstatic FILE *dump;\nstatic void u32(uint32_t x) { fwrite(\&x, 4, 1, dump); }\nstatic void u64(uint64_t x) { fwrite(\&x, 8, 1, dump); }\nstatic void dumped(unsigned char *at, const char *name, int line)\n{\n    u32(2); u32(16 + 16 + 2 * (16 + 7)); u64(1); u64((uint64_t)at); u64(2);\n    for (int i = 0; i < 2; i++) { u64((uint64_t)at + 5 * (uint64_t)i); u32((uint32_t)(line + i)); u32(0); fwrite("made.x", 7, 1, dump); }\n    u32(0); u32((uint32_t)(16 + 40 + strlen(name) + 1 + sizeof loop)); u64(1); u32((uint32_t)getpid()); u32((uint32_t)getpid());\n    u64((uint64_t)at); u64((uint64_t)at); u64(sizeof loop); u64(0); fwrite(name, strlen(name) + 1, 1, dump); fwrite(loop, sizeof loop, 1, dump);\n}\nint main(void)|
s|/tmp/perf-%d.map|jit-%d.dump|
s|FILE \*map = fopen(path, "w")|FILE *map = dump = fopen(path, "w+")|
s|^    for (int i = 0; i < 2; i++) {$|    u32(0x4a695444); u32(1); u32(40); u32(EM_X86_64); u32(0); u32((uint32_t)getpid()); u64(1); u64(0); fflush(dump);\n    mmap(NULL, 4096, PROT_READ \| PROT_EXEC, MAP_PRIVATE, fileno(dump), 0);\n&|
s|fprintf(map, "%lx.*|dumped(code + 64 * i, i ? "made_second" : "made_first", i ? 20 : 10);|' made.c >dumped.c
gcc -O1 -g -o dumped dumped.c || { bad 'the program that dumps does not compile'; cat dumped.c; finish; }
for mode in '' --plain --exact=counts; do
    ROUNDS=$(rounds_of "$mode") "$gait" record -q $mode -o "dumped$mode.data" -- ./dumped || bad "record $mode of the program that dumps"
    rm -f jit-*.dump # what the profile needs of it is kept
    "$gait" report "dumped$mode.data" | grep -q 'made_second .*\[jit\]' || { bad "dump, $mode: no made_second"; "$gait" report "dumped$mode.data"; }
    "$gait" annotate made_second -i "dumped$mode.data" >annotated || bad "dump, $mode: annotate"
    grep -q 'dec %rdi' annotated && grep -q 'jne' annotated && grep -q 'made.x:20' annotated || { bad "dump, $mode: no code or lines"; cat annotated; }
    "$gait" verify -q "dumped$mode.data" || bad "dump, $mode: verify"
done
"$gait" report --by line --json dumped.data | grep -q '"file": "made.x", "line": 20' || bad 'dump: no line of it in report --by line'
if command -v node >/dev/null && node -e 0 2>/dev/null; then
    echo 'function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); } while (process.cpuUsage().user < 700000) fib(27); require("fs").appendFileSync("pids", process.pid + "\n");' >t.js
    "$gait" record -q -o node.data -- node --perf-basic-prof --interpreted-frames-native-stack t.js || bad 'record of node'
    "$gait" report node.data | grep -q 'JS:.*fib .*\[jit\]' || { bad 'node: no name of fib'; "$gait" report node.data; }
    "$gait" record -q -o dump.data -- node --perf-prof --interpreted-frames-native-stack t.js || bad 'record of node with a dump'
    "$gait" report dump.data | grep -q 'JS:.*fib .*\[jit\]' || { bad 'node: no name of fib by its dump'; "$gait" report dump.data; }
    "$gait" annotate "$("$gait" report --json dump.data | grep -o 'JS:[^"]*fib [^"]*' | head -1)" -i dump.data >annotated || bad 'node: annotate'
    grep -q 't.js:1' annotated || { bad 'node: no line of fib'; head -20 annotated; }
else
    echo 'no node: not tested'
fi
while read -r pid; do rm -f "/tmp/perf-$pid.map"; done <pids
finish
