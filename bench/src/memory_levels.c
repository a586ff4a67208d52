/* Accesses to memory of known behaviour: what each takes here, and the same course for a model.
 *
 *     memory_levels KIND KIB PASSES [huge]      prints cycles an access, the fastest of its passes over KIB (linger: the mean)
 *
 * chase: each line of KIB tells the next, by chance; pages: one line of each page, and the next by chance; random: loads that do not wait for each other,
 * by chance; read, write: line after line; copy: memcpy; linger: one line of sixteen, chased half a millisecond after all were read. What a model says of PASSES is had from two runs with different PASSES: setting up is the same. */
#include "pace.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { LINE = 64, PAGE = 4096, SPARSE = 1024, LEFT_NS = 500000, LEFT_LOADS = 256 };

struct work {
    char *memory;
    uint64_t bytes, n;
    uint64_t seed;
};

static uint64_t draw(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return *seed >> 33;
}

/* One ring through all of them: Sattolo's shuffle. Pages use one line each, not all of them the same. */
static void ring(struct work *work, uint64_t step)
{
    uint64_t n = work->n = work->bytes / step;
    uint32_t *order = malloc(n * sizeof *order);
    for (uint64_t i = 0; i < n; i++)
        order[i] = (uint32_t)i;
    for (uint64_t i = n - 1; i > 0; i--) {
        uint64_t other = draw(&work->seed) % i;
        uint32_t held = order[i];
        order[i] = order[other];
        order[other] = held;
    }
#define PLACE(i) (work->memory + (i)*step + (step == PAGE ? (i)*40503 / 64 % 64 * LINE : 0))
    for (uint64_t i = 0; i < n; i++)
        *(void **)(void *)PLACE(i) = PLACE((uint64_t)order[i]);
    free(order);
}

static uint64_t chase(struct work *work)
{
    void *at = work->memory;
    for (uint64_t i = 0; i < work->n; i++)
        at = *(void *volatile *)at;
    return (uint64_t)at;
}

static uint64_t at_random(struct work *work)
{
    uint64_t sum = 0, mask = work->bytes - LINE, x = work->seed;
    for (uint64_t i = 0; i < work->n; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        sum += *(volatile uint64_t *)(void *)(work->memory + (x >> 30 & mask));
    }
    work->seed = x;
    return sum;
}

static uint64_t read_lines(struct work *work)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < work->bytes; i += LINE)
        sum += *(volatile uint64_t *)(void *)(work->memory + i);
    return sum;
}

static uint64_t write_lines(struct work *work)
{
    for (uint64_t i = 0; i < work->bytes; i += LINE)
        *(volatile uint64_t *)(void *)(work->memory + i) = i;
    return 0;
}

static uint64_t copy(struct work *work)
{
    memcpy(work->memory, work->memory + work->bytes / 2, work->bytes / 2);
    return 0;
}

/* All lines are in the third level, and then nobody uses them for half a millisecond. */
static void leave(struct work *work)
{
    read_lines(work);
    read_lines(work);
    uint64_t begin = now_ns();
    while (now_ns() - begin < LEFT_NS)
        ;
}

int main(int argc, char **argv)
{
    if (argc < 4)
        return 129;
    struct work work = {.bytes = strtoull(argv[2], NULL, 10) << 10, .seed = 1};
    uint64_t huge = 2 << 20;
    work.memory = aligned_alloc(huge, (work.bytes + huge - 1) / huge * huge);
    if (argc > 4)
        madvise(work.memory, work.bytes, MADV_HUGEPAGE);
    memset(work.memory, 1, work.bytes);
    work.n = work.bytes / LINE;
    uint64_t (*pass)(struct work *) = !strcmp(argv[1], "random")  ? at_random
                                      : !strcmp(argv[1], "read")  ? read_lines
                                      : !strcmp(argv[1], "write") ? write_lines
                                      : !strcmp(argv[1], "copy")  ? copy
                                                                  : chase;
    bool left = !strcmp(argv[1], "linger");
    if (pass == chase)
        ring(&work, !strcmp(argv[1], "pages") ? PAGE : left ? SPARSE : LINE);
    if (left)
        work.n = LEFT_LOADS;
    if (pass == copy)
        work.n /= 2;
    bool model = getenv(
        "MEMORY_MODEL"); /* it needs no pace, and the chain would take it longer than all else */
    double least = 0, sum = 0, cycles = model ? 1 : pace();
    int passes = atoi(argv[3]);
    for (int i = 0; i < passes; i++) {
        if (left)
            leave(&work);
        uint64_t begin = now_ns();
        pass(&work);
        double ns = (double)(now_ns() - begin);
        sum += ns;
        least = i == 0 || ns < least ? ns : least;
    }
    printf("%.2f\n", (left ? sum / passes : least) * cycles / (double)work.n);
    return 0;
}
