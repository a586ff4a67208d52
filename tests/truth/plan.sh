#!/bin/bash
# Plans: the paths of a function, numbered by operations on its edges that the tool gives a process at its start, are
# counted as often as they were taken; in threads, too. The program's output is its own.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
command -v python3 >/dev/null || skip 'no python3'
command -v nm >/dev/null || skip 'no nm'
make -s "${GAIT_OUT:-o/rel}/programs/paths" >&2 || exit 1
program=$built/programs/paths rounds=100000
# planned COMMAND...: on a busy machine the tool may be late, and says so; then once more.
planned() {
    local attempt
    for attempt in 1 2 3 4; do
        "$gait" record --exact=counts --plan "$work/plan" --dump-plan "$work/counts" -o "$work/data" -- "$@" >"$work/output" 2>"$work/stderr" ||
            bad "$*: status $?: $(cat "$work/stderr")"
        grep -q 'without its plan' "$work/stderr" || return
    done
    skip 'the machine is too busy: plans came too late four times'
}
for threads in 1 4; do
    python3 -B tests/truth/lib/plan.py "$program" $rounds $threads plan "$work/plan" || bad 'no plan'
    "$program" $rounds $threads >"$work/native"
    planned "$program" $rounds $threads
    cmp -s "$work/native" "$work/output" || bad "$threads threads: the program's output differs"
    said=$(python3 -B tests/truth/lib/plan.py "$program" $rounds $threads counts "$work/counts") || bad "$threads threads: $said"
    echo "$threads threads: $said"
    "$gait" verify "$work/data" >/dev/null || bad verify
done
# Modules that are loaded later, again and again at the same addresses: calls by the plan, and as the exact counts have them.
make -s "${GAIT_OUT:-o/rel}"/programs/{libraries,plugs/first.so,plugs/second.so} >&2 || exit 1
entry() { nm -D "$built/programs/plugs/$1.so" | sed -n 's/^0*\([0-9a-f]*\) T plug_answer$/\1/p'; }
printf '%s\n' "first.so 0 $(entry first) count8 1 0" "second.so 0 $(entry second) count8 257 0" >"$work/plan"
planned "$built/programs/libraries"
calls() { "$gait" report --by function --json "$work/data" | python3 -c 'import json, sys
rows = json.load(sys.stdin)["rows"]
print(sum(int(row["count"]) for row in rows if row["name"] == "plug_answer" and row["address"].startswith(sys.argv[1] + "+")))' "$1"; }
counted() { sed -n "s/^$1 //p" "$work/counts"; }
same 'calls of the first library' "$(calls first.so)" "$(counted 1)"
same 'calls of the second library' "$(calls second.so)" "$(counted 257)"
echo "libraries: $(counted 1) and $(counted 257) calls"
echo 'paths 0 zz set 1 1' >"$work/plan"
status 125 'a plan that is none' "$gait" record --exact=counts --plan "$work/plan" -o "$work/none" -- true
says 'line 1'
finish
