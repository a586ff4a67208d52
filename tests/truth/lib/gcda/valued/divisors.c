/* Divisors and sizes whose frequencies gcc counts. Each divisor is used twice, so that it is in a
 * register. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((noipa)) static unsigned power(unsigned k, unsigned n)
{
    return k % n + n;
}
__attribute__((noipa)) static unsigned seldom(unsigned k, unsigned n)
{
    return k % n ^ n;
}
__attribute__((noipa)) static int negative(int k, int n)
{
    return k / n - n;
}
static unsigned inlined(unsigned long k, unsigned long n)
{
    return (unsigned)(k % n + n);
}
__attribute__((noipa)) static int copy(char *to, const char *from, size_t n)
{
    memcpy(to, from, n);
    return to[n / 2];
}
__attribute__((noipa)) static unsigned both(int (*f)(int, int), unsigned k, unsigned n)
{
    return (unsigned)f((int)k, (int)n) + k % n + n;
}

int main(int n, char **words)
{
    char *from = calloc(1, 256), *to = calloc(1, 256);
    unsigned turns = n > 1 ? (unsigned)atoi(words[1]) : 1000, sum = 0;
    for (unsigned i = 0; i < turns; i++) {
        sum += power(i, i % 50 ? 64 : 63) + seldom(i % 100 ? i % 900 : i, 1000 + i % 2);
        sum += (unsigned)negative((int)i, i % 4 ? -7 : 3) + inlined(i + sum, i % 3 + 8);
        sum += (unsigned)copy(to, from, i % 10 ? 16 : i % 100);
        sum += both(negative, i, i % 8 ? 12 : 13);
    }
    printf("%u\n", sum);
}
