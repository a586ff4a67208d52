#!/bin/bash
# Programs that interrupt their threads by SIGURG, as Go does, and that the agent was put into, which uses it too: none of
# their signals is lost, and samples are where the thread was, not where the handler moved it.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
echo 'int main(void) { return 0; }' | gcc -static -x c -o "$work/try" - 2>/dev/null || skip 'no static libc to link with'
gcc -O2 -g -static -D_GNU_SOURCE -pthread -o "$work/urgent" tests/programs/signals/signal_urgent.c || bad 'signal_urgent.c'
share() { # of FUNCTION in self time, per cent
    "$gait" report --json -i "$work/data" | python3 -c '
import json, sys
rows = json.load(sys.stdin)["rows"]
all = sum(row["time"] for row in rows)
print(round(100 * sum(row["time"] for row in rows if row["name"] == sys.argv[1]) / all))' "$1"
}
for mode in '--trigger cputime' '--trigger perf' '--trigger cputime --overhead 10%'; do
    status 0 "$mode" timeout 200 "$gait" record -q $mode -o "$work/data" -- "$work/urgent" 0.6
    same "$mode: signals" 'all arrived' "$(cat "$work/stdout")"
    moved=$(share moved) turn=$(share turn)
    echo "$mode: $turn % of the time in turn, $moved % in moved"
    [ "$moved" -le 3 ] && [ "$turn" -ge 60 ] || bad "$mode: $turn % in turn, $moved % in moved"
done


# A thread that blocks it has its time by the kernel, and no advice that does not help.
cat >"$work/blocks.c" <<'C'
#include <signal.h>
int main(void) { sigset_t set; sigemptyset(&set); sigaddset(&set, SIGURG); sigprocmask(SIG_BLOCK, &set, 0); for (volatile unsigned long x = 1;;) x = x * 5 + 1; }
C
gcc -O1 -g -o "$work/blocks" "$work/blocks.c" || bad 'blocks.c'
"$work/blocks" & pid=$!
status 0 'attach to a thread that blocks the signal' "$gait" record -q -p $pid --duration 1.2 -o "$work/data"
kill $pid
"$gait" report "$work/data" >"$work/report"
if grep -q '"kernel_samples": [1-9]' <("$gait" info --json "$work/data"); then
    grep -q 'blocks the sampling signal' "$work/report" && grep -q '% .* main ' "$work/report" && ! grep -q 'for longer' "$work/report" ||
        { bad 'what is said of a thread that blocks the signal'; cat "$work/report"; }
fi
finish
