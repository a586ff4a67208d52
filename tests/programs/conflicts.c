/* Memory accesses that stand in each other's way, one kind a function; "clean": the same work
 * without. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TURNS = 2000 };

typedef volatile uint64_t cell;
struct __attribute__((packed)) unaligned {
    volatile uint64_t value;
};

static _Alignas(4096) union {
    cell cells[2048];
    volatile uint32_t halves[4096];
    uint8_t bytes[16384];
} memory;

#define FUNCTION __attribute__((noinline, noclone)) static uint64_t

FUNCTION forward(uint64_t sum, int clean)
{
    for (uint32_t i = 0; i < TURNS; i++) {
        if (clean) {
            memory.cells[1] = i;
        } else {
            memory.halves[2] = i;
            memory.halves[3] = i;
        }
        sum += memory.cells[1];
    }
    return sum;
}

/* Where the store goes is known late: after four multiplications whose result makes no difference.
 */
FUNCTION order(uint64_t sum, int clean)
{
    for (uint64_t i = 0; i < TURNS; i++) {
        uint64_t at = i;
        __asm__ volatile("imul %0, %0\n\timul %0, %0\n\timul %0, %0\n\timul %0, %0\n\tand $0, %0"
                         : "+r"(at));
        memory.cells[24 + (clean ? 0 : at)] = i + (clean ? at : 0);
        sum += memory.cells[24];
    }
    return sum;
}

FUNCTION alias(uint64_t sum, int clean)
{
    for (uint64_t i = 0; i < TURNS; i++) {
        memory.cells[32 + i % 32] = i;
        sum += memory.cells[32 + i % 32 + (clean ? 512 + 256 : 512)];
    }
    return sum;
}

FUNCTION line(uint64_t sum, int clean)
{
    for (uint64_t i = 0; i < TURNS; i++)
        sum += ((struct unaligned *)(void *)&memory.bytes[10240 + 64 * (i % 8) + (clean ? 0 : 60)])
                   ->value;
    return sum;
}

FUNCTION page(uint64_t sum, int clean)
{
    for (uint64_t i = 0; i < TURNS; i++)
        sum += ((struct unaligned *)(void *)&memory.bytes[clean ? 12280 : 12284])->value;
    return sum;
}

static _Alignas(256) cell counters[64];

struct job {
    long rounds;
    int clean;
    cell *counter, *done;
    const cell *other_done;
};

static pthread_barrier_t both;

/* Both begin together and go on until the other has done its rounds too: on a machine where a
 * thread waits for a CPU, each counts while the other does. */
static void *count(void *argument)
{
    const struct job job =
        *(const struct job *)argument; /* read once: it lies on a line of another's */
    pthread_barrier_wait(&both);
    for (long i = 0; i < job.rounds || !*job.other_done; i++) {
        for (int k = 0; k < TURNS; k++)
            ++*job.counter;
        if (i == job.rounds - 1)
            *job.done = 1;
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int clean = argc > 1 && strcmp(argv[1], "clean") == 0;
    long rounds = argc > 2 ? strtol(argv[2], NULL, 0) : 3000;
    static _Alignas(256) cell done[64];
    _Alignas(256) struct job jobs[2] = {
        {2 * rounds, clean, &counters[0], &done[0], &done[32]},
        {2 * rounds, clean, &counters[clean ? 32 : 1], &done[32], &done[0]}};
    pthread_t other;
    uint64_t sum = 0;
    pthread_barrier_init(&both, NULL, 2);
    if (pthread_create(&other, NULL, count, &jobs[1]))
        return 1;
    count(&jobs[0]);
    pthread_join(other, NULL);
    for (long i = 0; i < rounds; i++) {
        sum = forward(sum, clean);
        sum = order(sum, clean);
        sum = alias(sum, clean);
        sum = line(sum, clean);
        sum = page(sum, clean);
    }
    printf("%llu\n", (unsigned long long)sum);
    return 0;
}
