/* One function of some ten thousand instructions, like the loop of an interpreter: 244 handlers,
 * which a random sequence of operations jumps to. A few of them run nearly always. handlers
 * [ROUNDS] */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { OPERATIONS = 4096 };

#define STEP(n)                                                                                    \
    r[(n) % 8] += (r[((n) + 3) % 8] * ((n) + 1)) ^ (r[((n) + 5) % 8] >> ((n) % 13 + 1));           \
    if (r[(n) % 8] & (uint64_t)1 << (n) % 11)                                                      \
        r[((n) + 1) % 8] ^= r[(n) % 8] + (n);                                                      \
    else                                                                                           \
        r[((n) + 2) % 8] -= memory[(r[(n) % 8] >> 7) % 256] | (n);
#define CASE(n)                                                                                    \
    case n:                                                                                        \
        STEP(n)                                                                                    \
        STEP((n) + 7)                                                                              \
        memory[(r[(n) % 8] ^ (n)) % 256] = r[((n) + 1) % 8];                                       \
        break;
#define CASES_4(n) CASE(n) CASE(n + 1) CASE(n + 2) CASE(n + 3)
#define CASES_16(n) CASES_4(n) CASES_4(n + 4) CASES_4(n + 8) CASES_4(n + 12)
#define CASES_80(n) CASES_16(n) CASES_16(n + 16) CASES_16(n + 32) CASES_16(n + 48) CASES_16(n + 64)

static uint64_t memory[256];

__attribute__((noipa)) static uint64_t interpret(const uint8_t *operations, uint64_t rounds)
{
    uint64_t r[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    for (uint64_t i = 0; i < rounds; i++)
        switch (operations[i % OPERATIONS]) {
            CASES_80(0) CASES_80(80) CASES_80(160) CASES_4(240)
        }
    return r[0] ^ r[1] ^ r[2] ^ r[3] ^ r[4] ^ r[5] ^ r[6] ^ r[7];
}

int main(int argc, char **argv)
{
    static uint8_t operations[OPERATIONS];
    uint64_t rounds = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000, seed = 1;
    for (int i = 0; i < OPERATIONS; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        operations[i] = (uint8_t)((seed >> 33) % 8 ? (seed >> 40) % 12 : (seed >> 40) % 244);
    }
    printf("%llx\n", (unsigned long long)interpret(operations, rounds));
    return 0;
}
