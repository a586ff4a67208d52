/* Loops whose trips are known: each function has those that its name says. The program itself
 * prints how often each ran, function by function: "NAME ENTRIES ITERATIONS", and of those at
 * random one line for each length. What they go round by is an argument, and `keep` makes the
 * compiler believe that it is used, so that no loop is unrolled or taken away. */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define OWN __attribute__((noipa))

static inline void keep(uint64_t value)
{
    __asm__ volatile("" : : "r"(value));
}

OWN static void seven(uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        keep(i);
}

OWN static void three_or_nine(uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        keep(i);
}

OWN static void at_random(uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        keep(i);
}

OWN static void nested(uint64_t n, uint64_t inner)
{
    for (uint64_t i = 0; i < n; i++) {
        keep(i);
        for (uint64_t j = 0; j < inner; j++)
            keep(j);
    }
}

/* Calls itself out of its loop: the runs of all its frames are 2. */
OWN static void in_itself(uint64_t depth, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        keep(i);
        if (depth)
            in_itself(depth - 1, n);
    }
}

OWN static void thousand(uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        keep(i);
}

OWN static void million(uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        keep(i);
}

static uint64_t seed = 1, drawn[41];
static uint64_t draw(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    uint64_t n = 1 + (seed >> 33) % 40;
    drawn[n]++;
    return n;
}

static void say(const char *name, uint64_t entries, uint64_t iterations)
{
    printf("%s %" PRIu64 " %" PRIu64 "\n", name, entries, iterations);
}

int main(int argc, char **argv)
{
    uint64_t turns = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    for (uint64_t turn = 0; turn < turns; turn++) {
        for (uint64_t i = 0; i < 4000; i++) {
            seven(7);
            three_or_nine(i & 1 ? 9 : 3);
            at_random(draw());
            nested(5, 11);
        }
        for (uint64_t i = 0; i < 4000; i++)
            in_itself(3, 2);
        for (uint64_t i = 0; i < 200; i++)
            thousand(1000);
        million(1000000);
    }
    say("seven", turns * 4000, turns * 28000);
    say("three_or_nine", turns * 4000, turns * 24000);
    say("nested", turns * 4000, turns * 20000);
    say("nested", turns * 20000, turns * 220000);
    say("in_itself", turns * 60000, turns * 120000);
    say("thousand", turns * 200, turns * 200000);
    say("million", turns, turns * 1000000);
    for (uint64_t n = 1; n <= 40; n++)
        printf("at_random %" PRIu64 " %" PRIu64 "\n", drawn[n], drawn[n] * n);
    return 0;
}
