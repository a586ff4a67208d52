/* A loop of two iterations that is entered at its second half three times of four: its head, the
 * first half, runs 5 times where 8 iterations begin. Or, by argument, all but every Nth time, and
 * with 1 each time. */
#include <stdint.h>
#include <stdlib.h>
#define KEEP(x) __asm__ volatile("" : : "r"(x))
__attribute__((noipa)) static void two_ways(uint64_t n, uint64_t inside)
{
    if (inside)
        goto in;
    do {
        KEEP(n);
        if (n & 2)
            KEEP(inside);
    in:
        KEEP(n + 1);
    } while (--n);
}
int main(int argc, char **argv)
{
    uint64_t turns = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    uint64_t ways = argc > 2 ? strtoull(argv[2], NULL, 10) : 4;
    for (uint64_t i = 0; i < turns; i++)
        two_ways(2, ways == 1 || i % ways != 0);
    return 0;
}
