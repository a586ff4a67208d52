#!/bin/bash
# Runs with others
# A program whose system calls are made by sampled walks sees what it sees alone: results, and signals at the right instruction
# (tests/programs/calls.c).
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
gcc -O2 -o "$work/calls" tests/programs/calls.c || { bad 'the test program could not be built'; exit 1; }
same natively ok "$("$work/calls" 2000)"
for options in '-F 10000' '--overhead 20% --trigger cputime' '-F 5000 --events value'; do
    same "$options" ok "$("$gait" record -q $options -o "$work/data" -- "$work/calls" 10000)"
    readable "$work/data"
done
finish
