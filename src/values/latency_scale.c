#include "values/latency_scale.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    LINE_BYTES = 64,
    TIMINGS = 512,
    UNTIMED = 7, /* loads between two that are timed */
    NEAR_BYTES = 16 << 10,
    CACHE_BYTES = 1 << 20, /* of the second, if nobody tells */
    CACHE_BYTES_MAX = 4 << 20,
    BEYOND = 4,      /* times the second cache: most of it is not there */
    LONGER = 8,      /* times what memory takes: a fault, an interrupt */
    APART_PART = 8,  /* two places are two if their times differ by more than this part, */
    APART_STEPS = 2, /* and by so many steps of the clock: one more or less is chance */
    ROUNDS = 4,      /* whoever else uses the cache makes times longer, not shorter */
};

/* What the code of a copy keeps its registers in. */
struct slots {
    uint64_t rax, rdx, rcx, start;
};

/* One load between clocks, register by register as walk/payload.c has it; `empty`: the same without the load. */
#define TIMED(load)                                                                                \
    __asm__ volatile("lfence; rdtsc; lfence\n\t"                                                   \
                     "not %%eax\n\t"                                                               \
                     "mov %%rax, 24(%[slots])\n\t"                                                 \
                     "mov (%[slots]), %%rax; mov 8(%[slots]), %%rdx\n\t"                           \
                     "lfence\n\t" load "\n\t"                                                      \
                     "mov %%rax, (%[slots]); mov %%rdx, 8(%[slots])\n\t"                           \
                     "lfence; rdtsc; lfence\n\t"                                                   \
                     "mov %%rcx, 16(%[slots])\n\t"                                                 \
                     "mov 24(%[slots]), %%rcx\n\t"                                                 \
                     "lea 1(%%rax,%%rcx), %%ecx\n\t"                                               \
                     "mov %%rcx, %[ticks]"                                                         \
                     : [at] "+r"(at), [ticks] "=&r"(ticks)                                         \
                     : [slots] "r"(slots)                                                          \
                     : "rax", "rdx", "rcx", "memory")

static void *load_time(void *at, struct slots *slots, uint64_t *ret_ticks)
{
    uint64_t ticks;
    TIMED("mov (%[at]), %[at]");
    *ret_ticks = ticks;
    return at;
}

static uint64_t nothing_time(struct slots *slots)
{
    uint64_t ticks;
    void *at = slots;
    TIMED("");
    return ticks;
}

/* ---- a ring of lines, each holding where the next is */

static uint64_t draw(uint64_t *state, uint64_t below)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (*state >> 33) % below;
}

/* One ring through all lines in no order that anything could foresee (Sattolo's shuffle). */
static void *ring_make(uint8_t *memory, uint64_t bytes)
{
    uint64_t n = bytes / LINE_BYTES, state = 1;
    for (uint64_t i = 0; i < n; i++)
        *(uint64_t *)(void *)(memory + i * LINE_BYTES) = i;
    for (uint64_t i = n - 1; i > 0; i--) {
        uint64_t *one = (void *)(memory + i * LINE_BYTES);
        uint64_t *other = (void *)(memory + draw(&state, i) * LINE_BYTES);
        uint64_t was = *one;
        *one = *other;
        *other = was;
    }
    for (uint64_t i = 0; i < n; i++) {
        uint64_t next = *(uint64_t *)(void *)(memory + i * LINE_BYTES);
        *(void **)(void *)(memory + i * LINE_BYTES) = memory + next * LINE_BYTES;
    }
    return memory;
}

static int by_ticks(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

/* Sorted. */
struct timings {
    uint64_t ticks[TIMINGS];
};

/* From here on; returns where it came to. */
static void *ring_time(struct timings *timings, void *at, bool flushed)
{
    struct slots slots = {0};
    for (int i = 0; i < TIMINGS; i++) {
        for (int k = 0; k < UNTIMED; k++)
            at = *(void *volatile *)at;
        if (flushed) {
            __builtin_ia32_clflush(at);
            __builtin_ia32_mfence();
        }
        at = load_time(at, &slots, &timings->ticks[i]);
    }
    qsort(timings->ticks, TIMINGS, sizeof timings->ticks[0], by_ticks);
    return at;
}

static double floor_measure(void)
{
    struct slots slots = {0};
    struct timings timings;
    double sum = 0;
    int kept = TIMINGS * 9 / 10; /* the others were interrupted, or might have been */
    for (int i = 0; i < TIMINGS; i++)
        timings.ticks[i] = nothing_time(&slots);
    qsort(timings.ticks, TIMINGS, sizeof timings.ticks[0], by_ticks);
    for (int i = 0; i < kept; i++)
        sum += (double)timings.ticks[i];
    return sum / kept;
}

static uint64_t second_cache_bytes(void)
{
    long bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
    return bytes <= 0 ? CACHE_BYTES : bytes > CACHE_BYTES_MAX ? CACHE_BYTES_MAX : (uint64_t)bytes;
}

/* The smallest difference of two times that differ. */
static void step_find(struct latency_scale *scale, const struct timings *timings)
{
    for (int i = 1; i < TIMINGS; i++) {
        uint64_t step = timings->ticks[i] - timings->ticks[i - 1];
        if (step && (!scale->step || step < scale->step))
            scale->step = step;
    }
}

/* ---- the scale */

static bool is_apart(const struct latency_scale *scale, uint64_t less, uint64_t more)
{
    return more > less + less / APART_PART && more >= less + APART_STEPS * scale->step;
}

static void l3_judge(struct latency_scale *scale)
{
    uint64_t beyond = scale->beyond_ticks;
    if (!is_apart(scale, beyond, scale->memory_ticks))
        snprintf(scale->l3_why, sizeof scale->l3_why,
                 "what is beyond the second cache takes %" PRIu64 " ticks, as memory does (%" PRIu64
                 "): others fill the third cache, or there is none",
                 beyond, scale->memory_ticks);
    else if (!is_apart(scale, scale->near_most, beyond))
        snprintf(scale->l3_why, sizeof scale->l3_why,
                 "what is beyond the second cache takes %" PRIu64
                 " ticks, what is in it up to %" PRIu64 ", and the clock goes in steps of %" PRIu64,
                 beyond, scale->near_most, scale->step);
}

void latency_scale_set(struct latency_scale *scale)
{
    uint64_t beyond = scale->beyond_ticks, memory = scale->memory_ticks;
    l3_judge(scale);
    bool l3 = !*scale->l3_why;
    scale->near_max = (scale->near_most + (l3 ? beyond : memory)) / 2;
    scale->l3_max = l3 ? (beyond + memory) / 2 : scale->near_max;
    scale->memory_max = LONGER * memory;
}

/* The least of several rounds, each of other lines of the ring; of its times that at `rank`. */
static uint64_t rounds_time(struct latency_scale *scale, void *at, int rank, bool flushed)
{
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < ROUNDS; i++) {
        struct timings timings;
        at = ring_time(&timings, at, flushed);
        if (timings.ticks[rank] < least)
            least = timings.ticks[rank];
        step_find(scale, &timings);
    }
    return least;
}

void latency_scale_measure(struct latency_scale *scale)
{
    uint64_t second = second_cache_bytes(), bytes = BEYOND * second;
    uint8_t *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    *scale = (struct latency_scale){.floor = floor_measure()};
    if (memory == MAP_FAILED) { /* then all loads are near */
        scale->near_max = scale->l3_max = scale->memory_max = UINT64_MAX;
        snprintf(scale->l3_why, sizeof scale->l3_why, "there was no memory to measure it with");
        return;
    }
    scale->near_ticks = rounds_time(scale, ring_make(memory, NEAR_BYTES), TIMINGS / 2, false);
    scale->near_most = rounds_time(scale, ring_make(memory, second / 2), TIMINGS * 19 / 20, false);
    void *beyond = ring_make(memory, bytes);
    scale->beyond_ticks = rounds_time(scale, beyond, TIMINGS / 2, false);
    scale->memory_ticks = rounds_time(scale, beyond, TIMINGS / 2, true);
    munmap(memory, bytes);
    latency_scale_set(scale);
}

void latency_scale_tell(const struct latency_scale *scale, struct profile *head)
{
    char text[192], l3[48] = "";
    if (!*scale->l3_why) /* else it has no bin, and the limit is that of what is near */
        snprintf(l3, sizeof l3, ", third cache up to %" PRIu64, scale->l3_max);
    snprintf(text, sizeof text,
             "ticks: timing itself %.1f, near up to %" PRIu64 "%s, memory up to %" PRIu64,
             scale->floor, scale->near_max, l3, scale->memory_max);
    profile_fact(head, "latency_scale", text);
    if (*scale->l3_why)
        profile_fact(head, "latency_l3_untold", scale->l3_why);
}
