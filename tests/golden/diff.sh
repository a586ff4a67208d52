#!/bin/bash
# gait diff: two builds of a program whose every count can be told by reading it. Functions are matched
# by name without the compiler's suffixes, lines where they moved to.
. tests/golden/lib/golden.sh

# function NAME: starts one; the lines that follow are its body.
mkdir a b
cat >a/walk.s <<'ASM'
.macro function name
.globl "\name"
.type "\name", @function
"\name":
.endm
function main
        push %rbx
        mov $100, %ebx
1:      call "work.part.0"
        call gone
        dec %ebx
        jnz 1b
        pop %rbx
        xor %eax, %eax
        ret
.size main, .-main
function "work.part.0"
        mov $10, %ecx
2:      lea 0x11223344(%rax), %rax
        dec %ecx
        jnz 2b
        ret
.size "work.part.0", .-"work.part.0"
function gone
        nop
        ret
.size gone, .-gone
.section .note.GNU-stack,"",@progbits
ASM
# Nine lines further down, one instruction more in the loop; called 100 times as before, without gone; fresh is new.
{ for i in 1 2 3 4 5 6 7 8 9; do echo "# moved"; done; cat a/walk.s; } |
    sed -e 's/"work.part.0"/work/g; s/call gone/call fresh/; s/gone/fresh/g' -e '/lea 0x11/a\        imul $0x55667788, %rax, %rdx' >b/walk.s
gcc -g -o old a/walk.s && gcc -g -o new b/walk.s || exit 1
expect 0 "$gait" record -q --no-names --exact=counts -o before -- ./old
expect 0 "$gait" record -q --no-names --exact=counts -o after -- ./new

line() { grep -n "$1" "$2" | head -n 1 | cut -d: -f1; }
expect 0 "$gait" diff --module old before after
fits '\+1000 +3200 +4200 .* work +old -> new'
fits '\+200 +- +200 .* new +fresh'
fits '-200 +200 +- .* gone +gone'
fits 'main +old -> new|did not change at all'
fits 'More instructions: work \(\+1000\), fresh \(\+200\)'
fits 'Fewer instructions: gone \(-200\)'
fits 'two builds, matched by name'
expect 0 "$gait" diff --module old --by line before after
fits "\+1000 +- +1000 .* new +work +walk.s:$(line imul b/walk.s) "
expect 0 "$gait" diff --by line --json before after
/usr/bin/python3 - out "$(line lea a/walk.s)" "$(line lea b/walk.s)" <<'PY' || bad=1
import json, sys
rows = [r for r in json.load(open(sys.argv[1]))["rows"] if r["function"] == "work"]
lea = [r for r in rows if r["before"] == 1000 and r["after"] == 1000 and r["line_before"] == int(sys.argv[2])]
if len(lea) != 1 or lea[0]["line_after"] != int(sys.argv[3]) or lea[0]["change"] != 0 or lea[0]["sure"]:
    sys.exit(f"the line of lea, {sys.argv[2]} and then {sys.argv[3]}, was not found again: {rows}")
if sum(r["before"] for r in rows) != 3200 or sum(r["after"] for r in rows) != 4200:
    sys.exit(f"lines of work do not add up: {rows}")
PY
expect 0 "$gait" diff --by module before after
fits '\+1000 .* old -> new'
expect 0 "$gait" diff before before
fits '^Nothing changed\.$'
fits 'one build'
# Another version of gait makes no other build of the program.
/usr/bin/python3 - "${gait%/*}/libgait.so" "$(readelf -n "${gait%/*}/libgait.so" | sed -n 's/.*Build ID: //p')" <<'PY' || bad=1
import sys
whole, build_id = open(sys.argv[1], "rb").read(), bytes.fromhex(sys.argv[2])
assert whole.count(build_id) == 1
open("libgait.so", "wb").write(whole.replace(build_id, bytes(len(build_id))))
PY
GAIT_LIB=$PWD/libgait.so expect 0 "$gait" record -q --no-names --exact=counts -o again -- ./old
expect 0 "$gait" info again
has "$PWD/libgait.so 00000000"
expect 0 "$gait" diff before again
fits 'one build'
# A binary that is gone: its functions are not told apart on either side, and why is said.
mv new elsewhere
expect 0 "$gait" diff before after
fits '\+1000 .* \[no binary\] +old -> new'
fits 'no binary for new'
expect 0 "$gait" diff --by line before after
fits '\+1000 .* \[no binary\] +\(line not known\) +old -> new'
mv elsewhere new
expect 129 "$gait" diff before
expect 129 "$gait" diff --by edge before after
expect 129 "$gait" diff -i before after
expect 2 "$gait" diff before a/walk.s
expect 2 "$gait" diff --module nowhere before after
expect 2 "$gait" diff --weight time before after
expect 1 "$gait" diff --inferred before after
exit $bad
