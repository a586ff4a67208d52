#!/bin/bash
# Many processes: only the first is walked from its beginning, and reports say so. Attaching says which
# child processes are not recorded.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
. tests/live/lib/attach.sh
cat >"$work/turn.c" <<'C'
#include <time.h>
volatile unsigned sum;
int main(void) { while (clock() < CLOCKS_PER_SEC / 10) for (unsigned i = 0; i < 100000; i++) sum += i * 7; return 0; }
C
gcc -O1 -g -o "$work/turn" "$work/turn.c" || exit 1
loop="for i in 1 2 3 4 5 6; do $work/turn; done"
young() { "$gait" info --json "$1" | grep -o '"young": [0-9]*' | grep -o '[0-9]*$' || echo 0; }

"$gait" record -o "$work/data" -- sh -c "$loop" 2>"$work/stderr" || bad 'recording fails'
[ "$(young "$work/data")" -gt 0 ] || bad 'later processes are walked from their beginning'
grep -Eq ', 7 processes' "$work/stderr" || bad "not all processes: $(grep elapsed "$work/stderr")"
"$gait" report "$work/data" >"$work/out" || bad 'report fails'
grep -q 'sample without a walk: its process' "$work/out" || bad 'the report does not say what was not walked'
grep -Eq 'user +main' "$work/out" || bad 'no time in main'
"$gait" record -q -F 250 -o "$work/data" -- sh -c "$loop" || bad 'recording at a fixed rate fails'
same 'not walked at a fixed rate' 0 "$(young "$work/data")"
# Forks that end before their first sample are counted, too, where the kernel tells of them.
if [[ $modes = *plain* ]]; then
    "$gait" record -o "$work/data" -- sh -c "for i in 1 2 3 4 5; do x=\$(echo a); done; $work/turn; :" 2>"$work/stderr" || bad 'recording forks fails'
    grep -Eq ', 7 processes' "$work/stderr" || bad "not all forks: $(grep elapsed "$work/stderr")"
fi
# Agents count them without the kernel, too: a process has no channel before its first sample.
cat >"$work/young.c" <<'C'
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int argc, char **argv) {
    char line[4096];
    int n = 0;
    if (argc > 1) { /* another program, as the same process */
        for (int i = 0; i < 3; i++) if (!fork()) _exit(0); else wait(NULL);
        return execl(argv[0], argv[0], NULL);
    }
    FILE *maps = fopen("/proc/self/maps", "r");
    while (fgets(line, sizeof line, maps)) n += strstr(line, "memfd:gait") != NULL;
    printf("%d\n", n);
    return 0;
}
C
gcc -O1 -o "$work/young" "$work/young.c" || exit 1
"$gait" record --no-kernel -o "$work/data" -- sh -c "$work/young; $work/young x; $work/young; :" >"$work/out" 2>"$work/stderr" || bad 'recording young processes fails'
same 'mappings of the shared memory' '1 1 1' "$(echo $(cat "$work/out"))"
grep -Eq ', 7 processes' "$work/stderr" || bad "agents do not count all: $(grep elapsed "$work/stderr")"
# Threads that meet their first samples at the same time have one channel, and none is lost.
cat >"$work/many.c" <<'C'
#include <pthread.h>
#include <time.h>
volatile unsigned sum;
static void *spin(void *none) {
    struct timespec now = {0};
    while (now.tv_nsec < 60000000) { for (unsigned i = 0; i < 10000; i++) sum += i * 7; clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now); }
    return none;
}
int main(void) {
    pthread_t id[8];
    for (int i = 0; i < 8; i++) pthread_create(&id[i], NULL, spin, NULL);
    for (int i = 0; i < 8; i++) pthread_join(id[i], NULL);
    return 0;
}
C
gcc -O1 -g -pthread -o "$work/many" "$work/many.c" || exit 1
"$gait" record -q --no-kernel -F 250 -o "$work/data" -- sh -c "$work/many; $work/many; :" || bad 'recording threads of young processes fails'
n=$("$gait" info --json "$work/data" | grep -o '"interrupts": [0-9]*' | grep -o '[0-9]*$')
# Natively 15 each. A timer of CPU time is looked at when the kernel's clock ticks: of threads that share their CPU with
# other work half of the intervals end late.
[ "$n" -gt 60 ] || bad "16 threads of 60 ms have $n interrupts"
threads=$("$gait" report --by thread --json -i "$work/data" | grep -o '"tid": [0-9]*' | sort -u | wc -l)
[ "$threads" -ge 16 ] || bad "only $threads of 16 threads and their processes have samples"
# A process that another one started is walked only when it has run for a while, also if it is new.
"$gait" record -q -o "$work/data" -- sh -c "$work/turn; :" || bad 'recording one by a shell fails'
[ "$(young "$work/data")" -gt 0 ] || bad 'a new process of a shell is walked from its beginning'
"$gait" info --json "$work/data" | grep -q '"windows": 0,' || bad 'a short process of a shell has windows'
# One process alone is walked from its beginning.
"$gait" record -q -o "$work/data" -- "$work/turn" || bad 'recording one fails'
same 'not walked of one process' 0 "$(young "$work/data")"

unfiltered || { echo 'system calls are filtered here: nothing can be attached to'; finish; }
start parent sh -c 'sleep 60 & echo ready; wait'
until_ready parent
child=$(cat "/proc/$pid/task/$pid/children")
child=${child% }
"$gait" record --duration 0.2 -p "$pid" -o "$work/data" 2>"$work/stderr" || { grep -q 'ptrace' "$work/stderr" && skip 'attaching is not permitted'; bad 'attaching fails'; }
says "process $pid has 1 child process that is not recorded; with it: -p $pid,$child"
"$gait" record --duration 0.2 -p "$pid,$child" -o "$work/data" 2>"$work/stderr" || bad 'attaching to both fails'
grep -q 'child process' "$work/stderr" && bad 'it names a child that is recorded'
kill "$child"
finish
