/* Places with habits: a divisor that is 7 nineteen times of twenty, a load that finds 42 always,
 * copies of 24 or 200 bytes, three times of four the former, and a result that is never the same.
 * In an order drawn at random. An indirect call that calls `often` nineteen times of twenty, else
 * `seldom`; one function that two others call, each with its own number; pointers to a string; and
 * a walk through an array by 24 bytes. */
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

OWN static uint64_t often(uint64_t n)
{
    return n + 1;
}

OWN static uint64_t seldom(uint64_t n)
{
    return n + 2;
}

OWN static uint64_t shared(volatile uint64_t *n)
{
    return *n;
}

static volatile uint64_t three = 3, five = 5;
OWN static uint64_t by_three(void)
{
    return shared(&three) + 1;
}

OWN static uint64_t by_five(void)
{
    return shared(&five) + 1;
}

static const char *volatile word = "a string with a name";
OWN static uint64_t named(void)
{
    return (uint64_t)word[0];
}

struct three_words {
    uint64_t first, second, third;
};
OWN static uint64_t walked(const volatile struct three_words *at, int n)
{
    uint64_t sum = 0;
    for (int i = 0; i < n; i++)
        sum += at[i].first;
    return sum;
}

int main(int argc, char **argv)
{
    uint64_t rounds = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000, seed = 1, sum = 0;
    static char from[256], to[256];
    static struct three_words words[16];
    uint64_t (*volatile calls[])(uint64_t) = {seldom, often};
    for (uint64_t i = 0; i < rounds; i++) {
        seed = drawn(seed);
        uint64_t at_random = seed >> 33;
        sum += divided(seed, at_random % 20 ? 7 : 9) + loaded();
        copied(to, from, at_random / 20 % 4 ? 24 : 200);
        sum +=
            calls[at_random % 20 != 0](sum) + by_three() + by_five() + named() + walked(words, 16);
    }
    printf("%llu\n", (unsigned long long)sum);
    return 0;
}
