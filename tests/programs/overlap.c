/* Loops with two ways through them, and what each way costs when it is gone alone: overlap KIND
 * ONLY ROUNDS [told].
 *
 * KIND is what the ways do: `near` and `far` make independent loads, which a processor overlaps,
 * one and four a round, of lines that are in its first cache, and of lines that are in none;
 * `mixed` makes a near one or a far one, `either` a far one or 40 additions; `chains` adds, each
 * addition waiting for the one before; `divides` divides once or twice; `calls` calls a function or
 * adds as much itself; `tiny` calls one of two instructions or divides; `visits` calls one function
 * that loads from far, or one that adds. ONLY is `first`, `second`, `runs` (both, in runs of
 * different lengths) or `turns` (both by turns). With a fourth argument it prints the CPU time of
 * the loop in nanoseconds. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define TEXT(n) #n
/* Of a register: cores since Golden Cove do additions of constants while they rename, and none
 * waits. */
#define ADDS(n, x)                                                                                 \
    __asm__ volatile(".rept " TEXT(n) "\n add %1, %0\n .endr" : "+r"(x) : "r"(UINT64_C(1)))

enum { NEAR_WORDS = 1 << 10, FAR_WORDS = 1 << 23, WAYS = 1 << 12 };
static uint64_t near_words[NEAR_WORDS], *far_words;
static uint8_t ways[WAYS];

/* Somewhere else in the array each time; nothing waits for what was loaded there. */
#define LOAD(words, n, i) (words)[(i)*UINT64_C(0x9e3779b97f4a7c15) >> (64 - (n))]
#define NEAR(i) LOAD(near_words, 10, i)
#define FAR(i) LOAD(far_words, 23, i)

#define LOOP(name, first, second)                                                                  \
    __attribute__((noipa)) static uint64_t name(uint64_t rounds)                                   \
    {                                                                                              \
        uint64_t x = 1;                                                                            \
        for (uint64_t i = 0; i < rounds; i++) {                                                    \
            if (ways[i % WAYS]) {                                                                  \
                second;                                                                            \
                __asm__ volatile("" : "+r"(x));                                                    \
            } else {                                                                               \
                first;                                                                             \
                __asm__ volatile("" : "+r"(x));                                                    \
            }                                                                                      \
        }                                                                                          \
        return x;                                                                                  \
    }

__attribute__((noipa)) static uint64_t called(uint64_t x)
{
    ADDS(40, x);
    return x;
}

__attribute__((noipa)) static uint64_t tiny_called(uint64_t x)
{
    return x * 7 + 1;
}

__attribute__((noipa)) static uint64_t far_called(uint64_t i)
{
    return FAR(i);
}

__attribute__((noipa)) static uint64_t adds_called(uint64_t x)
{
    ADDS(40, x);
    return x;
}

static inline uint64_t divided(uint64_t x)
{
    __asm__ volatile("xor %%edx, %%edx\n div %1" : "+a"(x) : "r"(UINT64_C(3)) : "rdx", "cc");
    return x | UINT64_C(1) << 62;
}

#define FOUR(load, i) x += load(4 * (i)) + load(4 * (i) + 1) + load(4 * (i) + 2) + load(4 * (i) + 3)
LOOP(near, x += NEAR(i), FOUR(NEAR, i))
LOOP(far, x += FAR(i), FOUR(FAR, i))
LOOP(mixed, x += NEAR(i), x += FAR(i); __asm__ volatile("nop\n nop"))
/* Loads that overlap, in memory, or a chain that takes about as long. */
LOOP(either, x += FAR(i), uint64_t y = i; ADDS(40, y); x += y)
LOOP(chains, ADDS(20, x), ADDS(60, x))
LOOP(divides, x = divided(x), x = divided(divided(x)))
LOOP(calls, x = called(x), ADDS(80, x))
/* A call that takes hardly longer than writing it down, or a chain that hides that. */
LOOP(tiny, x = tiny_called(x), x = divided(x | UINT64_C(1) << 62);
     __asm__ volatile("nop\n nop\n nop"))
LOOP(visits, x += far_called(i), x += adds_called(i))

/* Which way each round goes. Runs are long enough for their ends to be few, and short enough to be
 * of every mixture within some hundred rounds. */
static void ways_draw(const char *only)
{
    uint64_t seed = 1, left = 0;
    uint8_t way = 0;
    for (int i = 0; i < WAYS; i++) {
        if (!strcmp(only, "runs") && !left--) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            left = 16 + (seed >> 33) % 200;
            way = !way;
        }
        ways[i] = !strcmp(only, "first")    ? 0
                  : !strcmp(only, "second") ? 1
                  : !strcmp(only, "turns")  ? i & 1
                                            : way;
    }
}

static uint64_t cpu_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        uint64_t (*run)(uint64_t);
    } kinds[] = {{"near", near},     {"far", far},       {"mixed", mixed},
                 {"either", either}, {"chains", chains}, {"divides", divides},
                 {"calls", calls},   {"visits", visits}, {"tiny", tiny}};
    if (argc < 4)
        return 2;
    far_words = malloc(sizeof *far_words * FAR_WORDS);
    memset(far_words, 1, sizeof *far_words * FAR_WORDS);
    memset(near_words, 1, sizeof near_words);
    ways_draw(argv[2]);
    for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (strcmp(kinds[i].name, argv[1]))
            continue;
        uint64_t rounds = strtoull(argv[3], NULL, 0), start = cpu_ns();
        uint64_t sum = kinds[i].run(rounds), took = cpu_ns() - start;
        if (argc > 4)
            printf("%llu\n", (unsigned long long)took);
        return sum == 0;
    }
    return 2;
}
