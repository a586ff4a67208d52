#!/bin/bash
# Value counters of .gcda files: divisors, remainders, sizes of string operations, targets of indirect calls and first runs are those of gcc's
# own instrumentation, gcc divides by constants for them, and gait optimize --values leaves nothing behind but what it says.
cd "$(dirname "$0")/../.." || exit 1
. tests/truth/lib/programs.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
gait=$(realpath "$gait")
for dump in gcov-dump gcov-dump-12 ''; do command -v "$dump" >/dev/null && break; done
[ -n "$dump" ] || skip 'no gcov-dump'
[ "$(gcc -dumpversion | cut -d. -f1)" = 12 ] || skip "gcc $(gcc -dumpversion): other counters than gcc 12's"
for folder in plain counted notes made; do mkdir "$work/$folder" && cp tests/truth/lib/gcda/valued/divisors.c "$work/$folder"; done
cd "$work" || exit 1

# compile FOLDER FLAGS...
compile() { (cd "$1" && gcc -O2 -g "${@:2}" -c divisors.c && gcc "${@:2}" -o divisors divisors.o) >log 2>&1 || { cat log; fail "gcc ${*:2}: status $?"; }; }
compile plain
compile counted -fprofile-generate && counted/divisors 10000 >out1 || fail "instrumented: status $?"
compile notes -fprofile-use -ftest-coverage -Wno-missing-profile -fdump-ipa-profile -fdump-tree-release_ssa-lineno
"$gait" record -q --exact=trace --events value,argument --context -o data -- plain/divisors 10000 >out2 || fail "record: status $?"
cmp out1 out2 || fail 'the two runs differ'
"$gait" export --format gcda --notes notes data 2>log || { cat log; fail "export: status $?"; }
grep -q 'functions have counters of divisors and sizes: build with -fprofile-use -fprofile-correction' log || { cat log; fail 'does not say how to build'; }

# The counters of each function as lines, frequent values by value; a missing kind has none. Destinations are not counted,
# quotients only as far as the recording keeps them.
for side in counted notes; do
    "$dump" -l "$side/divisors.gcda" >dump || fail "$dump: status $?"
    /usr/bin/python3 - dump >"$side.values" <<'LIST' || fail "$side: counters cannot be read"
import re, sys
functions, kind = {}, None
for line in open(sys.argv[1]):
    if match := re.search(r"FUNCTION ident=(\d+)", line):
        counters = functions.setdefault(int(match[1]), {})
    elif match := re.search(r"COUNTERS (\w+) \d+ counts", line):
        kind = counters.setdefault(match[1], [])
    elif kind is not None and (match := re.search(r":\s+\d+: ([-\d ]+)$", line)):
        kind += map(int, match[1].split())
for ident, counters in sorted(functions.items()):
    for name in "topn", "indirect_call":
        values, found = counters.get(name, []), []
        while values:
            pairs = values[2:2 + 2 * values[1]]
            found.append((values[0], sorted(zip(pairs[::2], pairs[1::2]))))
            values = values[2 + 2 * values[1]:]
        while name == "indirect_call" and found and found[-1] == (0, []):
            found.pop()  # calls that the program may have lost
        if found:
            print(ident, name, found)
    for name in "pow2", "average":
        if counters.get(name):
            print(ident, name, counters[name])
    if counters.get("time_profiler"):
        print(ident, "time_profiler", counters["time_profiler"])
    if counters.get("interval"):
        print(ident, "interval", sum(counters["interval"]))
LIST
done
diff counted.values notes.values || fail 'other values than those of the instrumented run'
[ "$(wc -l <notes.values)" -ge 20 ] || { cat notes.values; fail 'too few counters'; }

compile notes -fprofile-use -fprofile-correction -Wno-missing-profile -fopt-info-optimized
grep -q "divisors.c:.*div/mod by constant" log || { cat log; fail 'gcc does not divide by constants'; }
notes/divisors 10000 | cmp - out1 || fail 'the program that gcc made does something else'

# Without values: first runs are written where nothing is missing that gcc would want with them.
"$gait" record -q --exact=counts -o plain.data -- plain/divisors 10000 >out2 && "$gait" export -q --format gcda --notes notes plain.data || fail "export of counts: status $?"
compile notes -fprofile-use -Wno-missing-profile -fdump-ipa-profile -Werror
[ "$(grep -c 'Read tp_first_run: [1-9]' notes/*.profile)" -ge 2 ] || { grep tp_first notes/*.profile; fail 'gcc reads no first runs'; }

# Samples know them, too; and without dumps there are none.
"$gait" record -q --overhead 20% --events edge,call,stack,value,argument --context -o sampled -- plain/divisors 20000000 >/dev/null || fail "record: status $?"
"$gait" export -q --format gcda --notes notes sampled || fail "export of samples: status $?"
"$dump" -l notes/divisors.gcda | grep -A1 'COUNTERS topn' | grep -q ' 64 [1-9]' || { "$dump" -l notes/divisors.gcda; fail 'samples have no divisors'; }
rm notes/*.gcda notes/*.profile
"$gait" export --format gcda --notes notes data 2>log || fail "export without dumps: status $?"
! grep -q 'counters of divisors' log || fail 'counters without a list of what they belong to'

# By gait optimize.
(cd made && gcc -O2 -g -o divisors divisors.c && printf 'divisors: divisors.c\n\t$(CC) $(CFLAGS) -c divisors.c\n\t$(CC) -o divisors divisors.o\n' >Makefile &&
    "$gait" optimize --with gcc --values --runs 2 --build 'make -B' -- ./divisors 100000) >out 2>log || { cat out log; fail "optimize: status $?"; }
ls made/*.profile made/*.release_ssa 2>/dev/null && fail 'dumps are left'
[ -e made/divisors.gcda ] || { ls made; fail 'optimize made no counts'; }
"$dump" -l made/divisors.gcda | grep -A1 'COUNTERS topn' | grep -q ' 64 [1-9]' || { "$dump" -l made/divisors.gcda; fail 'optimize did not use values'; }
"$gait" optimize --with clang --values -- made/divisors >out 2>&1 && fail '--values with clang went well'
grep -q -- '--values is for --with gcc' out || { cat out; fail '--values with clang: does not say what it is for'; }
echo "$(wc -l <notes.values) rows of counters as gcc's instrumentation has them"
