#!/bin/bash
# A program whose system calls are made by sampled walks sees what it sees alone: results, and signals at the right instruction
# (tests/programs/calls.c). So does one whose walks are suspended while it waits in calls (tests/truth/lib/harm/waits.c).
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
gcc -O2 -o "$work/calls" tests/programs/calls.c || { bad 'the test program could not be built'; exit 1; }
same natively ok "$("$work/calls" 2000)"
for options in '-F 10000' '--overhead 20% --trigger cputime' '-F 5000 --events value'; do
    same "$options" ok "$("$gait" record -q $options -o "$work/data" -- "$work/calls" 10000)"
    readable "$work/data"
done
gcc -O2 -D_GNU_SOURCE -pthread -o "$work/waits" tests/truth/lib/harm/waits.c || { bad 'the test program could not be built'; exit 1; }
alone=$("$work/waits")
for options in '-F 10000' '-F 10000' '-F 10000' '--overhead 20% --trigger cputime'; do
    same "$options" "$alone" "$("$gait" record -q $options -o "$work/data" -- "$work/waits")"
done
# Plain handlers that come meanwhile: they wait themselves, fork, jump, and the program single-steps itself afterwards.
gcc -O2 -D_GNU_SOURCE -o "$work/plain" tests/programs/signals/signal_waits.c || { bad 'the test program could not be built'; exit 1; }
alone=$("$work/plain")
for options in '-F 10000' '-F 10000' '--overhead 20% --trigger cputime'; do
    same "plain handlers, $options" "$alone" "$(timeout 60 "$gait" record -q $options -o "$work/data" -- "$work/plain")"
done
# A walk does not end in an interposer that only asks who calls: it sees more than the 100,000 instructions between two calls.
cat >"$work/masks.c" <<'C'
#include <signal.h>
volatile unsigned long word;
int main(void)
{
    sigset_t none;
    sigemptyset(&none);
    for (int i = 0; i < 6000; i++) {
        for (int j = 0; j < 20000; j++)
            word = word * 3 + j;
        pthread_sigmask(SIG_BLOCK, &none, 0);
    }
    return 0;
}
C
gcc -O2 -o "$work/masks" "$work/masks.c" || bad 'the test program could not be built'
"$gait" record -q -F 1000 -o "$work/data" -- "$work/masks"
"$gait" info --json "$work/data" | python3 -c '
import json, sys
totals = json.load(sys.stdin)["rows"][0]
each = totals["instructions"] / max(1, totals["windows"])
print("%.0f instructions a walk" % each)
sys.exit(each < 200000)' || bad 'walks end in interposers'
finish
