#!/bin/bash
# Counts for gcc -fprofile-use of what C++ keeps to itself: lambdas, static functions and templates made for them have no name in
# debug information, and whole functions stand on one line.
cd "$(dirname "$0")/../.." || exit 1
. tests/truth/lib/programs.sh
need_command g++ g++
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
gait=$(realpath "$gait")
for folder in plain counted notes; do mkdir "$work/$folder" && cp tests/truth/lib/gcda/local.cc "$work/$folder"; done
cd "$work" || exit 1

compile() { (cd "$1" && g++ -O2 -g "${@:2}" -c local.cc) >log 2>&1 || { cat log; fail "g++ ${*:2}: status $?"; }; }
compile counted -fprofile-generate && g++ -fprofile-generate -o counted/all counted/local.o && counted/all >out1 || fail "instrumented: status $?"
compile plain && g++ -o plain/all plain/local.o || fail 'does not link'
compile notes -fprofile-use -ftest-coverage -Wno-missing-profile
"$gait" record -q --exact=counts -o data -- plain/all >out2 || fail "record: status $?"
cmp out1 out2 || fail 'the two runs differ'
"$gait" export -q --format gcda --notes notes data || fail "export: status $?"
overlap=$("$gait" compare --json counted notes | sed -n 's/.*"overlap": \([0-9.]*\).*/\1/p')
awk -v all="$overlap" 'BEGIN { exit !(all >= 0.93) }' || { "$gait" compare counted notes; fail "overlap with instrumented counts: $overlap"; }
compile notes -fprofile-use -Werror=coverage-mismatch
g++ -o notes/all notes/local.o && notes/all | cmp - out1 || fail 'the program that gcc made does something else'
echo "$overlap"
