#!/bin/bash
# What functions cost with all that they called, on a program whose every instruction can be told by reading it: calls, a
# tail call, recursion, and one that goes round through another function.
. tests/golden/lib/golden.sh
cat >calls.s <<'ASM'
.globl main, twice, leaf, last, down, even, odd
.type main, @function
.type twice, @function
.type leaf, @function
.type last, @function
.type down, @function
.type even, @function
.type odd, @function
main:   push %rbx
        mov $10, %ebx
top:    call twice
        dec %ebx
        jnz top
        mov $5, %edi
        call down
        mov $4, %edi
        call even
        call leaf
        pop %rbx
        xor %eax, %eax
        ret
.size main, .-main
twice:  call leaf
        jmp last
.size twice, .-twice
leaf:   nop
        ret
.size leaf, .-leaf
last:   nop
        nop
        ret
.size last, .-last
down:   dec %edi
        jz bottom
        call down
bottom: ret
.size down, .-down
even:   dec %edi
        js 1f
        call odd
1:      ret
.size even, .-even
odd:    dec %edi
        js 1f
        call even
1:      ret
.size odd, .-odd
.section .note.GNU-stack,"",@progbits
ASM
gcc -g -o calls calls.s || exit 1
expect 0 "$gait" record -q --exact=trace+contexts -- ./calls
expect 0 "$gait" verify
expect 0 "$gait" report --module calls --json
cp out report.json
expect 0 "$gait" contexts --flat --json --min 0
cp out contexts.json
expect 0 "$gait" export --format callgrind -o ours.callgrind
# twice: 10 x (call, jmp, leaf 2, last 3). down: 4 x (dec jz call ret) and dec jz ret. even and odd: 4, 3, 2, 1, 0 left.
cat >check.py <<'P'
import json, re, sys
want = {'leaf': 2 * 11, 'last': 3 * 10, 'twice': 7 * 10, 'down': 4 * 4 + 3, 'even': 4 * 4 + 3, 'odd': 4 * 3 + 3}
want['main'] = 2 + 3 * 10 + 2 + 2 + 1 + 3 + want['twice'] + want['down'] + want['even'] + 2
rows = {r['name']: r['total_instructions'] for r in json.load(open('report.json'))['rows']}
flat = {r['function']: r['metrics']['instructions'] for r in json.load(open('contexts.json'))['rows']}
calls, name, called, names = {}, None, None, {}
for line in open('ours.callgrind'):
    match = re.match(r'cfn=\((\d+)\)(?: (.*))?', line)
    defined = re.match(r'c?fn=\((\d+)\) (.*)', line)
    if defined:
        names[defined[1]] = defined[2]
    if match:
        called = names[match[1]]
    elif line.startswith('calls='):
        pending = True
        continue
    elif called and line.startswith('0x'):
        calls[called] = calls.get(called, 0) + int(line.split()[2])
        called = None
bad = 0
for name, cost in want.items():
    for what, found in ('report', rows), ('contexts --flat', flat), ('export', calls):
        if found.get(name) != cost:
            print(f'{what}: {name} costs {found.get(name)} instead of {cost}')
            bad = 1
sys.exit(bad)
P
/usr/bin/python3 -B check.py || fail 'inclusive costs'
expect 0 "$gait" report --module calls
has ' total '
expect 0 "$gait" contexts
has 'weighed by executed instructions'
# Who calls whom: the parts of a function's cost.
expect 0 "$gait" report --callees-of twice --json
fits '"name": "last",.*"count": 10, "total_instructions": 30}'
fits '"name": "leaf",.*"count": 10, "total_instructions": 20}'
fits '"name": null,.*"itself": true,.*"total_instructions": 20}'
expect 0 "$gait" report --callers-of leaf --json
fits '"name": "twice",.*"share": 0.909.*"count": 10, "total_instructions": 20}'
fits '"name": "main",.*"count": 1, "total_instructions": 2}'
expect 0 "$gait" report --callees-of odd
has 'running already (recursion)'
expect 2 "$gait" report --callers-of nosuch
# --by call --function has both ends.
expect 0 "$gait" report --by call --function twice
fits 'main +twice '
fits 'twice +leaf '
grep -q 'main  *leaf ' out && fail 'a call that is neither from nor to the function'
# Without a trace calls are known, and the stubs between modules are left out unless they are asked for.
cat >far.c <<'C'
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv) { int n = 0; for (int i = 0; i < 100; i++) n += (int)strtol(argv[argc - 1], 0, 10); return n == 1; }
C
gcc -O1 -fno-builtin -fplt -o far far.c || exit 1
expect 0 "$gait" record -q --exact=counts -o far.data -- ./far 12
expect 0 "$gait" report --callers-of '*strtol' far.data
fits ' 100  main +far'
expect 0 "$gait" report --by call --function main far.data
fits ' 100  main +[_a-z]*strtol '
grep -q '@plt' out && fail 'stubs are shown unasked'
expect 0 "$gait" report --by call --function main --plt far.data
fits ' 100  main +[_a-z]*strtol@plt '
expect 0 "$gait" report --limit 10000 far.data
grep -q 'strtol@plt' out && fail 'a stub is a function unasked'
cp out folded
expect 0 "$gait" report --limit 10000 --plt far.data
has 'strtol@plt'
# Nothing is lost by folding.
[ "$(awk '/^ *[0-9.]+%/ { n += $2 } END { print n }' folded)" = "$(awk '/^ *[0-9.]+%/ { n += $2 } END { print n }' out)" ] || fail 'instructions of stubs are lost'
expect 0 "$gait" report --json far.data
has 'strtol@plt'
# What is exported is added up by callgrind_annotate just so.
if command -v callgrind_annotate >/dev/null; then
    expect 0 callgrind_annotate --inclusive=yes --threshold=100 --show-percs=no ours.callgrind
    has ' 70  '
    grep -Eq '^ *70  .*:twice ' out || fail 'twice does not cost 70 to callgrind_annotate'
    grep -Eq '^ *19  .*:down ' out || fail 'down does not cost 19 to callgrind_annotate'
else
    echo 'no callgrind_annotate: what it makes of the export was not looked at'
fi
# Flame graphs are of instructions, each in its context.
expect 0 "$gait" export --format collapsed
has 'main;twice;last 30'
exit $bad
