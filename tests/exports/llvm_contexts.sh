#!/bin/bash
# A profile with calling contexts for clang, by llvm-profgen: one function does other things for each of its callers,
# and what is written tells them apart by the right counts.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
for tool in clang llvm-profgen; do
    [ -x "/usr/lib/llvm-19/bin/$tool" ] || skip "no $tool of LLVM 19: apt install clang-19 llvm-19"
done
cd "$work" || exit 1
llvm=/usr/lib/llvm-19/bin
cat >callers.c <<'C'
#include <stdio.h>
__attribute__((noinline)) int leaf(int x, int k) { int s = 0; if (k > 10) { for (int i = 0; i < k; i++) s += (x >> i) & 1 ? i : x; return s + 3; } return x * 7 + k; }
__attribute__((noinline)) int often(int x) { return leaf(x, 3) + 1; }
__attribute__((noinline)) int seldom(int x) { return leaf(x, 30) + 2; }
int main(void) { int s = 0; for (long i = 0; i < 24000000; i++) s += i & 7 ? often(s) : seldom(s); printf("%d\n", s); return 0; }
C
$llvm/clang -O1 -g -fpseudo-probe-for-profiling callers.c -o callers || exit 1
./callers >expected
"$gait" record -q -F 2000 -o data -- ./callers >got || bad 'record'
cmp -s expected got || bad 'the program printed something else'
status 0 'export' "$gait" export --format llvm-contexts -o script data
$llvm/llvm-profgen --binary=callers --perfscript=script --format=text --gen-cs-nested-profile=0 --csspgo-preinliner=0 \
    --output=contexts.prof 2>told || { bad 'llvm-profgen'; cat told; }
"$gait" report --by function --json data >report.json
"$gait" info --json data >info.json
/usr/bin/python3 - contexts.prof report.json info.json <<'P' || { bad 'contexts'; cat contexts.prof; }
import json, re, sys
heads, bodies = {}, {}
for line in open(sys.argv[1]):
    found = re.match(r"\[(.*)\]:(\d+):(\d+)$", line)
    if found:
        at = " ".join(re.findall(r"(\w+)(?::[\d.]+ @|$)", found[1]))
        heads[at], bodies[at] = int(found[3]), {}
    elif found := re.match(r" (\d+): (\d+)", line):
        bodies[at][int(found[1])] = int(found[2])
print(heads)
often, seldom = heads["main often leaf"], heads["main seldom leaf"]
heads_of_leaf = often + seldom
share = often / heads_of_leaf
print("often %.4f of calls of leaf, expected 0.8750" % share)
callers = heads["main often"] / (heads["main often"] + heads["main seldom"])
print("often %.4f of calls of main, expected 0.8750" % callers)
flat = next(row["count"] for row in json.load(open(sys.argv[2]))["rows"] if row["name"] == "leaf")
print("leaf was called %.0f times, in contexts %d" % (flat, often + seldom))
# Called by seldom it goes round (probe 4), by often it does not (11).
often, seldom = ([bodies[f"main {name} leaf"].get(probe, 0) for probe in (11, 4)] for name in ("often", "seldom"))
print("short and long calls by often %d and %d, by seldom %d and %d" % (*often, *seldom))
if often[1] > 0.02 * seldom[1] or seldom[0] > 0.02 * often[0] or abs(often[0] / (often[0] + seldom[1]) - 7 / 8) > 0.02:
    sys.exit("what one caller makes of it is told of the other")
# A window tells of one call by whom it was: five deviations of so many.
chance = 5 * (7 / 64 / json.load(open(sys.argv[3]))["rows"][0]["recorded_windows"]) ** 0.5
sys.exit(abs(share - 7 / 8) > 0.02 + chance or abs(callers - 7 / 8) > 0.05 or abs(heads_of_leaf - flat) > 0.1 * flat)
P
$llvm/llvm-profgen --binary=callers --perfscript=script --format=text --output=nested.prof 2>told || bad 'llvm-profgen, nested'
$llvm/clang -O2 -g -fpseudo-probe-for-profiling -fprofile-sample-use=nested.prof callers.c -o faster 2>told || { bad 'clang'; cat told; }
./faster >got
cmp -s expected got || bad 'the program that was made of it prints something else'
"$gait" record -q --events edge,call --overhead 5 -o bare -- ./callers >got
status 2 'without stacks' "$gait" export --format llvm-contexts -o bare.script bare
says 'no calling contexts'
finish
