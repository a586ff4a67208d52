/* Functions that are called with arguments by a rule: tests/truth/arguments.sh knows it. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static volatile int sink;

__attribute__((noinline)) static int chosen(int width, const char *name, uint64_t count,
                                            double factor)
{
    sink += width + name[0];
    return (double)count * factor > 6 ? width : -1;
}

/* The third argument is not looked at. */
__attribute__((noinline)) static int pointed(int a, int b, int c)
{
    (void)c;
    sink = a;
    return a == b;
}

__attribute__((noinline)) static int first(uint64_t seed)
{
    return chosen(seed % 4 ? 64 : 80, "first", seed % 2, 0.5) * 2;
}

__attribute__((noinline)) static int second(uint64_t seed)
{
    int (*volatile by)(int, int, int) = pointed;
    return chosen(16, "second", 3, seed % 8 ? 2.0 : 4.0) + by((int)(seed % 8 == 1), 1, (int)seed);
}

int main(int argc, char **argv)
{
    uint64_t rounds = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000;
    int total = 0;
    for (uint64_t i = 0; i < rounds; i++) {
        uint64_t seed = i * 2654435761u >> 7;
        total += first(seed) + second(seed) + abs((int)labs((long)(seed % 3) - 1));
        total += (int)strtol(seed % 4 ? "17" : "4", NULL, 10); /* through a stub */
    }
    printf("%d\n", total);
    return 0;
}
