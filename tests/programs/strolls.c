/* What windows show: calls of changing depth, loops of changing length, a jump table, calls by
 * pointer, a tail call, all decided by a generator that never repeats in a run; and, for a short
 * while, a function that runs at no other time. It calls nothing outside of itself, and it is not
 * moved in memory: places are the same in every run. x87's slow sines make it last, so that few
 * instructions are many samples.
 * link: -no-pie -fno-pie -fcf-protection=none */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t state = 88172645463325252u, sum;
static double angle = 0.5;

static inline uint64_t next(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

__attribute__((noinline)) void slow(void)
{
    for (int i = 0; i < 2; i++)
        __asm__ volatile("fldl %0\n .rept 10\n fsin\n .endr\n fstpl %0" : "+m"(angle));
}

__attribute__((noinline)) uint64_t leaf(uint64_t n)
{
    uint64_t x = n;
    for (uint64_t i = 0; i < n % 13; i++)
        x = x * 31 + (x >> 7);
    return x;
}

__attribute__((noinline)) uint64_t tail(uint64_t n)
{
    return n & 1 ? leaf(n >> 1) : leaf(n + 3);
}

__attribute__((noinline)) uint64_t deep(uint64_t n)
{
    uint64_t x = n ? deep(n - 1) : leaf(next());
    __asm__ volatile("" : "+r"(x)); /* or it would be a loop */
    return x + 1;
}

__attribute__((noinline)) uint64_t nested(uint64_t n)
{
    uint64_t x = 0;
    for (uint64_t i = 0; i <= n % 5; i++)
        for (uint64_t k = 0; k <= (n >> 8) % 4; k++)
            x += k & 1 ? leaf(n >> k) : i;
    return x;
}

__attribute__((noinline)) uint64_t choose(uint64_t n)
{
    switch (n % 7) {
    case 0: return n * 3;
    case 1: return n ^ 0x55;
    case 2: return leaf(n >> 3);
    case 3: return n >> 9;
    case 4: return ~n;
    case 5: return n * n;
    default: return n + 1;
    }
}

/* Runs at no other time. */
__attribute__((noinline)) uint64_t rare(uint64_t n)
{
    uint64_t x = n;
    for (int i = 0; i < 6000; i++) {
        x = (x >> 1) ^ (-(x & 1) & 0xd800000000000000u);
        __asm__ volatile("fldl %0\n fsin\n fsin\n fsin\n fstpl %0" : "+m"(angle));
    }
    return x;
}

int main(int argc, char **argv)
{
    static uint64_t (*volatile ways[])(uint64_t) = {tail, nested, choose, leaf};
    long turns = argc > 1 ? atol(argv[1]) : 22000;
    for (long i = 0; i < turns; i++) {
        uint64_t n = next();
        sum += deep(n % 9) + ways[n >> 60 & 3](n);
        slow();
        if (i == turns / 2)
            for (int k = 0; k < 5; k++)
                sum += rare(n);
    }
    printf("%llu\n", (unsigned long long)sum);
    return 0;
}
