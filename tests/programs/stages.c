/* Three ways to be slow: results that are waited for, memory, and guesses. Without arguments a few
 * thousand rounds of each; or as many as it is told. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { LINES = 1 << 17, LINE_WORDS = 8 };

static uint64_t (*lines)[LINE_WORDS];

/* Each product is a factor of the next. */
static __attribute__((noipa)) uint64_t chain(uint64_t n)
{
    uint64_t x = 3;
    for (uint64_t i = 0; i < n; i++)
        __asm__ volatile("imul %0, %0" : "+r"(x));
    return x;
}

/* Each line says where the next is, nowhere near. */
static __attribute__((noipa)) uint64_t chase(uint64_t n)
{
    static uint64_t at;
    uint64_t here = at;
    for (uint64_t i = 0; i < n; i++)
        here = lines[here][0];
    at = here;
    return here;
}

/* Nobody can know which way. */
static __attribute__((noipa)) uint64_t guess(uint64_t n)
{
    static uint64_t state = 1;
    uint64_t odd = 0;
    for (uint64_t i = 0; i < n; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        if (state >> 63)
            __asm__ volatile("add $3, %0" : "+r"(odd));
        else
            __asm__ volatile("sub $1, %0" : "+r"(odd));
    }
    return odd;
}

int main(int argc, char **argv)
{
    uint64_t rounds = argc > 1 ? strtoul(argv[1], NULL, 0) : 3;
    uint64_t sum = 0, step = 40503;
    lines = aligned_alloc(64, sizeof *lines * LINES);
    if (!lines)
        return 1;
    for (uint64_t i = 0; i < LINES; i++)
        lines[i][0] = (i * 5 + step) % LINES; /* all of them, in a circle */
    for (uint64_t i = 0; i < rounds; i++)
        sum += chain(8000) + chase(1000) + guess(3000);
    printf("%d\n", (int)(sum % 2 < 2));
    return 0;
}
