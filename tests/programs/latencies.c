/* Loads that are near and loads that never are: lines that are flushed before each. Prints where
 * those lines are; with `told`, what 19 of 20 near loads take at most, and 19 of 20 flushed ones at
 * least, in ticks between fences. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NEAR_LINES = 128, FAR_LINES = 2, LINE_WORDS = 8 };

static _Alignas(4096) uint64_t near_lines[NEAR_LINES][LINE_WORDS];
static _Alignas(4096) uint64_t far_lines[FAR_LINES][LINE_WORDS];

__attribute__((noinline)) static uint64_t near_load(uint64_t at)
{
    return *(volatile uint64_t *)&near_lines[at % NEAR_LINES][0];
}

__attribute__((noinline)) static uint64_t far_load(uint64_t at)
{
    return *(volatile uint64_t *)&far_lines[at % FAR_LINES][0];
}

static int by_ticks(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

static uint64_t clock_alone(void)
{
    __builtin_ia32_lfence();
    uint64_t now = __builtin_ia32_rdtsc();
    __builtin_ia32_lfence();
    return now;
}

static void tell(void)
{
    enum { TIMES = 2000 };
    static uint64_t near_ticks[TIMES], far_ticks[TIMES];
    for (int i = 0; i < TIMES; i++) {
        __builtin_ia32_clflush(far_lines[0]);
        __builtin_ia32_mfence();
        uint64_t start = clock_alone();
        far_load(0);
        uint64_t between = clock_alone();
        near_load((uint64_t)i);
        near_ticks[i] = clock_alone() - between;
        far_ticks[i] = between - start;
    }
    qsort(near_ticks, TIMES, sizeof *near_ticks, by_ticks);
    qsort(far_ticks, TIMES, sizeof *far_ticks, by_ticks);
    printf("%llu %llu\n", (unsigned long long)near_ticks[TIMES * 19 / 20],
           (unsigned long long)far_ticks[TIMES / 20]);
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "told")) {
        tell();
        return 0;
    }
    uint64_t rounds = argc > 1 ? strtoull(argv[1], NULL, 0) : 2000000, sum = 0;
    for (uint64_t i = 0; i < rounds; i++) {
        for (uint64_t k = 0; k < 4; k++)
            sum += near_load(i * 5 + k);
        __builtin_ia32_clflush(far_lines[i % FAR_LINES]);
        __builtin_ia32_mfence();
        sum += far_load(i);
    }
    for (int i = 0; argc > 1 && i < FAR_LINES; i++) /* where they are is chance */
        printf("%p\n", (void *)far_lines[i]);
    return sum != 0;
}
