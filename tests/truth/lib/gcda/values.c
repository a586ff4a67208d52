/* Calls through pointers beside what gcc has other counters of values for: sizes, divisors, and remainders. */
#include "values.h"

#include <string.h>

static char from[256], to[256];

__attribute__((noinline)) unsigned copied(unsigned (*function)(unsigned), unsigned n)
{
    memcpy(to, from + n % 8, n % 64);
    memset(from, (int)n, function(n) % 32);
    memmove(to, to + n % 16, n % 128);
    return (unsigned char)to[n % 4];
}

__attribute__((noinline)) unsigned divided(unsigned (*function)(unsigned), unsigned x, unsigned by)
{
    return function(x) % by + x % (by + 1) + x / (by + 2);
}
