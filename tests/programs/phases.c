/* phases MS: two functions, one after the other, each for so many milliseconds of CPU time. Prints
 * the Unix time, in nanoseconds, at which the first began, the second began, and the second ended.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static volatile uint64_t sink;

static uint64_t now(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

__attribute__((noinline)) static void first_phase(uint64_t rounds)
{
    uint64_t x = sink;
    for (uint64_t i = 0; i < rounds; i++)
        x = x * 6364136223846793005u + 1;
    sink = x;
}

__attribute__((noinline)) static void second_phase(uint64_t rounds)
{
    uint64_t x = sink;
    for (uint64_t i = 0; i < rounds; i++)
        x = (x ^ x >> 7) + i;
    sink = x;
}

static void go(void (*phase)(uint64_t), uint64_t ns)
{
    uint64_t end = now(CLOCK_PROCESS_CPUTIME_ID) + ns;
    while (now(CLOCK_PROCESS_CPUTIME_ID) < end)
        phase(100000);
}

int main(int argc, char **argv)
{
    uint64_t ns = strtoull(argc > 1 ? argv[1] : "500", NULL, 10) * 1000000u;
    uint64_t at[3] = {now(CLOCK_REALTIME)};
    go(first_phase, ns);
    at[1] = now(CLOCK_REALTIME);
    go(second_phase, ns);
    at[2] = now(CLOCK_REALTIME);
    printf("%llu %llu %llu\n", (unsigned long long)at[0], (unsigned long long)at[1],
           (unsigned long long)at[2]);
    return 0;
}
