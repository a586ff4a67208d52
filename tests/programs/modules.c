/* What the example modules are about: doubles of two classes, a lock, a line; their addresses are
 * printed. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static _Alignas(64) volatile uint64_t lock;
static _Alignas(4096) volatile uint64_t page[512];

__attribute__((noinline)) static double product(double a, double b)
{
    return a * b;
}

__attribute__((noinline)) static void locked(void)
{
    __atomic_fetch_add(&lock, 1, __ATOMIC_SEQ_CST);
}

__attribute__((noinline)) static uint64_t line(uint64_t i)
{
    return page[64 + i % 8];
}

int main(int argc, char **argv)
{
    long rounds = argc > 1 ? strtol(argv[1], NULL, 0) : 3000000;
    volatile double zero = 0, three = 3;
    double sum = 0;
    uint64_t ones = 0;
    for (long i = 0; i < rounds; i++) {
        sum += product(i % 4 ? three : zero, three);
        locked();
        ones += line((uint64_t)i);
    }
    if (argc > 1) /* where they are is chance */
        printf("%p %p\n", (void *)&lock, (void *)&page[64]);
    return sum < 0 || ones;
}
