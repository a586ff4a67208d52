/* Divides for some 60 ms of CPU time, by calls that are long, and prints how many nanoseconds of
 * that they took. */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

__attribute__((noipa)) static uint64_t works(uint64_t x)
{
    for (uint64_t i = 1; i <= 20000; i++)
        __asm__ volatile("xor %%edx, %%edx\n div %1" : "+a"(x) : "r"(i | 3) : "rdx", "cc");
    return x;
}

static uint64_t cpu_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

int main(void)
{
    uint64_t x = 1, start = cpu_ns();
    for (int i = 0; i < 600; i++)
        x = works(x | UINT64_C(1) << 62);
    printf("%" PRIu64 "\n", cpu_ns() - start);
    return x == 42;
}
