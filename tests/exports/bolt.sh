#!/bin/bash
# llvm-bolt reads our export: nothing in it is stale or unknown to BOLT, it has the counts that BOLT's own instrumentation counts, and
# the program that BOLT makes of it does the same.
cd "$(dirname "$0")/../.." || exit 1
. tests/truth/lib/programs.sh
. tests/truth/lib/llvm.sh
need_llvm llvm-bolt bolt
need_llvm perf2bolt bolt
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# build NAME FLAGS...
build() {
    gcc -O2 -g -Wl,-q -o "$work/$1" "${@:2}" tests/truth/lib/export/{one,two}.c || fail "gcc: status $?"
}
# Behind a call that returns twice, BOLT's instrumentation guesses wrong: it has no counter there. And the C compiler's own
# split functions are more than its instrumentation takes.
build whole -fno-reorder-blocks-and-partition -DNO_LANDING
"$llvm/llvm-bolt" "$work/whole" -instrument -instrumentation-file="$work/truth.fdata" -o "$work/instrumented" >"$work/log" 2>&1 ||
    { tail -n 3 "$work/log"; fail "llvm-bolt -instrument: status $?"; }
"$work/instrumented" >"$work/out1" || fail "instrumented: status $?"
build all

# record NAME: exact, and exported
record() {
    "$gait" record -q --no-names --exact=counts -o "$work/data" -- "$work/$1" >"$work/out2" || fail "$1: status $?"
    "$gait" export --format bolt -o "$work/ours.fdata" "$work/data" || fail "$1: export: status $?"
}
# rewrite NAME OPTIONS...: by BOLT, without complaint, and the new program does the same
rewrite() {
    "$llvm/llvm-bolt" "$work/$1" -data="$work/ours.fdata" -o "$work/$1.bolt" -w "$work/profile.yaml" -v=2 -reorder-blocks=ext-tsp \
        -split-functions -split-all-cold "${@:2}" >"$work/log" 2>&1 ||
        { tail -n 3 "$work/log"; fail "$1: llvm-bolt: status $?"; }
    if grep -E 'match only|invalid profile data|possibly stale' "$work/log"; then fail "$1: llvm-bolt complains"; fi
    grep -q 'INFO: [1-9][0-9]* out of .* have non-empty execution profile' "$work/log" || fail "$1: llvm-bolt found no profile"
    "$work/$1" >"$work/out1" && "$work/$1.bolt" >"$work/out2" && cmp "$work/out1" "$work/out2" ||
        fail "$1: the program that BOLT made does something else"
}

record whole
"$llvm/merge-fdata" "$work/ours.fdata" 2>"$work/log" | sort | cmp - <(sort "$work/ours.fdata") || fail 'merge-fdata: not the same'
rewrite whole -reorder-functions=cdsort
tests/truth/lib/export_bolt.py "$work" || fail 'counts differ'
record all
grep -q '^1 helper/1 .*' "$work/ours.fdata" && grep -q '^1 helper/2 .*' "$work/ours.fdata" || fail 'local functions of one name are one'
rewrite all -reorder-functions=cdsort

# perf2bolt makes the same of branches and straight runs; it does not mention what leaves the program.
"$gait" export --format bolt-preagg -o "$work/preagg" "$work/data" || fail "bolt-preagg: status $?"
"$llvm/perf2bolt" -pa -p "$work/preagg" -o "$work/perf.fdata" "$work/all" >"$work/log" 2>&1 || fail "perf2bolt: status $?"
grep -q 'mismatching disassembled function contents: 0 ' "$work/log" || { cat "$work/log"; fail 'perf2bolt: runs do not fit'; }
diff <(sort "$work/perf.fdata") <(grep -v ' 0 \[unknown\] 0 0 [0-9]*$' "$work/ours.fdata" | sort) || fail 'perf2bolt finds other counts'

# Without symbols BOLT names functions after their addresses, and so do we.
strip -o "$work/stripped" "$work/all"
record stripped
rewrite stripped --allow-stripped
# Names in a debug file are not BOLT's.
objcopy --only-keep-debug "$work/all" "$work/linked.debug" && objcopy --add-gnu-debuglink="$work/linked.debug" "$work/stripped" "$work/linked" || fail 'objcopy'
cp "$work/ours.fdata" "$work/bare.fdata"
record linked
rewrite linked --allow-stripped
cmp "$work/ours.fdata" "$work/bare.fdata" || fail 'with its names in a debug file the program has other counts'

# What cannot be exported is said, and no file is left.
"$gait" record -q --exact=counts -o "$work/data" --only libc.so.6 -- "$work/all" >/dev/null || fail "only: status $?"
"$gait" export --format bolt -o "$work/none" "$work/data" 2>"$work/log" && fail 'an empty profile was exported'
grep -q 'empty' "$work/log" || { cat "$work/log"; fail 'not said why: empty'; }
record all
build all -DNO_LANDING
"$gait" export --format bolt -o "$work/none" "$work/data" 2>"$work/log" && fail 'another build was exported'
grep -q 'not the build that ran' "$work/log" || { cat "$work/log"; fail 'not said why: build'; }
[ ! -e "$work/none" ] || fail 'a file was left'
