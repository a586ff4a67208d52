/* Loads whose values are known: of many() half are 111, a quarter 222, a tenth 333, and the rest
 * differ from each other; of few() half are 7 and half 8. */
#include <stdio.h>
#include <stdlib.h>

enum { WORDS = 1 << 14 };
static unsigned long words[WORDS], pairs[64];

__attribute__((noinline)) unsigned long many(unsigned long i)
{
    return words[i % WORDS];
}

__attribute__((noinline)) unsigned long few(unsigned long i)
{
    return pairs[i % 64];
}

int main(int argc, char **argv)
{
    unsigned long n = argc > 1 ? strtoul(argv[1], NULL, 0) : 1000, sum = 0, x = 12345;
    for (unsigned i = 0; i < WORDS; i++) {
        unsigned k = i % 20;
        words[i] = k < 10 ? 111 : k < 15 ? 222 : k < 17 ? 333 : 100000 + i;
    }
    for (unsigned i = 0; i < 64; i++)
        pairs[i] = 7 + i % 2;
    for (unsigned long i = 0; i < n; i++) {
        x = x * 6364136223846793005 + 1442695040888963407;
        sum += many(x >> 40) + few(x >> 50);
    }
    printf("%lu\n", sum);
}
