#!/bin/bash
# What callgrind and BOLT's instrumentation counted, imported, is what an exact run counts: of the program's own functions every edge, block
# and instruction.
cd "$(dirname "$0")/../.." || exit 1
. tests/truth/lib/programs.sh
. tests/truth/lib/llvm.sh
need_command valgrind valgrind
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
gcc -O2 -g -Wl,-q -fno-reorder-blocks-and-partition -DNO_LANDING -o "$work/all" tests/truth/lib/export/{one,two}.c || fail "gcc: status $?"
cd "$work" || exit 1
"$gait" record -q --exact=counts -o data -- ./all >out || fail "record: status $?"
# alike WHAT TRUTH LEAST: by edge, block and function
alike() {
    local by overlap
    for by in edge block function; do
        overlap=$("$gait" compare --json --by "$by" --module all "$2" data | sed -n 's/.*"overlap": \([0-9.]*\).*/\1/p')
        awk -v is="${overlap:-0}" -v least="$3" 'BEGIN { exit !(is >= least) }' || { "$gait" compare --by "$by" --module all "$2" data; fail "$1, by $by: overlap $overlap"; }
    done
}
# Stubs of the PLT and what runs before main are not in all of them: some thousandths.
for options in '' '--compress-pos=no --compress-strings=no'; do
    valgrind -q --tool=callgrind --dump-instr=yes --collect-jumps=yes $options --callgrind-out-file=callgrind ./all | cmp - out || fail 'under callgrind it does something else'
    "$gait" import -q -o truth callgrind || fail "callgrind $options: status $?"
    alike "callgrind $options" truth 0.997
    "$gait" verify -q truth >log || { cat log; fail "callgrind $options: does not hold together"; }
done
if [ -x "$llvm/llvm-bolt" ]; then
    "$llvm/llvm-bolt" all -instrument -instrumentation-file="$work/fdata" -o instrumented >log 2>&1 && ./instrumented | cmp - out || fail 'llvm-bolt -instrument'
    "$gait" import -q --binary all -o truth fdata || fail "fdata: status $?"
    alike fdata truth 0.995
    "$gait" verify -q truth >log || { cat log; fail 'fdata: do not hold together'; }
    # BOLT does not count inside of some functions: of what starts a program, and here of one more.
    uncounted() { "$gait" import --binary all -o truth "$1" 2>&1 | sed -n 's/.*lost: \([0-9]*\) x function entered.*/\1/p'; }
    grep -v '^1 odd ' fdata >less && ! cmp -s fdata less || fail 'the program has no function odd'
    [ "$(uncounted less)" = $(($(uncounted fdata) + 1)) ] || fail "functions without an inside: $(uncounted fdata), then $(uncounted less)"
fi

refuses() {
    local text=$1
    shift
    "$@" >log 2>&1 && fail "$* went well"
    grep -q -- "$text" log || { cat log; fail "$*: does not say: $text"; }
}
refuses "neither callgrind's" "$gait" import -o x out
printf '1 main 4 1 main 8 0 3\n' >branches # one branch, as BOLT writes them
refuses '--binary' "$gait" import -o x branches
refuses 'a gait profile already' "$gait" import -o x data
valgrind -q --tool=callgrind --callgrind-out-file=bare ./all >/dev/null
refuses 'dump-instr=yes' "$gait" import -o x bare
printf 'events: Ir\npositions: instr line\nob=(7)\n' >bare
refuses 'line 3: a name that was never given' "$gait" import -o x bare
