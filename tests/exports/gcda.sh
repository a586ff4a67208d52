#!/bin/bash
# gcc -fprofile-use takes our counts without complaint, and they are those of its own instrumentation: to the last one in functions
# whose code says enough, nearly in all.
cd "$(dirname "$0")/../.." || exit 1
. tests/truth/lib/programs.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
gait=$(realpath "$gait")
for dump in gcov-dump gcov-dump-12 ''; do command -v "$dump" >/dev/null && break; done
[ -n "$dump" ] || skip 'no gcov-dump'
for folder in plain counted notes; do mkdir "$work/$folder" && cp tests/truth/lib/gcda/*.[ch] "$work/$folder"; done
cd "$work" || exit 1

# compile FOLDER FLAGS...
compile() { (cd "$1" && gcc -O2 -g "${@:2}" -c ./*.c) >log 2>&1 || { cat log; fail "gcc ${*:2}: status $?"; }; }
compile counted -fprofile-generate && gcc -fprofile-generate -o counted/all counted/*.o && counted/all 3000 >out1 || fail "instrumented: status $?"
compile plain && gcc -o plain/all plain/*.o || fail 'does not link'
compile notes -fprofile-use -ftest-coverage -Wno-missing-profile
"$gait" record -q --no-names --exact=counts -o data -- plain/all 3000 >out2 || fail "record: status $?"
cmp out1 out2 || fail 'the two runs differ'
"$gait" export -q --format gcda --notes notes data || fail "export: status $?"

# gcc's own reader, and gcc.
for one in notes/*.gcda; do
    "$dump" -l "$one" >dump 2>&1 && grep -q COUNTERS dump || fail "$dump $one: $(cat dump)"
done
compile notes -fprofile-use -Werror=coverage-mismatch -Werror=missing-profile -fdump-tree-profile_estimate
[ ! -s log ] || { cat log; fail 'gcc complains'; }
gcc -o notes/all notes/*.o && notes/all 3000 | cmp - out1 || fail 'the program that gcc made does something else'
# The same in a folder of profiles, by gcc's names for them.
mkdir profiles && "$gait" export -q --format gcda --notes notes -o profiles data || fail "export -o: status $?"
rm notes/*.gcda
compile notes -fprofile-use="$work/profiles" -Werror=missing-profile
[ ! -s log ] || { cat log; fail 'gcc does not find what is in the folder'; }

# Counts of an instrumented run that are there are kept, and those of other programs stay where they are.
cp counted/one.gcda notes/one.gcda
gcc -O2 -g -fprofile-use -ftest-coverage -Wno-missing-profile -c -o notes/foreign.o -x c - <<<'int foreign(int x) { return x ? 2 : 3; }' && echo theirs >notes/foreign.gcda || fail 'foreign notes'
"$gait" export --format gcda --notes notes data 2>log || fail "export over counts: status $?"
cmp counted/one.gcda notes/one.gcda.old || fail 'counts of an instrumented run are lost'
[ "$(cat notes/foreign.gcda)" = theirs ] && [ ! -e notes/foreign.gcda.old ] || fail 'counts of another program were touched'
grep -q '^gait: 1 that was there: kept as .gcda.old' log && grep -q '1 of them have a .gcda file of another run' log || { cat log; fail 'not a word of counts that were there'; }
rm notes/*.gcda* notes/foreign.o notes/foreign.gcno

# Of which branches the program does not tell the way is said: here a conditional move's.
mkdir moved && cat >moved/moved.c <<'END'
#include <stdlib.h>
__attribute__((noinline)) unsigned moved(unsigned x)
{
    unsigned r = x * 3;
    if (x & 1)
        r = x ^ 5;
    return r;
}
int main(void)
{
    unsigned s = 0;
    for (unsigned i = 0; i < 9000; i++)
        s += moved(s + i);
    return s == 0;
}
END
(cd moved && gcc -O2 -g -o moved moved.c && gcc -O2 -g -fprofile-use -ftest-coverage -Wno-missing-profile -c moved.c) || fail 'moved does not compile'
if objdump -d --no-show-raw-insn moved/moved | sed -n '/<moved>:/,/ret/p' | grep -q cmov; then
    "$gait" record -q --exact=counts -o moved/data -- moved/moved
    "$gait" export --format gcda --notes moved moved/data 2>log || fail "export of moves: status $?"
    grep -q '1 function is poorly determined.* moved$' log && grep -q 'of 5[0-9.]* % of what' log || { cat log; fail 'a conditional move is taken for a branch'; }
fi

# A function on one line, whose branches became moves: nothing but its calls says that it ran, and zeros would make it cold.
mkdir lined && cat >lined/lined.c <<'END'
__attribute__((noipa)) int order(const int *a, const int *b) { int x = *a ^ 1, y = *b ^ 1; return x < y ? -1 : x > y; }
int main(void)
{
    int sum = 0, last = 77;
    for (int i = 0; i < 7000; i++)
        sum += order(&i, &last);
    return sum == 0;
}
END
(cd lined && gcc -O2 -g -o lined lined.c && gcc -O2 -g -fprofile-use -ftest-coverage -Wno-missing-profile -c lined.c) || fail 'lined does not compile'
"$gait" record -q --exact=counts -o lined/data -- lined/lined
"$gait" export -q --format gcda --notes lined lined/data || fail "export of a function on one line: status $?"
"$dump" -l lined/lined.gcda | grep -q ' 0: 7000 ' || { "$dump" -l lined/lined.gcda; fail 'a function on one line did not run'; }

# Conditions on one line: the dump of the compilation says which block has which column, and code that is not optimised much has
# all branches. Then counts are those of the instrumented program, also where that has copies of what such code calls.
for folder in oneline oneline/counted oneline/notes; do mkdir $folder; done && cat >oneline/oneline.c <<'END'
__attribute__((noipa)) int pick(const int *a, const int *b) { return a[0] != b[0] ? a[0] < b[0] : a[1] < b[1]; }
__attribute__((noipa)) int look(const int *a, int n, int x) { int i = 0; while (i < n && a[i] != x && (i != 5 || x != 3)) i++; return i; }
int small(int x) { return x * 3 + 1; }
int main(void)
{
    int sum = 0, a[40] = {0};
    for (int i = 0; i < 7000; i++) {
        a[i % 39] = i % 11 * (i % 3);
        sum += pick(&a[i % 37], &a[i % 31]) + look(a, i % 38, i % 7) + small(sum & 7);
    }
    return sum == 0;
}
END
(cd oneline && gcc -Og -g -o oneline oneline.c && cd counted && gcc -O2 -g -fprofile-generate -o counted ../oneline.c -dumpbase '' -dumpbase-ext '' && ./counted && cd ../notes &&
    gcc -O2 -g -fprofile-use -ftest-coverage -Wno-missing-profile -fdump-ipa-profile -fdump-tree-release_ssa-lineno -c ../oneline.c) || fail 'oneline does not compile'
"$gait" record -q --exact=counts -o oneline/data -- oneline/oneline
"$gait" export -q --format gcda --notes oneline/notes oneline/data || fail "export of conditions on one line: status $?"
same=$("$gait" compare --json oneline/counted oneline/notes | sed -n 's/.*"overlap": \([0-9.]*\).*/\1/p')
awk -v same="$same" 'BEGIN { exit !(same > 0.9999) }' || { "$gait" compare oneline/counted oneline/notes; fail "conditions on one line: $same"; }

# Counts.
overlap() { "$gait" compare --json "$@" | sed -n 's/.*"overlap": \([0-9.]*\).*/\1/p'; }
"$gait" export -q --format gcda --notes notes data || fail "export: status $?"
all=$(overlap counted notes)
awk -v all="$all" 'BEGIN { exit !(all >= 0.97) }' || { "$gait" compare counted notes; fail "overlap with instrumented counts: $all"; }
cp notes/*.gcno counted && same=$(overlap counted counted)
awk -v same="$same" 'BEGIN { exit !(same > 0.999999) }' || fail "counts are not like themselves: $same"

# Targets of indirect calls.
targets() { "$dump" -l "$1" | sed -n '/indirect_call [1-9]/{n;s/.*  0: \([0-9]* [0-9]* [0-9]* [0-9]*\) .*/\1/p;q}'; }
for one in two values; do
    [ -n "$(targets counted/$one.gcda)" ] && [ "$(targets counted/$one.gcda)" = "$(targets notes/$one.gcda)" ] ||
        fail "$one: targets of indirect calls: $(targets notes/$one.gcda), instrumented: $(targets counted/$one.gcda)"
done

# What cannot be done is said.
refuses() {
    local text=$1
    shift
    "$@" >log 2>&1 && fail "$* went well"
    grep -q -- "$text" log || { cat log; fail "$*: does not say: $text"; }
}
mkdir none
refuses 'no .gcno files there' "$gait" export --format gcda --notes none data
printf 'oncg*28A\0\0\0\0' >none/old.gcno
refuses 'of gcc 8.2' "$gait" export --format gcda --notes none data
head -c 100 notes/one.gcno >none/old.gcno
refuses 'the file ends first' "$gait" export --format gcda --notes none data
cp notes/one.gcno none/old.gcno && gcc -O2 -o stripped plain/*.c && "$gait" record -q --exact=counts -o bare -- ./stripped 10 >/dev/null
refuses 'no line of it belongs to the notes' "$gait" export --format gcda --notes notes bare
gcc -O1 -g -o plain/all plain/*.c
refuses 'is not the build that ran' "$gait" export --format gcda --notes notes data
echo "overlap of arcs with instrumented counts: $all"
