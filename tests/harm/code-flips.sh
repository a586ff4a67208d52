#!/bin/bash
# Code that a JIT makes writable and executable in turn (tests/programs/code/code_flips.c): exact runs do what the program does
# alone, count all of it, and keep the copies of everything else. Each change of rights used to flush them all; after
# some thousands the log of superblocks was full, and the rest ran natively. Sampled walks executed what may not be executed.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
gcc -O2 -g -D_GNU_SOURCE -o "$work/flips" tests/programs/code/code_flips.c || { bad 'the test program could not be built'; exit 1; }
alone=$("$work/flips")
for mode in counts paths contexts trace; do
    same "$mode" "$alone" "$("$gait" record -q --exact=$mode -o "$work/data" -- "$work/flips")"
    readable "$work/data"
    "$gait" verify "$work/data" >"$work/verify"
    grep -E 'INCOMPLETE|cache flushed' "$work/verify" && bad "$mode: copies were flushed, or not all was counted"
done
for options in '-F 5000' '-F 10000' '--overhead 20% --trigger cputime'; do
    same "$options" "$alone" "$("$gait" record -q $options -o "$work/data" -- "$work/flips")"
done
finish
