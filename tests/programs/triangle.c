/* A loop in a loop, of 1, 2 ... 5 iterations: gcc -O1 enters the inner one by a jump back from
 * behind it. */
#include <stdio.h>
#include <stdlib.h>

static volatile unsigned sum;

__attribute__((noinline)) static void triangle(void)
{
    for (int i = 0; i < 5; i++)
        for (int j = 0; j <= i; j++)
            sum += (unsigned)j;
}

int main(int argc, char **argv)
{
    long turns = argc > 1 ? atol(argv[1]) : 1000;
    for (long i = 0; i < turns; i++)
        triangle();
    printf("%u\n", sum);
    return 0;
}
