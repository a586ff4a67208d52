#!/bin/bash
# A program that writes over the memory it shares with the tool: the tool lives, refuses what cannot be, says so, and writes a
# profile that verifies.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
scribbles=$(program scribbles)
told=0
for seed in 1 2 3 4 5 6; do
    timeout 60 "$gait" record -F 500 -o "$work/data" -- "$scribbles" $seed >"$work/stdout" 2>"$work/stderr"
    # Of its own doing the program may end by a signal; of 125 the tool would be the cause, of 124 it never ended.
    case $? in 124 | 125) bad "seed $seed: the tool failed"; sed 's/^/    | /' "$work/stderr" ;; esac
    readable "$work/data"
    # Less than a second passed.
    grep -E '[0-9]{1,3}(,[0-9]{3}){3,} (x|interrupts)' "$work/stderr" | grep -v ' instructions' && bad "seed $seed: a figure that cannot be"
    grep -q 'overhead 0.00 %' "$work/stderr" && bad "seed $seed: recording cost nothing"
    grep -q 'damaged data from the program' "$work/stderr" && told=$((told + 1))
done
# All counters at once: neither side may divide by what is left there, or wait for it. Counts of an exact run that could be
# are taken, and need not fit each other.
for mode in "-F 500" --exact=counts --exact=paths --exact=contexts; do
    timeout 60 "$gait" record $mode -o "$work/data" -- "$scribbles" 0 >"$work/stdout" 2>"$work/stderr"
    status=$?
    [ "$status" = 0 ] || { bad "$mode, all counters: status $status"; sed 's/^/    | /' "$work/stderr"; }
    grep -q 'damaged data from the program' "$work/stderr" || bad "$mode, all counters: nothing was refused"
    rm -f "$work/data"
done
for seed in 1 2 3; do
    timeout 60 "$gait" record --exact=counts -o "$work/data" -- "$scribbles" $seed >"$work/stdout" 2>"$work/stderr"
    "$gait" report -i "$work/data" 2>&1 | grep -E '[0-9]{1,3}(,[0-9]{3}){5,}' && bad "seed $seed, exact: more than a CPU can count"
    rm -f "$work/data"
done
echo "$told of 6 recordings say that something made no sense"
[ "$told" -gt 0 ] || bad 'nothing was refused'
finish
