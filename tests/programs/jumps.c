/* setjmp and longjmp as flow control: out of deep recursion, out of qsort, back and forth; and
 * __builtin ones. */
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static jmp_buf top, inner;
static volatile unsigned depth_seen;

__attribute__((noinline)) static int search(int depth, int target)
{
    volatile int here = depth * target;
    depth_seen++;
    if (depth == target)
        longjmp(top, depth + 1);
    return search(depth + 1, target) + here;
}

static int compare(const void *a, const void *b)
{
    static unsigned calls;
    if (++calls % 1000 == 0)
        longjmp(inner, 1);
    return *(const int *)a - *(const int *)b;
}

__attribute__((noinline)) static void throws(void **buffer)
{
    __builtin_longjmp(buffer, 1);
}

int main(void)
{
    volatile uint64_t sum = 0;
    for (volatile int i = 0; i < 20000; i++) {
        int got = setjmp(top);
        if (got == 0)
            search(0, i % 30);
        sum = sum * 31 + (unsigned)got;
    }
    for (volatile int i = 0; i < 200; i++) {
        int values[300];
        for (int k = 0; k < 300; k++)
            values[k] = (k * 7919 + i) % 1009;
        if (setjmp(inner) == 0)
            qsort(values, 300, sizeof *values, compare);
        sum = sum * 31 + (unsigned)values[150] % 2;
    }
    for (volatile int i = 0; i < 20000; i++) {
        void *buffer[5];
        if (__builtin_setjmp(buffer) == 0)
            throws(buffer);
        else
            sum += 3;
    }
    printf("%lx, %u\n", sum, depth_seen);
    return 0;
}
