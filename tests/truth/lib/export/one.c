/* What exporters for compilers and linkers must tell apart: local functions of one name, loops, a switch, calls through
 * pointers, recursion, inlined functions, tail calls, a landing of longjmp, callbacks from the C library. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

int two(int n);
int odd(int n);

#ifdef NO_LANDING
#define LANDS 0
#else
#define LANDS 1
#endif

static jmp_buf landing;
static volatile int sink;

static inline int clamp(int value, int most)
{
    if (value > most)
        value = most;
    return value < 0 ? 0 : value;
}

__attribute__((noinline)) static int helper(int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += clamp(i * 7 % 13, 9);
    return sum;
}

__attribute__((noinline)) static int choose(int n)
{
    switch (n % 8) {
    case 0: return n + 3;
    case 1: return n * 5;
    case 2: return n ^ 9;
    case 3: return n - 11;
    case 4: return n | 64;
    case 5: return n & 31;
    case 6: return n << 1;
    default: return -n;
    }
}

__attribute__((noinline)) static int fib(int n)
{
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

__attribute__((noinline)) static void leave(int n)
{
    if (n % 3 == 0)
        longjmp(landing, n + 1);
    sink += n;
}

static int compare(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return x < y ? -1 : x > y;
}

__attribute__((noinline)) int even(int n)
{
    return n ? odd(n - 1) : 1;
}

int main(int argc, char **argv)
{
    int (*const calls[])(int) = {helper, choose, two};
    int rounds = argc > 1 ? atoi(argv[1]) : 200, values[97];
    long sum = 0;
    for (int i = 0; i < rounds; i++)
        sum += calls[i % 5 % 3](i % 50);
    for (volatile int i = 0; i < 30; i++)
        if (LANDS && !setjmp(landing))
            leave(i);
    for (int i = 0; i < 97; i++)
        values[i] = i * 31 % 97;
    qsort(values, 97, sizeof *values, compare);
    sum += fib(12) + even(40) + values[5];
    printf("%ld %d\n", sum, sink);
    return 0;
}
