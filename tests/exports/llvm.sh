#!/bin/bash
# llvm-profgen reads our straight runs and branches, and makes of them what our own profile for clang says, line by line; llvm-profdata and
# clang read that one, and clang's functions have our counts. Of a program of ours built by clang, without and with
# discriminators of its own for each pass, and with probes, of C++ with threads and exceptions, and of lua.
cd "$(dirname "$0")/../.." || exit 1
. tests/truth/lib/programs.sh
. tests/truth/lib/llvm.sh
need_llvm llvm-profgen llvm
need_llvm clang++ clang
need_programs lua
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
lines='-gline-tables-only -fdebug-info-for-profiling'

build() { "$llvm/clang" -O2 $2 -o "$work/$1" tests/truth/lib/export/{one,two}.c || fail "clang: status $?"; }
# record NAME: its program
record() { "$gait" record -q --exact=counts -o "$work/data" -- "$work/$1" >/dev/null 2>&1; }

# same NAME BINARY: both ways to a profile end in the same one
same() {
    "$gait" export --format llvm-raw -o "$work/raw" "$work/data" || fail "$1: llvm-raw: status $?"
    "$gait" export --format llvm -o "$work/ours" "$work/data" || fail "$1: llvm: status $?"
    "$llvm/llvm-profgen" --binary "$2" --unsymbolized-profile="$work/raw" --use-offset=0 --format=text -o "$work/theirs" \
        >"$work/log" 2>&1 || { cat "$work/log"; fail "$1: llvm-profgen: status $?"; }
    grep -v '^warning: Sample PGO is estimated' "$work/log"
    diff "$work/ours" "$work/theirs" >"$work/diff" || { head -n 20 "$work/diff"; fail "$1: llvm-profgen makes something else"; }
    "$llvm/llvm-profdata" merge --sample --text -o "$work/again" "$work/ours" || fail "$1: llvm-profdata: status $?"
    cmp "$work/ours" "$work/again" || fail "$1: llvm-profdata reads something else"
    echo "$1: $(wc -l <"$work/ours") lines as llvm-profgen has them"
}

build passes "$lines -mllvm -enable-fs-discriminator"
record passes || fail "passes: status $?"
same passes "$work/passes"
"$llvm/clang++" -O2 $lines -pthread -o "$work/exceptions" tests/programs/exceptions.cc || fail "clang++: status $?"
(record exceptions) 2>/dev/null # ends by a signal, as it should
same exceptions "$work/exceptions"
GAIT_PREFIX="$gait record -q --exact=counts -o $work/data --" bench/run-program lua tiny measure "$work/out" || fail "lua: status $?"
same lua "$(program_binary lua)"
# By probes: blocks without a line of their own are counted, too. They need lines only to know where they were inlined.
build lineless -fpseudo-probe-for-profiling
record lineless || fail "lineless: status $?"
"$gait" export --format llvm -o "$work/lineless.prof" "$work/data" || fail "lineless: llvm: status $?"
build probed "$lines -fpseudo-probe-for-profiling"
record probed || fail "probed: status $?"
same probed "$work/probed"
for head in main:1 _ZL7comparePKvS0_.*:526; do
    grep -q "^${head%:*}:[0-9]*:${head#*:}$" "$work/lineless.prof" || fail "lineless: not $head"
done
grep -q '^ !CFGChecksum: [0-9]' "$work/ours" || fail 'probed: no checksums'
"$llvm/clang" -O2 -gline-tables-only -fpseudo-probe-for-profiling -fprofile-sample-use="$work/ours" -S -emit-llvm -o "$work/probed.ll" \
    tests/truth/lib/export/one.c 2>"$work/log" || fail "clang -fprofile-sample-use, probes: status $?"
[ ! -s "$work/log" ] || { cat "$work/log"; fail 'clang does not take what was counted by probes'; }
for expected in main:1 _ZL6helperi:80 _ZL7compare:526; do
    entry=$(sed -n "s/^define .* @${expected%:*}.*(.* !prof \(![0-9]*\) {/\1/p" "$work/probed.ll")
    grep -q "^$entry = .*\"function_entry_count\", i64 ${expected#*:}}" "$work/probed.ll" || fail "clang read other counts by probe than $expected"
done
"$llvm/clang++" -O2 $lines -fpseudo-probe-for-profiling -pthread -o "$work/exceptions" tests/programs/exceptions.cc || fail "clang++: status $?"
(record exceptions) 2>/dev/null
same probed-exceptions "$work/exceptions"
build plain "$lines"
record plain || fail "plain: status $?"
same plain "$work/plain"

# clang adds one to what it reads.
"$llvm/clang" -O2 -gline-tables-only -fprofile-sample-use="$work/ours" -S -emit-llvm -o "$work/one.ll" tests/truth/lib/export/one.c ||
    fail "clang -fprofile-sample-use: status $?"
for expected in main:2 fib:234 compare:527 leave:31 even:22; do
    entry=$(sed -n "s/^define .* @${expected%:*}(.* !prof \(![0-9]*\) {/\1/p" "$work/one.ll")
    grep -q "^$entry = .*\"function_entry_count\", i64 ${expected#*:}}" "$work/one.ll" || fail "clang read other counts than $expected"
done

# Not every program says where its code comes from.
build bare ''
record bare || fail "bare: status $?"
"$gait" export --format llvm -o "$work/none" "$work/data" 2>"$work/log" && fail 'a program without lines was exported'
grep -q 'no line information.*llvm-raw' "$work/log" || { cat "$work/log"; fail 'not said why: lines'; }
"$gait" export --format llvm-raw -o "$work/raw" "$work/data" || fail "bare: llvm-raw: status $?"
build undeclared -gline-tables-only
record undeclared || fail "undeclared: status $?"
"$gait" export --format llvm -o "$work/none" "$work/data" 2>"$work/log" && fail 'a program without lines of functions was exported'
grep -q -e '-fdebug-info-for-profiling' "$work/log" || { cat "$work/log"; fail 'not said why: declarations'; }
[ ! -e "$work/none" ] || fail 'a file was left'
