/* scribbles SEED: writes over the memory that it shares with the tool, as a broken program might:
 * here and there, and with seed 0 ones into all counters. What becomes of it is its own affair; the
 * tool must live. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAPS_MAX = 64, COUNTERS_BYTES = 4096 };

struct span {
    uint64_t start, bytes;
};

static uint64_t state;
static volatile uint64_t sum;

static uint64_t draw(void)
{
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return state;
}

static int shared(struct span *ret)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[512];
    int n = 0;
    while (maps && fgets(line, sizeof line, maps)) {
        uint64_t start, end;
        if (strstr(line, "memfd:gait") && strstr(line, "rw-s") && n < MAPS_MAX &&
            sscanf(line, "%lx-%lx", &start, &end) == 2)
            ret[n++] = (struct span){start, end - start};
    }
    if (maps)
        fclose(maps);
    return n;
}

static uint64_t value(void)
{
    switch (draw() % 4) {
    case 0: return ~UINT64_C(0);
    case 1: return draw();
    case 2: return UINT64_C(1) << draw() % 64;
    default: return draw() % 65536;
    }
}

/* Most of it into the counters at the front. */
static void scribble(const struct span *span)
{
    uint64_t within = draw() % 8 ? COUNTERS_BYTES : span->bytes;
    uint64_t at = draw() % within & ~UINT64_C(7);
    if (at + 8 <= span->bytes)
        *(volatile uint64_t *)(span->start + at) = value();
}

/* All counters at once, as a loop does that runs too far. */
static void flood(const struct span *span)
{
    for (uint64_t at = 0; at + 8 <= span->bytes && at < COUNTERS_BYTES; at += 8)
        *(volatile uint64_t *)(span->start + at) = ~UINT64_C(0);
}

int main(int argc, char **argv)
{
    struct span spans[MAPS_MAX];
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
    state = seed * 2654435761u + 88172645463325252u;
    clock_t until = clock() + CLOCKS_PER_SEC / 5;
    while (clock() < until) {
        for (int i = 0; i < 200000; i++)
            sum = sum * 31 + (uint64_t)i;
        int n = shared(spans);
        for (int i = 0; !seed && i < n; i++)
            flood(&spans[i]);
        for (int i = 0; seed && n && i < 4; i++)
            scribble(&spans[draw() % (uint64_t)n]);
    }
    return 0;
}
