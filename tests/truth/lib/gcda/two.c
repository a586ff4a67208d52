#include "two.h"

unsigned kind_of(unsigned x)
{
    switch (folded(x) % 9) {
    case 0: return 10;
    case 1:
    case 2: return x;
    case 5: return x * 7;
    case 7: return x > 50 ? 2 : 3;
    default: return 1;
    }
}

unsigned never(unsigned x)
{
    return x ? never(x - 1) + 1 : 0;
}

__attribute__((noinline)) unsigned applied(unsigned (*function)(unsigned), unsigned x)
{
    return function(x) + 1;
}

unsigned walk(unsigned depth, unsigned x)
{
    if (!depth)
        return folded(x);
    if (x == 0xFFFFFFFF)
        return never(x);
    return x & 1 ? walk(depth - 1, x / 2) + 1 : walk(depth / 2, x + 3);
}
