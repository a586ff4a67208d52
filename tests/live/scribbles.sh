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
echo "$told of 6 recordings say that something made no sense"
[ "$told" -gt 0 ] || bad 'nothing was refused'
finish
