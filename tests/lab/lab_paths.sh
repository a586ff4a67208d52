#!/bin/bash
# Hot paths, hot functions and metrics (gait lab paths-4, paths-5, paths-2m) of a program whose misses are known: it has no library, so every
# path is its own. One way around a loop touches 1,000 cache lines that nobody touched, three others always the same one.
cd "$(dirname "$0")/../.." || exit 1
. tests/truth/lib/programs.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/far.c" <<'END'
enum { LINES = 1000 };
char far[LINES * 4160 + 64];
int near;
void walk(void)
{
    volatile char *at = far;
    for (int i = 0; i < 4 * LINES; i++) {
        if (i % 4 == 0) {
            *at;
            at += 4160;
        } else {
            *(volatile int *)&near;
        }
    }
}
__attribute__((noreturn)) static void leave(void)
{
    __asm__ volatile("syscall" ::"a"(231), "D"(0) : "rcx", "r11", "memory");
    __builtin_unreachable();
}
__attribute__((noreturn, used, force_align_arg_pointer)) void start(void)
{
    walk();
    leave();
}
__asm__(".globl _start\n.type _start,@function\n_start: call start\n.size _start,.-_start\n");
END
gcc -O0 -fcf-protection=none -static -nostdlib -fno-stack-protector -o "$work/far" "$work/far.c" || fail 'far: cannot be compiled'
"$gait" record -q --exact=paths+contexts --core 21264 -o "$work/far.data" -- "$work/far" || fail "record: status $?"
# cell TABLE COLUMN [OPTION...]
cell() {
    local table=$1 column=$2
    shift 2
    "$gait" lab --csv "$@" "$table" "$work/far.data" | python3 -B -c '
import csv, sys
head, row = list(csv.reader(sys.stdin))
print(row[head.index(sys.argv[1])])' "$column"
}
same() { [ "$2" = "$3" ] || fail "$1: expected $2, is $3"; }
# Around the loop by the far line, and by the near one; into it, with the far line first; the last time round, and out.
same 'paths of walk' 4 "$("$gait" paths --json --function walk "$work/far.data" | python3 -c 'import json, sys; print(len(json.load(sys.stdin)["rows"]))')"
same 'hot paths, dense' 1 "$(cell paths-4 dense)"
same 'hot paths, sparse' 0 "$(cell paths-4 sparse)"
python3 -B - "$(cell paths-4 'dense misses')" "$(cell paths-4 'dense inst')" "$(cell paths-4 misses)" <<'END' || fail 'what is along the hot path'
import sys
misses, instructions, all_of = (float(text.rstrip("%")) for text in sys.argv[1:])
print(f"{misses} % of {all_of:.0f} misses along one path, {instructions} % of the instructions")
sys.exit(not (98 < misses <= 100 and 20 < instructions < 35 and 1000 <= all_of <= 1010))
END
# walk is below the average, by the one miss of an instruction of _start.
same 'hot functions, sparse' 1 "$(cell paths-5 sparse)"
same 'hot functions, dense' 0 "$(cell paths-5 dense)"
same 'paths of the hot function' 4.0 "$(cell paths-5 'sparse paths/proc')"
same 'cold functions' 2 "$(cell paths-5 cold)"
# All that missed at all, where nearly nothing is needed to be hot; nothing, where more is needed than there is.
[ "$(cell paths-4 dense --hot 0.01)" -ge 2 ] || fail 'paths with one miss are hot, where 0.01 % suffice'
same 'hot paths, of 100 %' 0 "$(cell paths-4 dense --hot 100)"
"$gait" lab --hot 0.1 paths-4 "$work/far.data" | grep -q 'with a threshold of 0.1 %, of programs with 5,000 paths or more .*: cannot be judged' || fail 'the claim of a low threshold'
"$gait" lab paths-4 "$work/far.data" | grep -q 'few paths, .* have 59 to 98 % of them: holds' || fail 'the claim of hot paths'
"$gait" lab --hot 1 paths-3 "$work/far.data" 2>"$work/said" && fail '--hot of a tree'
grep -q -- '--hot goes with paths-4 and paths-5' "$work/said" || fail "--hot of a tree: $(cat "$work/said")"
# Of the loads that miss nearly all are along paths, and all are in contexts.
python3 -B - "$("$gait" lab --csv paths-2m "$work/far.data" | tail -1)" <<'END' || fail 'metrics'
import sys
cells = [float(cell or 0) for cell in sys.argv[1].split(",")[1:]]
all_of, along, inside = cells[0::3], cells[1::3], cells[2::3]
print(" ".join(f"{a:g} {f:g} {c:g};" for a, f, c in zip(all_of, along, inside)))
bad = not 1000 <= all_of[2] <= 1010 or all_of[3] > 10 or all_of[7] != 0  # misses of loads and of stores; nothing is a vector
bad |= any(a and not (0.9 <= f <= 1 and c == 1) for a, f, c in zip(all_of[:3], along, inside))
sys.exit(bad)
END
"$gait" record -q --exact=paths -o "$work/counts" -- "$work/far" || fail "record: status $?"
"$gait" lab paths-2m "$work/counts" >"$work/said" 2>&1 && fail 'metrics of a recording without a model'
grep -q 'no model has seen it' "$work/said" || fail "metrics: $(cat "$work/said")"
