/* Code that waits for memory and code that does not, in turns of some milliseconds: `waits` runs 3
 * instructions where `counts` runs 100. */
#include <stdio.h>
#include <stdlib.h>

enum { WORDS = 1 << 23 };
static volatile unsigned long word;
static unsigned *next, at;

__attribute__((noipa)) static void waits(long n)
{
    for (long i = 0; i < n; i++)
        at = next[at];
    word += at;
}

__attribute__((noipa)) static void counts(long n)
{
    unsigned long x = word;
    for (long i = 0; i < n; i++)
        x = x * 3 + (unsigned long)i;
    word = x;
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 100;
    next = malloc(WORDS * sizeof *next);
    for (unsigned i = 0; i < WORDS; i++)
        next[i] = (i * 1664525u + 1013904223u) & (WORDS - 1);
    for (int i = 0; i < rounds; i++) {
        waits(30000);
        counts(800000);
    }
    return 0;
}
