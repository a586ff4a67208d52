#!/bin/bash
# Static programs of every habit, with the agent put into them: they say what they say alone. There are no interposers: what
# they do to their signals, threads and code nobody tells.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
echo 'int main(void) { return 0; }' | gcc -static -x c -o "$work/try" - 2>/dev/null || skip 'no static libc to link with'
# Left out: what asks for its own signal actions (actions, faults), measures its memory (memory_locked, coroutines_small), or changes the very code
# it runs (code_self): docs/AGENT.md says why.
names='branches calls_odd children_signal children_tree children_vfork clone_process clone_threads code_moved code_written
coroutines descriptors flags handlers jumps odd signal_context signal_fix signal_fork signal_interrupts signal_jump signal_nested signal_queue
signal_small signal_stack signal_storm signal_trap signal_wait strings thread_exec thread_exits thread_keys threads_detached
threads_fork threads_short timers'
[ -n "$GAIT_LONG" ] || names='children_vfork clone_threads code_moved code_written coroutines flags odd signal_jump signal_nested
signal_small signal_stack signal_storm signal_trap threads_fork threads_short timers'
compared=0 seen=0
for name in $names; do
    source=$(find tests/programs -name "$name.c")
    gcc -O2 -g -static -D_GNU_SOURCE -pthread -o "$work/$name" "$source" $(sed -n 's/^.*link: *//p' "$source") 2>/dev/null || continue
    timeout 60 "$work/$name" >"$work/alone" 2>"$work/alone.err" </dev/null
    alone=$?
    # Of the two triggers one in turn, but with GAIT_LONG=1.
    triggers=(perf cputime) turn=$((1 - ${turn:-$(($$ % 2))}))
    [ -n "$GAIT_LONG" ] || triggers=("${triggers[turn]}")
    for mode in "${triggers[@]/#/-F 5000 --trigger }" --exact=counts; do
        timeout 60 "$gait" record -q $mode -o "$work/data" -- "$work/$name" >"$work/with" 2>"$work/with.err" </dev/null
        with=$?
        # A file that is written to under its own code is seen by walks, not by whole runs.
        [ "$name $mode" = 'code_written --exact=counts' ] && continue
        same "$name, $mode: how it ended" "$alone" "$with"
        cmp -s "$work/alone" "$work/with" || { bad "$name, $mode says something else"; diff "$work/alone" "$work/with" | head -n 4; }
        compared=$((compared + 1))
        windows=$("$gait" info "$work/data" | sed -n 's/^recorded *\([0-9]*\) windows.*/\1/p')
        seen=$((seen + ${windows:-0}))
    done
done 2>/dev/null

# Exact is exact: the function is called as often as it says.
cat >"$work/count.c" <<'C'
#include <pthread.h>
#include <stdio.h>
__attribute__((noipa)) unsigned step(unsigned x) { return x * 5 + 1; }
static void *run(void *n) { unsigned x = 1; for (long i = 0; i < (long)n; i++) x = step(x); return (void *)(long)x; }
int main(void) { pthread_t t; void *x; pthread_create(&t, 0, run, (void *)70000); run((void *)30000); pthread_join(t, &x); printf("%p\n", x); return 0; }
C
gcc -O2 -g -static -pthread -o "$work/count" "$work/count.c"
status 0 'exact' "$gait" record --exact=counts -o "$work/data" -- "$work/count"
readable "$work/data"
"$gait" report --json -i "$work/data" | python3 -c '
import json, sys
view = json.load(sys.stdin)
got = [row["count"] for row in view["rows"] if row["name"] == "step"]
print("step: %s of 100000; losses %s" % (got, view["losses"]))
sys.exit(got != [100000])' || bad 'exact counts of a static program'
# So are paths and contexts, from the first instruction on: main calls step once an iteration.
for kind in static static-pie; do
    gcc -O2 -g -$kind -pthread -o "$work/count" "$work/count.c" 2>/dev/null || continue
    for mode in paths contexts paths+contexts; do
        status 0 "$kind, $mode" "$gait" record --exact=$mode -o "$work/data" -- "$work/count"
        grep -q 'without its plan' "$work/stderr" && bad "$kind, $mode: plans came too late"
        view=${mode%+*}
        "$gait" $view --json -i "$work/data" | python3 -c '
import json, sys
view = json.load(sys.stdin)
got = sum(row["count"] for row in view["rows"] if row["function"] == "step")
print("%s: step: %d of 100000" % (sys.argv[1], got))
sys.exit(got != 100000)' "$kind, $mode" || bad "$kind, $mode of a static program"
    done
done
# An exact run that has nothing says so, by its status, too: the child has other rights, so the agent cannot follow it.
gcc -static -o "$work/setgid" -x c - <<<'int main(void) { return 0; }' && chmod g+s "$work/setgid"
status 125 'an exact run of nothing' "$gait" record --exact=paths -o "$work/none.data" -- "$work/setgid"
says 'nothing was recorded'

[ "$seen" -gt 20 ] || bad "only $seen windows in all"
echo "$compared runs compared, $seen windows"
finish
