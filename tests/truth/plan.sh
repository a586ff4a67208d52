#!/bin/bash
# Plans: the paths of a function, numbered by operations on its edges that the tool gives a process at its start, are
# counted as often as they were taken; in threads, too. The program's output is its own.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
command -v python3 >/dev/null || skip 'no python3'
command -v nm >/dev/null || skip 'no nm'
make -s "${GAIT_OUT:-o/rel}/programs/paths" >&2 || exit 1
program=$built/programs/paths rounds=100000
for threads in 1 4; do
    python3 -B tests/truth/lib/plan.py "$program" $rounds $threads plan "$work/plan" || bad 'no plan'
    "$program" $rounds $threads >"$work/native"
    "$gait" record --exact=counts --plan "$work/plan" --dump-plan "$work/counts" -o "$work/data" -- "$program" $rounds $threads \
        >"$work/output" 2>"$work/stderr" || bad "status $?: $(cat "$work/stderr")"
    cmp -s "$work/native" "$work/output" || bad "$threads threads: the program's output differs"
    grep -q 'without its plan' "$work/stderr" && bad "$(cat "$work/stderr")"
    said=$(python3 -B tests/truth/lib/plan.py "$program" $rounds $threads counts "$work/counts") || bad "$threads threads: $said"
    echo "$threads threads: $said"
    "$gait" verify "$work/data" >/dev/null || bad verify
done
echo 'paths 0 zz set 1 1' >"$work/plan"
status 125 'a plan that is none' "$gait" record --exact=counts --plan "$work/plan" -o "$work/none" -- true
says 'line 1'
finish
