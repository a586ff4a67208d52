#!/bin/bash
# Code that is made at run time, in exact runs: what it costs, and that nobody notices when it is gone for moments.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
loop=$(program jit_loop) hidden=$(program jit_hidden)

# Guards are asked by code, and changed code is found without the dispatcher: 6 times the native time (contexts: 36) where the
# way through the dispatcher took 160. Of three runs the best, so that other work does not count.
least() { for _ in 1 2 3; do "$@" | sed -n 2p; done | sort -n | head -n 1; }
native=$(least "$loop" 5000000)
for mode in counts contexts paths; do
    bar=25
    [ $mode = contexts ] && bar=90 # calls of what is no function of a file go by the dispatcher
    exact=$(least "$gait" record -q --exact=$mode -o "$work/data" -- "$loop" 5000000)
    echo "$mode: $exact ns of CPU time for $native natively"
    [ "$exact" -lt $((bar * native)) ] || bad "$mode: code made at run time takes $((exact / native)) times as long"
done
same 'what it says' "$("$loop" 5000 | sed 1q)" "$("$gait" record -q --exact=counts -o "$work/data" -- "$loop" 5000 | sed 1q)"

# A thread that runs hidden code goes on natively: it is said, and the program's own handler sees the fault.
alone=$("$hidden")
for mode in counts contexts trace; do
    for _ in 1 2; do
        got=$("$gait" record -q --exact=$mode -o "$work/data" -- "$hidden") || bad "hidden code, $mode: status $?"
        same "hidden code, $mode" "$alone" "$got"
    done
done
# Everything around the code is taken, and threads share it: copies find a place in every mode.
crowded=$(program jit_crowded)
for mode in counts contexts paths; do
    status 0 "crowded, $mode" "$gait" record --exact=$mode -o "$work/data" -- "$crowded"
    grep -q 'cache was full\|INCOMPLETE' "$work/stderr" && { bad "crowded, $mode: not whole"; sed 's/^/    | /' "$work/stderr"; }
done
damages=yes # runs that went on natively are not whole
finish
