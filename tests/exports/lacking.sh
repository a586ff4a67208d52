#!/bin/bash
# What a program lacks for an export is named: files with its debug information that are gone, functions that have no name for BOLT.
cd "$(dirname "$0")/../.." || exit 1
. tests/truth/lib/programs.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/a.c" <<'END'
#include <stdio.h>
int main(void)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < 3000; i++)
        sum += i % 7 ? (i ^ sum) * 3 : i - 1;
    return printf("%u\n", sum) < 0;
}
END
cd "$work" || exit 1
gcc -O2 -g -gsplit-dwarf -c a.c && gcc -o a a.o || fail 'gcc'
"$gait" record -q --exact=counts -o data -- ./a >out || fail 'record'
gcc -O2 -g -gsplit-dwarf -fprofile-use -ftest-coverage -Wno-missing-profile -c a.c || fail 'gcc: notes'
rm a.dwo
for format in 'gcda --notes .' 'gcc --gcc-version 12 -o out' 'llvm -o out'; do
    "$gait" export -q --format $format data 2>errors && fail "$format: exported without a.dwo"
    grep -q '1 .dwo files are missing, first a.dwo' errors || fail "$format: $(cat errors)"
done

gcc -O2 -o b a.c && strip b && "$gait" record -q --exact=counts -o data -- ./b >out || fail 'a stripped program'
"$gait" export --format bolt -o out data 2>errors || fail 'bolt'
grep -q 'not written: [1-9][0-9]* executions of branches in functions without a name' errors || fail "bolt: $(cat errors)"
echo ok
