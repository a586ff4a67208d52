#!/bin/bash
# The tree of calling contexts (gait lab paths-3) of programs whose trees are known: they have no library, so every
# function, call and path is the program's own.
cd "$(dirname "$0")/../.." || exit 1
. tests/truth/lib/programs.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# tree NAME: of a program from standard input, whose begin() is called once; what it has beside _start and begin is as
# the C text says.
tree() {
    cat >"$work/$1.c"
    cat >>"$work/$1.c" <<'END'
__attribute__((noreturn)) static void leave(void)
{
    __asm__ volatile("syscall" ::"a"(231), "D"(0) : "rcx", "r11", "memory");
    __builtin_unreachable();
}
__attribute__((noreturn, used, force_align_arg_pointer)) void start(void)
{
    begin();
    leave();
}
__asm__(".globl _start\n.type _start,@function\n_start: call start\n.size _start,.-_start\n");
END
    gcc -O0 -fcf-protection=none -static \
        -nostdlib -fno-stack-protector -o "$work/$1" "$work/$1.c" || fail "$1: cannot be compiled"
    "$gait" record -q --exact=paths+contexts -o "$work/$1.data" -- "$work/$1" || fail "$1: status $?"
}
# same NAME COLUMN=VALUE...
same() {
    local name=$1 pair row
    shift
    row=$("$gait" lab --csv paths-3 "$work/$name.data") || fail "lab paths-3: status $?"
    for pair; do
        awk -F, -v column="${pair%=*}" -v value="${pair#*=}" '
            NR == 1 { for (i = 1; i <= NF; i++) if ($i == column) at = i }
            NR == 2 { exit !(at && $at == value) }' <<<"$row" || fail "$name: ${pair} is wrong: $row"
    done
}

# _start, start, begin, and nine below: a chain. start calls leave, too. The call in _start
# does not return, so no path through it ends: no path is counted there.
tree chain < <(
    echo '#define BODY __asm__ volatile("" ::: "memory")'
    echo 'void f9(void) { BODY; }'
    for i in 8 7 6 5 4 3 2 1; do echo "void f$i(void) { BODY; f$((i + 1))(); BODY; }"; done
    echo 'void begin(void) { BODY; f1(); BODY; }'
)
same chain nodes=13 'by merged=1.0' 'out degree=1.1' 'height max=12' 'max replication=1' sites=12 used=12 'one path=11'

# 90 calls of one function: 90 nodes, or one where sites are merged.
tree fan < <(
    echo '#define BODY __asm__ volatile("" ::: "memory")'
    echo 'void leaf(void) { BODY; }'
    echo 'void begin(void) {'
    for ((i = 0; i < 90; i++)); do echo 'leaf();'; done
    echo 'BODY; }'
)
same fan nodes=94 'by merged=18.8' 'height max=4' 'max replication=90' sites=93 used=93 'one path=92'

# Of `odd`: one call on one of its paths, one on both, one on none; `again` calls itself, which adds no node.
tree ways <<'END'
#define BODY __asm__ volatile("" ::: "memory")
volatile int turns = 2;
void a(void) { BODY; }
void b(void) { BODY; }
void c(void) { BODY; }
void odd(int n)
{
    if (n == 1)
        a();
    b();
    if (n > 100)
        c();
}
void again(int n)
{
    if (n)
        again(n - 1);
    BODY;
}
void begin(void)
{
    int n = turns;
    odd(n - 1);
    odd(n - 2);
    again(n);
}
END
# _start, start, leave, begin, two of odd, a in the first alone, b in both, again.
same ways nodes=10 'max replication=2' 'height max=5' sites=13 used=10 'one path=9'
"$gait" lab paths-3 "$work/chain.data" "$work/fan.data" "$work/ways.data"

# Without call sites it is not known which were used.
"$gait" record -q --exact=contexts --merge-sites -o "$work/merged.data" -- "$work/ways" || fail "record: status $?"
"$gait" lab --csv paths-3 "$work/merged.data" | python3 -B -c '
import csv, sys
row = list(csv.DictReader(sys.stdin))[0]
print(row)
assert row["used"] == "" and int(row["nodes"]) < 10 and int(row["sites"]) > 0' || fail 'merged sites'
# A recording without contexts is refused, with what to type.
"$gait" record -q --exact=counts -o "$work/counts" -- "$work/chain" || fail 'counts'
"$gait" lab paths-3 "$work/counts" 2>"$work/said" && fail 'counts have a tree'
grep -q 'paths+contexts' "$work/said" || fail "counts: $(cat "$work/said")"
