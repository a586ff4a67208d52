/* turns chain|copies|loop N: branches whose directions tell the way, and branches whose directions
 * do not.
 *
 * chain: eight branches at random, each around one instruction: the directions are the way, and
 * counts are right by chance.
 * copies: the same in C. gcc makes two copies of each test, one behind either arm, whose branches
 * have opposite senses: each history fits two ways, until they meet where the function begins.
 * loop: one branch, taken six times and then not, in a function of its own: whoever sees two taken
 * branches cannot know whether the function was entered two turns ago, or one, or longer; counts
 * say that it is mostly longer. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define APART __attribute__((noinline, noclone))

static volatile uint32_t sink;

/* Much code, which is where most places are. */
#define FEW(x) sink = x, sink = x, sink = x, sink = x, sink = x, sink = x, sink = x, sink = x
#define MANY(x) FEW(x), FEW(x), FEW(x), FEW(x)

#define AROUND(bit)                                                                                \
    "testl $1 << " #bit ", %[x]\n\tjz 1f\n\tmovl $1, %[sink]\n"                                    \
    "1:\n\t"
APART static void chain(uint32_t x)
{
    __asm__ volatile(AROUND(0) AROUND(1) AROUND(2) AROUND(3) AROUND(4) AROUND(5) AROUND(6) AROUND(7)
                     : [sink] "=m"(sink)
                     : [x] "r"(x)
                     : "cc");
    MANY(x);
}

#define FORK(bit)                                                                                  \
    if (x & 1u << (bit))                                                                           \
        sink = 1;                                                                                  \
    else                                                                                           \
        sink = x;
APART static void copies(uint32_t x)
{
    FORK(0)
    FORK(1)
    FORK(2)
    FORK(3)
    FORK(4)
    FORK(5)
    FORK(6)
    FORK(7)
    MANY(x);
}

APART static void loop(uint32_t n)
{
    do
        FEW(n);
    while (--n);
}

int main(int argc, char **argv)
{
    uint32_t random = 12345;
    const char *which = argc > 1 ? argv[1] : "chain";
    for (long i = argc > 2 ? atol(argv[2]) : 1000; i > 0; i--) {
        random = random * 1664525 + 1013904223;
        if (*which == 'l')
            loop(7);
        else if (strcmp(which, "copies") == 0)
            copies(random >> 16);
        else
            chain(random >> 16);
    }
    return 0;
}
