#!/bin/bash
# Hints for clang to prefetch: of a program that loads one row after another of a large table, clang inserts a prefetch before the load that
# waits, so many rows ahead; none if several loads share a place of the source, or if no latencies were recorded.
cd "$(dirname "$0")/../.." || exit 1
. tests/truth/lib/programs.sh
. tests/truth/lib/llvm.sh
need_llvm clang clang
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
row=69824 flags='-O2 -g -fdebug-info-for-profiling' apart='-mllvm -x86-discriminate-memops'
record() { # NAME EVENTS: its program
    "$gait" record -q --seed 1 --overhead 20% --events "$2" -o "$work/data" -- "$work/$1" 1500000 >"$work/$1.out" || fail "record $1: status $?"
}
tried=0
for clang in "$llvm/clang" clang-14 clang-19; do
    command -v "$clang" >/dev/null || continue
    "$clang" --version | head -n 1
    "$clang" $flags $apart -o "$work/apart" tests/truth/lib/export/strided.c || fail "$clang: status $?"
    record apart edge,call,stack,address,latency
    "$gait" export --format llvm-prefetch -o "$work/hints" "$work/data" 2>"$work/log" ||
        { cat "$work/log"; "$gait" latencies "$work/data"; fail 'llvm-prefetch'; }
    cat "$work/hints"
    bytes=$(sed -n 's/^  5[.0-9]*: 0 __prefetch_t0_0:\([0-9]*\)$/\1/p' "$work/hints" | head -n 1)
    [ -n "$bytes" ] && [ $((bytes % row)) = 0 ] && [ "$bytes" -ge "$row" ] && [ "$bytes" -le $((3 * row)) ] || # of the 12 of each run a quarter
        fail "not some rows ahead: $bytes"
    [ "$(sed -n '1p;2s/^ [0-9.]*: //p' "$work/hints")" = $'walk:0:0\ncolumn:0' ] || fail 'not of the function that is inlined'
    "$clang" $flags $apart -mllvm -prefetch-hints-file="$work/hints" -o "$work/hinted" tests/truth/lib/export/strided.c || fail "$clang with hints: status $?"
    # Before each hinted load: the same registers, so many bytes further.
    objdump -d --no-show-raw-insn "$work/hinted" >"$work/code"
    /usr/bin/python3 -B - "$work/code" "$bytes" "$(grep -c __prefetch "$work/hints")" <<'PY' || fail 'prefetches'
import re, sys
lines = [line for line in open(sys.argv[1]) if re.match(r' +[0-9a-f]+:', line)]
bytes_ahead, hints, found = int(sys.argv[2]), int(sys.argv[3]), 0
def memory(line):
    sign, number, registers = re.search(r'(-?)(?:0x([0-9a-f]+))?\((.*?)\)', line).groups()
    return int(number or '0', 16) * (-1 if sign else 1), registers
for line, after in zip(lines, lines[1:]):
    if 'prefetcht0' not in line:
        continue
    found += 1
    (ahead, registers), (at, same) = memory(line), memory(after)
    print(line.strip(), '|', after.strip())
    assert registers == same and (ahead - at) % 69824 == 0 and ahead > at, (line, after)
    assert hints > 1 or ahead - at == bytes_ahead
assert found == hints, (found, hints)
PY
    "$work/hinted" 1500000 | cmp - "$work/apart.out" || fail 'the program prints something else'
    tried=$((tried + 1))
done
[ "$tried" != 0 ] || fail 'no clang was tried'

"$llvm/clang" $flags -o "$work/together" tests/truth/lib/export/strided.c || fail "clang: status $?"
record together edge,call,stack,address,latency
"$gait" export --format llvm-prefetch -o "$work/none" "$work/data" 2>"$work/log" && { cat "$work/none"; fail 'hints for a place that two loads share'; }
grep -q 'share.*-x86-discriminate-memops' "$work/log" || { cat "$work/log"; fail 'not said why: places'; }
record apart edge,call,stack
"$gait" export --format llvm-prefetch -o "$work/none" "$work/data" 2>"$work/log" && fail 'hints without latencies'
grep -q 'events edge,call,stack,address,latency' "$work/log" || { cat "$work/log"; fail 'not said why: latencies'; }
[ ! -e "$work/none" ] || fail 'a file was left'
