/* Calls of every kind that views must show: direct and through pointers, recursive, mutually
 * recursive, inlined in one another, back from a library into the program, and into the kernel. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static inline __attribute__((always_inline)) uint32_t stir(uint32_t x)
{
    x ^= x << 13;
    x ^= x >> 17;
    return x ^ x << 5;
}

static inline __attribute__((always_inline)) uint32_t stir_often(uint32_t x, int n)
{
    for (int i = 0; i < n; i++)
        x = stir(x) + (uint32_t)i;
    return x;
}

static __attribute__((noinline)) uint32_t leaf(uint32_t x)
{
    return stir_often(x | 1, 40);
}

static __attribute__((noinline)) uint32_t fib(uint32_t n)
{
    return n < 2 ? leaf(n) : fib(n - 1) + fib(n - 2);
}

static uint32_t odd(uint32_t n, uint32_t x);
static __attribute__((noinline)) uint32_t even(uint32_t n, uint32_t x)
{
    return n ? odd(n - 1, stir_often(x | 1, 60)) + 1 : x;
}
static __attribute__((noinline)) uint32_t odd(uint32_t n, uint32_t x)
{
    return n ? even(n - 1, stir_often(x | 1, 30)) + 2 : x;
}

static int compare(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static __attribute__((noinline)) uint32_t sorted(uint32_t x)
{
    uint32_t numbers[512];
    for (int i = 0; i < 512; i++)
        numbers[i] = x = stir(x | 1);
    qsort(numbers, 512, sizeof *numbers, compare);
    return numbers[256];
}

static __attribute__((noinline)) uint32_t kernel(uint32_t x)
{
    for (int i = 0; i < 20; i++)
        x += (uint32_t)getppid();
    return x & 1;
}

int main(int argc, char **argv)
{
    uint32_t (*const tasks[])(uint32_t) = {leaf, sorted, kernel};
    unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 10;
    uint32_t sum = 1;
    for (unsigned long i = 0; i < rounds; i++) {
        sum += fib(12) + even(60, sum);
        for (int t = 0; t < 3; t++)
            sum ^= tasks[t](sum);
    }
    return sum == 7;
}
