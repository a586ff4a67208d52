/* Places with habits: a divisor that is 7 nineteen times of twenty, a load that finds 42 always, copies of 24 or 200
 * bytes, three times of four the former, and a result that is never the same. In an order drawn at random. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define OWN __attribute__((noipa))

OWN static uint64_t divided(uint64_t n, uint64_t by)
{
    return n / by;
}

static volatile uint64_t answer = 42;
OWN static uint64_t loaded(void)
{
    return answer;
}

OWN static void copied(void *to, const void *from, uint64_t bytes)
{
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
}

OWN static uint64_t drawn(uint64_t seed)
{
    return seed * 6364136223846793005u + 1442695040888963407u;
}

int main(int argc, char **argv)
{
    uint64_t rounds = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000, seed = 1, sum = 0;
    static char from[256], to[256];
    for (uint64_t i = 0; i < rounds; i++) {
        seed = drawn(seed);
        uint64_t at_random = seed >> 33;
        sum += divided(seed, at_random % 20 ? 7 : 9) + loaded();
        copied(to, from, at_random / 20 % 4 ? 24 : 200);
    }
    printf("%llu\n", (unsigned long long)sum);
    return 0;
}
