#!/bin/bash
# gcc -fauto-profile reads our profile, in the version that is its own, and has our counts; of our straight runs and branches AutoFDO's create_gcov
# makes a profile with the same counts.
cd "$(dirname "$0")/../.." || exit 1
. tests/truth/lib/programs.sh
need_programs lua
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
folder=$PWD/tests/truth/lib/export

# Debian's create_gcov knows no DWARF 5.
gcc -O2 -gdwarf-4 -o "$work/prog" "$folder"/{one,two}.c || fail "gcc: status $?"
"$gait" record -q --exact=counts -o "$work/data" -- "$work/prog" >"$work/out1" || fail "record: status $?"
"$gait" export --format gcc -o "$work/afdo" "$work/data" || fail "export: status $?"
(cd "$work" && gcc -O2 -fauto-profile=afdo -fdump-ipa-afdo-blocks-details -o again "$folder"/{one,two}.c) || fail "gcc -fauto-profile: status $?"
"$work/again" >"$work/out2" && cmp "$work/out1" "$work/out2" || fail 'the program that gcc made does something else'
cat "$work"/*.afdo >"$work/dump"
for count in 200 526 233 31; do # calls in main's loop, compare, fib, rounds of landing
    grep -q "basic block.*count $count (auto FDO)" "$work/dump" || fail "gcc has no block that ran $count times"
done

# Each version says the same, and none is taken for another.
tests/truth/lib/afdo.py "$work/afdo" >"$work/text" || fail 'not readable'
for version in 9 12 16; do
    "$gait" export --format gcc --gcc-version $version -o "$work/other" "$work/data" || fail "gcc $version: status $?"
    tests/truth/lib/afdo.py "$work/other" >"$work/text$version" || fail "gcc $version: not readable"
    [ $version = 16 ] || cmp "$work/text9" "$work/text$version" || fail "gcc $version: other counts"
done
"$gait" export --format gcc --gcc-version 9 -o "$work/other" "$work/data" || fail "gcc 9: status $?"
gcc -O2 -fauto-profile="$work/other" -c -o "$work/one.o" "$folder/one.c" 2>"$work/log" && [ "$(gcc -dumpversion)" -ge 12 ] &&
    fail 'gcc reads a version that is not its own'

if command -v gcc-11 >/dev/null; then
    (cd "$work" && rm -f ./*.afdo && gcc-11 -O2 -fauto-profile=other -fdump-ipa-afdo-blocks-details -c -o one.o "$folder/one.c") || fail "gcc 11: status $?"
    grep -q 'basic block.*count 526 (auto FDO)' "$work"/*.afdo || fail 'gcc 11 has no block that ran 526 times'
fi

# Of a longer run what is cold has 1 and what is hot has more; nothing that ran has 0.
GAIT_PREFIX="$gait record -q --exact=counts -o $work/lua.data --" bench/run-program lua tiny measure "$work/out" || fail "lua: status $?"
"$gait" export --format gcc -o "$work/lua" "$work/lua.data" || fail "lua: export: status $?"
"$gait" export --format llvm -o "$work/lua.prof" "$work/lua.data" || fail "lua: llvm: status $?"
tests/truth/lib/afdo.py "$work/lua" | awk '/^   +[0-9.]+: [0-9]/ { n[$2 == 0 ? 0 : $2 == 1 ? 1 : 2]++ }
    END { print "lua: lines with 0, 1 and more:", n[0], n[1], n[2]; exit !(n[0] > 100 && n[1] > 100 && n[2] > 100) }' || fail 'lua: no line is cold, or none hot'

if command -v create_gcov >/dev/null || packages_install autofdo >/dev/null 2>&1; then
    "$gait" export --format autofdo-text -o "$work/ranges" "$work/data" || fail "autofdo-text: status $?"
    create_gcov --binary="$work/prog" --profile="$work/ranges" --profiler=text --gcov="$work/theirs" --gcov_version=1 >"$work/log" 2>&1 ||
        { tail -n 3 "$work/log"; fail "create_gcov: status $?"; }
    tests/truth/lib/export_gcc.py "$work/afdo" "$work/theirs" || fail 'counts differ'
else
    echo 'note: no create_gcov, and its package autofdo could not be installed: it is not asked'
fi
