#!/bin/bash
# gait report, compare and verify: what they print and return, on an exact recording of a program
# whose every count can be told by reading it.
. tests/golden/lib/golden.sh

cat >walk.s <<'ASM'
.globl main, leaf
.type main, @function
.type leaf, @function
main:   push %rbx
        mov $1000, %ebx
top:    test $3, %ebx
branch: jnz skip
site:   call leaf
skip:   dec %ebx
back:   jnz top
        pop %rbx
        xor %eax, %eax
        ret
.size main, .-main
leaf:   nop
        ret
.size leaf, .-leaf
.section .note.GNU-stack,"",@progbits
ASM
gcc -g -o walk walk.s || exit 1
# walk+0xADDRESS of a label
at() { nm walk | awk -v name="$1" '$3 == name { sub(/^0+/, "", $1); print "walk+0x" $1 }'; }

expect 0 "$gait" record -q --exact=counts -- ./walk
expect 0 "$gait" verify
has good

expect 0 "$gait" report --module walk --json
has "{\"name\": \"main\", \"linkage\": \"main\", \"address\": \"$(at main)\", \"count\": 1, \"lo\": 1, \"hi\": 1, \"instructions\": 4255,"
has "{\"name\": \"leaf\", \"linkage\": \"leaf\", \"address\": \"$(at leaf)\", \"count\": 250, \"lo\": 250, \"hi\": 250, \"instructions\": 500,"
expect 0 "$gait" report --module walk --by edge --json
has "{\"from\": \"$(at branch)\", \"to\": \"$(at skip)\", \"kind\": \"taken\", \"count\": 750, \"lo\": 750, \"hi\": 750, \"share\": "
has "{\"from\": \"$(at branch)\", \"to\": \"$(at site)\", \"kind\": \"fall\", \"count\": 250, \"lo\": 250, \"hi\": 250, \"share\": "
has "{\"from\": \"$(at site)\", \"to\": \"$(at skip)\", \"kind\": \"next\", \"count\": 250, \"lo\": 250, \"hi\": 250, \"share\": "
has "{\"from\": \"$(at back)\", \"to\": \"$(at top)\", \"kind\": \"taken\", \"count\": 999, \"lo\": 999, \"hi\": 999, \"share\": "
expect 0 "$gait" report --module walk --by block --json
has "{\"address\": \"$(at top)\", \"size\": 8, \"count\": 1000, \"lo\": 1000, \"hi\": 1000, \"share\": "
has "{\"address\": \"$(at skip)\", \"size\": 4, \"count\": 1000, \"lo\": 1000, \"hi\": 1000, \"share\": "
expect 0 "$gait" report --module walk --by call --json
has "{\"from\": \"$(at site)\", \"to\": \"$(at leaf)\", \"kind\": \"call\", \"count\": 250, \"lo\": 250, \"hi\": 250, \"share\": "
expect 0 "$gait" report --module walk --by instruction --json
has "{\"address\": \"$(at back)\", \"count\": 1000, \"lo\": 1000, \"hi\": 1000, \"time\": null,"
expect 0 "$gait" report --module walk --by line --json
has "walk.s\", \"line\": 10, \"count\": 1000,"
expect 0 "$gait" report --module walk
has 'exact, '
has 'main is the hottest function'
has 'gait annotate main'
expect 0 "$gait" report --module walk --by line
has 'walk.s:'
expect 0 "$gait" report --function 'le*' --json
has '"name": "leaf"'
grep -q '"name": "main"' out && fail '--function lets others through'
expect 0 "$gait" report --module walk --by loop --json
has "{\"address\": \"$(at top)\", \"function\": \"main\", \"depth\": 1, \"around\": null, \"irreducible\": false, \"iterations\": 1000, \"iterations_lo\": 1000, \"iterations_hi\": 1000, \"entries\": 1, \"entries_lo\": 1, \"entries_hi\": 1, \"mean\": 1000, \"mean_lo\": 1000, \"mean_hi\": 1000, \"trips\": null, \"cut\": null, \"instructions\": 4250,"
expect 0 "$gait" report --module walk --by loop
fits '^ *[0-9.]+% +4250 +1000 +1 +1000 +main +walk.s:6 +walk\+0x'
expect 2 "$gait" report --function nosuch
expect 2 "$gait" report --module nosuch
grep -q 'no such module; the profile has .*walk' err || fail 'modules are not listed'
expect 2 "$gait" report --pid 1
expect 129 "$gait" report --pid none
expect 129 "$gait" report --color sometimes
expect 0 "$gait" report --color always
grep -q "$(printf '\033')" out || fail 'no colours'
expect 0 "$gait" report
grep -q "$(printf '\033')" out && fail 'colours where no terminal is'
expect 0 "$gait" report --module walk --by inline --json
has '"inlined": false'
expect 0 "$gait" report --module walk
expect 0 "$gait" report --module walk --limit 1
has '... and '

# Indirect calls and jumps out of functions have their targets.
cat >table.c <<'C'
#define OWN __attribute__((noipa))
OWN static int a(int x) { return x + 1; }
OWN static int b(int x) { return x * 3; }
static int (*const table[])(int) = {a, b, b, b};
OWN static int tail(int x) { return table[x & 3](x); }
OWN static int go(int n) { int s = 0; for (int i = 0; i < n; i++) s += table[i & 3](i) + tail(i); return s; }
int main(void) { return go(4000) == 0; }
C
gcc -O2 -g -o table table.c || exit 1
expect 0 "$gait" record -q --exact=counts -o table.data -- ./table
expect 0 "$gait" report --by call --module table table.data
fits ' 4000 +go +tail '
fits ' 3000 +go +b '
fits ' 1000 +go +a '
fits ' 3000 +tail +b '
fits ' 1000 +tail +a '
expect 0 "$gait" report --by call --module table --json table.data
has '"kind": "icall", "count": 3000, "lo": 3000, "hi": 3000,'
has '"kind": "indirect", "count": 1000, "lo": 1000, "hi": 1000,'
expect 0 "$gait" annotate -i table.data go
fits '# -> b 75%, a 25%'
fits '# 99.98% taken'

# Who calls the hottest function is worth a sentence if it is nearly always the same.
cat >calls.c <<'C'
#define PART __attribute__((noinline, noclone))
PART static void hot(void) { for (int i = 0; i < 200; i++) __asm__ volatile(""); }
PART static void often(void) { for (int i = 0; i < 97; i++) hot(); }
int main(void) { often(); hot(); hot(); hot(); return 0; }
C
gcc -O1 -g -o calls calls.c || exit 1
expect 0 "$gait" record -q --exact=counts -o calls.data -- ./calls
expect 0 "$gait" report calls.data
has 'of the calls to hot, 97 % come from often'
has 'gait report --callers-of hot -i calls.data'
expect 0 "$gait" compare --by edge --json gait.data gait.data
has '{"overlap": 1, "matched_truth": 1, "matched_other": 1, "interval_coverage": 1, "keys": '
expect 0 "$gait" compare gait.data gait.data
has 'overlap by edge, weighed by count: 100.00 %'

# The file has changed since: what the profile keeps of it explains its records; without, they are kept, but not
# explained.
expect 0 "$gait" record -q --exact=counts --no-names -o bare.data -- ./walk
cp walk old && sed -i 's/\$3,/$1,/' walk.s && gcc -g -o walk walk.s
expect 0 "$gait" report
has 'main is the hottest function'
expect 0 "$gait" report bare.data
has 'no binary for walk: '
mv old walk

for command in report compare verify; do
    expect 0 "$gait" $command --help
    has "usage: gait $command"
    expect 129 "$gait" $command --nonsense
    expect 129 "$gait" $command a b c
    expect 129 "$gait" $command --by nothing gait.data gait.data
done
expect 129 "$gait" compare gait.data
expect 129 "$gait" report --by edge --weight time
expect 129 "$gait" report --limit many
expect 2 "$gait" report missing
expect 2 "$gait" report walk.s
expect 2 "$gait" compare gait.data walk.s
expect 2 "$gait" verify walk
expect 2 "$gait" report --weight time
expect 1 "$gait" report --by line --inferred
expect 1 "$gait" compare --by instruction --inferred gait.data gait.data
"$gait" report >/dev/full 2>err && fail 'report: a full disk goes unnoticed'
exit $bad
