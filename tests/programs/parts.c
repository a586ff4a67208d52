/* Functions of which the compiler moves a part away, for tests/truth/split_parts.sh: with a frame
 * and without, back again and not; and functions that are not to be taken for such parts. Prints
 * what it has computed. */
#include <stdio.h>
#include <stdlib.h>

static volatile unsigned sink;

__attribute__((cold, noinline)) static void rarely(unsigned x)
{
    sink += x * 17;
}

__attribute__((noinline)) static unsigned often(unsigned x)
{
    return x * 2654435761u + sink;
}

/* With a frame, and back. */
__attribute__((noinline)) static unsigned returning(unsigned x)
{
    unsigned before = often(x);
    if (x % 7 == 3) {
        rarely(before);
        before ^= often(before);
    }
    return before + often(before + 1);
}

/* Entered at several places. */
__attribute__((noinline)) static unsigned several(unsigned x)
{
    unsigned sum = often(x);
    if (x % 11 == 5)
        rarely(sum + 1);
    sum += often(sum);
    if (x % 13 == 7)
        rarely(sum + 2);
    return sum + often(sum);
}

/* Without a frame, never back. */
__attribute__((noinline)) static unsigned leaf(unsigned x)
{
    if (x == 0xffffffff)
        abort();
    return x * 3 + 1;
}

/* Jumped to by one function alone, always at its start, and a function all the same. */
__attribute__((noinline)) static unsigned tail(unsigned x)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < x % 5; i++)
        sum += often(i);
    return sum;
}
__attribute__((noinline)) static unsigned caller(unsigned x)
{
    return tail(leaf(x));
}

int main(int argc, char **argv)
{
    unsigned n = argc > 1 ? (unsigned)atoi(argv[1]) : 1000, sum = 0;
    for (unsigned i = 0; i < n; i++)
        sum += returning(i) + several(i) + caller(i);
    printf("%u\n", sum);
    return 0;
}
