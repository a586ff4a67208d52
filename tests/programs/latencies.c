/* Loads that are near and loads that never are: lines that are flushed before each. Prints where those lines are. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

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

int main(int argc, char **argv)
{
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
