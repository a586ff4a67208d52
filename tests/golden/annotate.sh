#!/bin/bash
# gait annotate: what it prints and returns, on an exact recording of a program whose every count can be
# told by reading it. The expected text is here.
. tests/golden/lib/golden.sh

cat >walk.s <<'ASM'
.globl main, leaf, leaf_of_another_kind
.type main, @function
.type leaf, @function
.type leaf_of_another_kind, @function
main:   push %rbx
        mov $1000, %ebx
        lea leaf(%rip), %rbp
top:    test $3, %bl
        jnz skip
        call *%rbp
skip:   dec %ebx
        jnz top
        test %ebx, %ebx
        jz out
        nop
        nop
        nop
        nop
        nop
        nop
        nop
        nop
out:    call leaf_of_another_kind
        pop %rbx
        xor %eax, %eax
        ret
.size main, .-main
leaf:   nop
        ret
.size leaf, .-leaf
leaf_of_another_kind: nop
        ret
.size leaf_of_another_kind, .-leaf_of_another_kind
.section .note.GNU-stack,"",@progbits
ASM
gcc -g -no-pie -o walk walk.s || exit 1
expect 0 "$gait" record -q --exact=counts -- ./walk

# Where main lies and how much else ran depends on the start-up code that is linked in.
main=$((16#$(nm walk | sed -n 's/ T main$//p')))
shown() {
    sed 1,4d out | perl -pe 'BEGIN { $main = shift } s/(?<= )(4[0-9a-f]{5})\b/sprintf "%6s", "+" . (hex($1) - $main)/ge; s/[ \d]\d\.\d\d%/##.##%/; s/0x[0-9a-f]+\(%rip\)/0x##(%rip)/; s/# 0x[0-9a-f]+ </# ## </; s/\s+$/\n/' "$main"
}
expect 0 "$gait" annotate main
shown >got
cat >want <<'WANT'
         share        count
                            walk.s:5  main:   push %rbx
        ##.##%            1       +0        push %rbx
                            walk.s:6          mov $1000, %ebx
        ##.##%            1       +1        mov $0x3e8, %ebx
                            walk.s:7          lea leaf(%rip), %rbp
        ##.##%            1       +6        lea 0x##(%rip), %rbp   # ## <leaf>
                            walk.s:8  top:    test $3, %bl
        ##.##%         1000      +13 .L1:   test $0x3, %bl
                            walk.s:9          jnz skip
        ##.##%         1000      +16        jne .L2   # 75.0% taken
                            walk.s:10          call *%rbp
        ##.##%          250      +18        call *%rbp   # -> leaf 100%
                            walk.s:11  skip:   dec %ebx
        ##.##%         1000      +20 .L2:   dec %ebx
                            walk.s:12          jnz top
        ##.##%         1000      +22        jne .L1   # 99.9% taken
                            walk.s:13          test %ebx, %ebx
        ##.##%            1      +24        test %ebx, %ebx
                            walk.s:14          jz out
        ##.##%            1      +26        je .L3   # 100.0% taken
                            walk.s:15          nop
                                 +28        nop
                            walk.s:16          nop
                                 +29        nop
                            ... 4 instructions were not seen
                            walk.s:21          nop
                                 +34        nop
                            walk.s:22          nop
                                 +35        nop
                            walk.s:23  out:    call leaf_of_another_kind
        ##.##%            1      +36 .L3:   call leaf_of_another_kind
                            walk.s:24          pop %rbx
        ##.##%            1      +41        pop %rbx
                            walk.s:25          xor %eax, %eax
        ##.##%            1      +42        xor %eax, %eax
                            walk.s:26          ret
        ##.##%            1      +44        ret
WANT
same want got 'the text'
expect 0 "$gait" annotate main --all
[ "$(grep -c '[0-9a-f]        nop$' out)" = 8 ] || fail '--all does not show all'

# A glob means all that it fits, the hottest first; a file is no function.
expect 0 "$gait" annotate 'leaf*'
[ "$(grep -n '^leaf ' out | cut -d: -f1)" -lt "$(grep -n '^leaf_of_another_kind ' out | cut -d: -f1)" ] || fail 'a glob shows not all, or in another order'
expect 0 "$gait" annotate 'leaf*' --limit 1
grep -q '^leaf_of_another_kind ' out && fail '--limit of a glob'
expect 2 "$gait" annotate ./gait.data
grep -q 'gait annotate -i ./gait.data' err || fail 'no hint at -i'

expect 0 "$gait" annotate main --side
grep -qE '^ +[0-9.]+% +250 +[0-9a-f]+ +call \*%rbp   # -> leaf 100% +\| walk.s:10          call \*%rbp$' out || fail '--side'
[ "$(grep -c ' | ' out)" = "$(grep -c '^ .* 40' out)" ] || fail '--side: lines without code'

# Every instruction, with its count, against objdump's list of them.
expect 0 "$gait" annotate main --json
has '"schema": "gait/annotate/1"'
grep -o '^{"function": "main", "address": "walk+0x[0-9a-f]*"' out | sed 's/.*0x\(.*\)"/\1/' >addresses
objdump -d --disassemble=main walk | sed -n 's/^ *\([0-9a-f]*\):.*/\1/p' >oracle
same oracle addresses 'instructions are not those of objdump'
python3 - <<'PY' || fail 'the JSON'
import json
rows = json.load(open("out"))["rows"]
def one(text):
    found = [r for r in rows if r["assembly"].startswith(text)]
    assert len(found) == 1, (text, found)
    return found[0]
assert one("push")["count"] == 1 and one("push")["lo"] == 1 and one("push")["time"] is None
assert one("dec")["count"] == 1000 and one("dec")["cpi"] is None
assert one("jne .L2")["taken"] == 0.75 and one("jne .L2")["taken_lo"] == 0.75
assert one("call *%rbp")["targets"][0]["count"] == 250
assert one("call *%rbp")["line"] == 10 and one("call *%rbp")["file"].endswith("/walk.s")
assert [r["count"] for r in rows if r["assembly"] == "nop"] == [0] * 8
PY

# Names.
expect 0 "$gait" annotate --syntax intel 'mai[n]'
has 'xor eax, eax'
expect 0 "$gait" annotate "walk+0x$(nm walk | sed -n 's/^0*\([0-9a-f]*\) t top$/\1/p')"
has 'main  walk+0x'
expect 0 "$gait" annotate --module walk --above 1 --limit 2
[ "$(grep -c '  walk+0x' out)" = 2 ] || fail 'not two functions'
expect 2 "$gait" annotate mian
grep -q "no function 'mian' was seen to run; nearest: main" err || fail "nearest: $(cat err)"
expect 2 "$gait" annotate abort
grep -q "'abort' of libc.so.6 was not seen to run" err || fail "not run: $(cat err)"
expect 2 "$gait" annotate --module nosuch main
expect 2 "$gait" annotate main missing
expect 2 "$gait" annotate --weight time main
expect 2 "$gait" annotate --tid 1 main
expect 129 "$gait" annotate main gait.data more
expect 129 "$gait" annotate --syntax masm main
expect 129 "$gait" annotate --above much main
expect 0 "$gait" annotate --color always main
grep -q "$(printf '\033')" out || fail 'no colours'
expect 0 "$gait" annotate main
grep -q "$(printf '\033')" out && fail 'colours where no terminal is'

# Source that is gone, or has changed.
touch -d '+1 hour' walk.s
expect 0 "$gait" annotate main
has 'changed after the program was built'
mv walk.s gone.s
expect 0 "$gait" annotate main
has 'is not there'
[ "$(grep -c 'is not there' out)" = 1 ] || fail 'said more than once'
has 'walk.s:10'
exit $bad
