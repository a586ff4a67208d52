/* What stands between gcc's graphs and code: loops turned over, conditions of several parts on one line, macros with
 * branches in them, functions inlined early, late and in parts, code made unconditional, computed gotos. */
#include "two.h"
#include "values.h"

#include <stdio.h>
#include <stdlib.h>

#define CLAMP(x, low, high) ((x) < (low) ? (low) : (x) > (high) ? (high) : (x))
#define STEP(s, k)                                                                                 \
    {                                                                                              \
        if ((s) & 1 && (k) % 3)                                                                    \
            (s) = (s) * 3 + 1;                                                                     \
        else                                                                                       \
            (s) = (s) / 2 + (k);                                                                   \
    }

static unsigned tiny(unsigned x)
{
    return x & 4 ? x + 1 : x - 1;
}

static unsigned middle(unsigned x, unsigned n)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < n; i++) {
        if (x % (i + 2) == 0 || (i > 5 && x & 8))
            sum += tiny(i);
        else
            sum ^= x;
    }
    return sum;
}

static unsigned machine(const unsigned char *code, unsigned n)
{
    static void *const table[] = {&&add, &&twice, &&less, &&stop};
    unsigned value = 1, at = 0;
#define NEXT goto *table[code[at++ % n]]
    NEXT;
add:
    value += at;
    NEXT;
twice:
    value *= 2;
    NEXT;
less:
    if (value > 1000)
        value /= 3;
    NEXT;
stop:
    return n > 6 && at < 2 * n ? value + machine(code + 1, n - 1) : value;
}

int main(int argc, char **argv)
{
    static const unsigned char code[] = {0, 1, 2, 0, 2, 1, 1, 2, 0, 3, 0, 1, 3};
    unsigned n = argc > 1 ? (unsigned)atoi(argv[1]) : 100, state = 7;
    unsigned long sum = 0;
    for (unsigned i = 0; i < n; i++) {
        STEP(state, i);
        sum += CLAMP(state % 100, 20u, 70u);
        sum += middle(state, i % 13);
        if (i % 5 == 0)
            sum += machine(code, sizeof code);
        sum += kind_of(state) + walk(i % 17, state);
        if (i % 3 == 0)
            sum += applied(i > 1u << 30 ? never : kind_of, i);
        if (i % 7 == 0)
            sum += copied(kind_of, i) + divided(kind_of, state, 1 + i % 5);
    }
    printf("%lu\n", sum);
    return 0;
}
