/* Loops whose rounds cost what is known: chains of additions, each of which waits for the one
 * before, alone and one behind the other as bits of the round say; a chain of divisions; and a call
 * of additions. With an argument it tells how much CPU time each took: "function nanoseconds
 * rounds". */
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#define TEXT(n) #n
/* Of a register: cores since Golden Cove do additions of constants while they rename, and none
 * waits. */
#define ADDS(n, x)                                                                                 \
    __asm__ volatile(".rept " TEXT(n) "\n add %1, %0\n .endr" : "+r"(x) : "r"(UINT64_C(1)))

#define LOOP(name, n)                                                                              \
    __attribute__((noipa)) static uint64_t name(uint64_t rounds)                                   \
    {                                                                                              \
        uint64_t x = rounds;                                                                       \
        for (uint64_t i = 0; i < rounds; i++)                                                      \
            ADDS(n, x);                                                                            \
        return x;                                                                                  \
    }
LOOP(adds_10, 10)
LOOP(adds_100, 100)
LOOP(adds_1000, 1000)

/* Four ways, in an order that can be learned: 20, 70, 120 and 170 additions. */
__attribute__((noipa)) static uint64_t adds_either(uint64_t rounds)
{
    uint64_t x = rounds;
    for (uint64_t i = 0; i < rounds; i++) {
        ADDS(20, x);
        if (i & 1)
            ADDS(50, x);
        if (i & 2)
            ADDS(100, x);
    }
    return x;
}

__attribute__((noipa)) static uint64_t divides(uint64_t rounds)
{
    uint64_t x = UINT64_MAX;
    for (uint64_t i = 0; i < rounds; i++)
        for (int j = 0; j < 1; j++)
            __asm__ volatile(".rept 10\n xor %%edx, %%edx\n div %1\n add %2, %0\n .endr"
                             : "+a"(x)
                             : "r"(UINT64_C(3)), "r"(UINT64_C(1) << 62)
                             : "rdx", "cc");
    return x;
}

__attribute__((noipa)) static uint64_t called(uint64_t x)
{
    ADDS(40, x);
    return x;
}

__attribute__((noipa)) static uint64_t calls(uint64_t rounds)
{
    uint64_t x = rounds;
    for (uint64_t i = 0; i < rounds; i++) {
        x = called(x);
        ADDS(60, x);
    }
    return x;
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
        uint64_t rounds;
    } kinds[] = {{"adds_10", adds_10, 10000000},   {"adds_100", adds_100, 2000000},
                 {"adds_1000", adds_1000, 200000}, {"adds_either", adds_either, 2000000},
                 {"divides", divides, 1000000},    {"calls", calls, 2000000}};
    (void)argv;
    uint64_t sum = 0;
    for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        uint64_t start = cpu_ns();
        sum += kinds[i].run(kinds[i].rounds);
        if (argc > 1)
            printf("%s %llu %llu\n", kinds[i].name, (unsigned long long)(cpu_ns() - start),
                   (unsigned long long)kinds[i].rounds);
    }
    return sum == 0;
}
