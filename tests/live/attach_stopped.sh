#!/bin/bash
# A process that job control stops and continues while it is attached to goes on as if it were
# alone, and the agent leaves it.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
. tests/live/lib/attach.sh
unfiltered || skip 'system calls are filtered here (seccomp): no process can be attached to'
cat >"$work/threads.c" <<'C'
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>
static void *work(void *sum)
{
    uint64_t x = 1;
    for (int i = 0; i < 250; i++) {
        for (uint64_t n = 0; n < 2000000; n++)
            x = x * 6364136223846793005u + n;
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    *(uint64_t *)sum = x;
    return NULL;
}
int main(void)
{
    pthread_t threads[2];
    uint64_t sums[2];
    puts("ready");
    fflush(stdout);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, &sums[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%llx %llx\n", (unsigned long long)sums[0], (unsigned long long)sums[1]);
}
C
gcc -O1 -o "$work/threads" "$work/threads.c" -lpthread || { bad 'the program cannot be built'; exit 1; }
"$work/threads" >"$work/alone"
start stopped "$work/threads"
until_ready stopped
# Stopped for 10 to 60 ms every 10 to 100 ms.
while kill -0 "$pid" 2>/dev/null; do
    sleep "0.0$((RANDOM % 90 + 10))"
    kill -STOP "$pid"
    sleep "0.0$((RANDOM % 50 + 10))"
    kill -CONT "$pid"
done 2>/dev/null &
times=0 early=0
while [ -d "/proc/$pid" ] && [ "$times" -lt 12 ]; do
    if "$gait" record -F 2000 --duration 0.05 -o "$work/data" -p "$pid" 2>"$work/stderr"; then
        times=$((times + 1))
        ! grep 'the agent stays' "$work/stderr" || bad 'the agent stays'
    elif grep -q 'is stopped: kill' "$work/stderr"; then
        early=$((early + 1))
    elif [ -d "/proc/$pid" ]; then
        bad "attach: $(cat "$work/stderr")"
        break
    fi
done
wait "$pid"
same 'how it ended' 0 $?
cmp "$work/alone" "$work/stopped" || bad 'it printed something else'
echo "$times times in and out, $early times refused"
finish
