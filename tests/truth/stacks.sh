#!/bin/bash
# Unwinding on real programs: the tables against readelf's, row by row; stacks at random instants, and
# at each of the next instructions, against elfutils' unwinder; the first instructions of a run, the
# loader's among them, against the calls that were made.
cd "$(dirname "$0")/../.." || exit 1
. tests/truth/lib/programs.sh
need_command readelf binutils
need_command g++ g++
programs='lua bzip2'
[ -z "$GAIT_LONG" ] || programs="$programs cppcheck" # minutes to build
# shellcheck disable=SC2086
need_programs $programs
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0
steps=$out/unit/collect/test_stack_steps
instants=$out/unit/collect/test_stack_instants
# Their own word is a line; what else they print matters when they fail.
say() { "$@" >"$work/log" 2>&1 || { bad=1; cat "$work/log"; }; grep '^/' "$work/log"; }

# shellcheck disable=SC2046
say "$out/unit/program/test_unwind_rows" $(for name in $programs; do program_binary "$name"; done) \
    /usr/lib/x86_64-linux-gnu/libstdc++.so.6 /usr/lib/x86_64-linux-gnu/libm.so.6

printf '#!/bin/sh\nexec %q --stops 20 --steps 100 "$@" >%q 2>&1\n' "$(realpath "$instants")" "$work/log" >"$work/under"
chmod +x "$work/under"
for name in $programs; do
    [ "$name" != bzip2 ] || continue # its stacks are three deep
    GAIT_PREFIX="$work/under" bench/run-program "$name" medium train "$work/out" || { bad=1; cat "$work/log"; }
    grep '^/' "$work/log"
done
# Large C++ that every machine with a compiler has.
g++ -E -o "$work/all.ii" tests/truth/lib/inlines.cc || bad=1
say "$instants" --stops 20 --steps 100 "$(g++ -print-prog-name=cc1plus)" -quiet -fpreprocessed -O2 -o "$work/all.s" "$work/all.ii"

# Compilers and flags lay frames out in ways of their own.
while read -r compiler flags; do
    command -v "$compiler" >/dev/null || { echo "note: no $compiler, not tested"; continue; }
    # shellcheck disable=SC2086
    "$compiler" $flags -D_GNU_SOURCE -pthread -o "$work/frames" tests/programs/frames.c || { bad=1; continue; }
    echo "$compiler $flags"
    say "$steps" "$work/frames"
done <<'END'
gcc -O0
gcc -O3 -mavx2 -mstackrealign -fcf-protection=full
gcc -Os -fno-plt -static
gcc -O2 -g -gz -fno-asynchronous-unwind-tables
clang -O2 -no-pie
END
say "$steps" --loader 1 "$work/frames"
exit $bad
