/* Activations that are left for good, by longjmp out of the middle of their paths: called directly,
 * by a pointer, by qsort, and as a coroutine does that is entered again and again. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

static jmp_buf back;
static int calls;

__attribute__((noinline)) static void leave(int n)
{
    calls += n;
    if (n % 3 == 0)
        longjmp(back, 1);
    calls++;
}

__attribute__((noinline)) static int direct(int n)
{
    int sum = n;
    for (int i = 0; i < n % 5; i++) {
        sum += i % 2 ? i : -i;
        leave(n + i);
        sum++;
    }
    return sum;
}

static int (*volatile pointed)(int) = direct;

static int order(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    if (x == 7)
        pointed(x + y);
    return x < y ? -1 : x > y;
}

__attribute__((noinline)) static int way(int n)
{
    int numbers[] = {5, 3, 7, n, 1, 2};
    if (n & 1)
        return direct(n);
    if (n & 2)
        return pointed(n) + 1;
    qsort(numbers, 6, sizeof *numbers, order);
    return numbers[0];
}

int main(void)
{
    volatile int sum = 0, left = 0;
    for (volatile int n = 0; n < 3000; n++) {
        if (setjmp(back))
            left++;
        else
            sum += way(n);
    }
    printf("%d %d %d\n", sum, left, calls);
    return 0;
}
