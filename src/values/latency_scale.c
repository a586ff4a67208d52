#include "values/latency_scale.h"

#include <inttypes.h>
#include <math.h>
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
    APART_PART = 16, /* two places are two if their times differ by more than this part, */
    APART_STEPS = 2, /* and by so many steps of the clock: one more or less is chance */
    ROUNDS = 4,      /* whoever else uses the cache makes times longer, not shorter */
    ATTEMPTS = 5,    /* until all are told apart */
    NEAR_PART = 8,   /* what is longer than nearly all that is near by this part is not near */
    SECOND_PART = 8, /* of the second cache: what is surely in it, whoever shares it */
    MEAN_ROUNDS = 24,
};

/* What the code of a copy keeps its registers in. */
struct slots {
    uint64_t rax, rdx, rcx, start;
};

/* One load between clocks, register by register as walk/emit/payload.c has it; `empty`: the same
 * without the load. */
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

static double floor_once(void)
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

/* A mean, since clocks go in steps; of the quietest round. */
static double floor_measure(void)
{
    double least = floor_once();
    for (int i = 1; i < ROUNDS; i++) {
        double floor = floor_once();
        least = floor < least ? floor : least;
    }
    return least;
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

/* Above what is near, or what counts as such, and below memory, or what counts as such. */
static uint64_t near_end(const struct latency_scale *scale, bool beyond_is_near)
{
    return beyond_is_near && scale->beyond_most > scale->near_most ? scale->beyond_most
                                                                   : scale->near_most;
}

static uint64_t memory_start(const struct latency_scale *scale, bool beyond_is_memory)
{
    return beyond_is_memory && scale->beyond_least < scale->memory_least ? scale->beyond_least
                                                                         : scale->memory_least;
}

static void l3_explain(struct latency_scale *scale, bool like_memory)
{
    if (like_memory)
        snprintf(scale->l3_why, sizeof scale->l3_why,
                 "what is beyond the second cache takes up to %" PRIu64 " ticks, memory %" PRIu64
                 " and more: others fill the third cache, or there is "
                 "none; it counts as memory",
                 scale->beyond_most, scale->memory_least);
    else
        snprintf(scale->l3_why, sizeof scale->l3_why,
                 "what is in the second cache takes up to %" PRIu64
                 " ticks, what is beyond it %" PRIu64
                 " and more, and the clock goes in steps of %" PRIu64 "; it counts as near",
                 scale->near_most, scale->beyond_least, scale->step);
}

static void memory_explain(struct latency_scale *scale, uint64_t near, uint64_t memory)
{
    snprintf(scale->memory_why, sizeof scale->memory_why,
             "what is near takes up to %" PRIu64 " ticks, what is far %" PRIu64
             " and more: the machine was too busy to measure it, or its clock is too coarse",
             near, memory);
}

void latency_scale_set(struct latency_scale *scale)
{
    bool from_near = is_apart(scale, scale->near_most, scale->beyond_least);
    bool from_memory = is_apart(scale, scale->beyond_most, scale->memory_least);
    bool like_memory = from_near && !from_memory;
    uint64_t near = near_end(scale, !from_near), memory = memory_start(scale, like_memory);
    *scale->l3_why = *scale->memory_why = 0;
    scale->memory_max = LONGER * scale->memory_ticks;
    if (!from_near || !from_memory)
        l3_explain(scale, like_memory);
    if (!is_apart(scale, near, memory)) {
        memory_explain(scale, near, memory);
        scale->near_max = scale->l3_max = scale->memory_max;
        return;
    }
    bool l3 = from_near && from_memory;
    /* A program's loads vary more than those of a ring that does nothing else: the limit is closer
     * to what is far, nearly all of which takes longer than that. */
    scale->near_max = (near + 3 * (l3 ? scale->beyond_least : memory)) / 4;
    scale->l3_max = l3 ? (scale->beyond_most + memory) / 2 : scale->near_max;
}

/* ---- measuring it */

/* The part of sorted times that is above a limit begins here. */
static int above(const struct timings *timings, uint64_t limit)
{
    int i = 0;
    while (i < TIMINGS && timings->ticks[i] <= limit)
        i++;
    return i;
}

static void least_keep(uint64_t *least, uint64_t ticks)
{
    *least = ticks < *least ? ticks : *least;
}

static void near_measure(struct latency_scale *scale, uint8_t *memory, uint64_t second)
{
    struct timings timings;
    void *at = ring_make(memory, NEAR_BYTES);
    for (int i = 0; i < ROUNDS; i++) {
        at = ring_time(&timings, at, false);
        least_keep(&scale->near_ticks, timings.ticks[TIMINGS / 2]);
        step_find(scale, &timings);
    }
    at = ring_make(memory, second / SECOND_PART);
    for (int i = 0; i < 2 * ROUNDS; i++) {
        at = ring_time(&timings, at, false);
        least_keep(&scale->near_most, timings.ticks[TIMINGS * 19 / 20]);
    }
}

/* A part of the ring is in the second cache all the same: of the others the quarters. In a round in
 * which most were there nothing is seen. */
static void beyond_measure(struct latency_scale *scale, void *at)
{
    uint64_t median = UINT64_MAX;
    for (int i = 0; i < ROUNDS; i++) {
        struct timings timings;
        at = ring_time(&timings, at, false);
        int first = above(&timings, scale->near_most + scale->near_most / NEAR_PART);
        int n = TIMINGS - first;
        bool some = n >= TIMINGS / 4;
        uint64_t middle = some ? timings.ticks[first + n / 2] : timings.ticks[TIMINGS / 2];
        if (middle >= median)
            continue;
        median = middle;
        scale->beyond_least = some ? timings.ticks[first + n / 4] : timings.ticks[TIMINGS / 4];
        scale->beyond_most =
            some ? timings.ticks[first + n * 3 / 4] : timings.ticks[TIMINGS * 3 / 4];
    }
    scale->beyond_ticks = median;
}

static void memory_measure(struct latency_scale *scale, void *at)
{
    for (int i = 0; i < ROUNDS; i++) {
        struct timings timings;
        at = ring_time(&timings, at, true);
        least_keep(&scale->memory_ticks, timings.ticks[TIMINGS / 2]);
        least_keep(&scale->memory_least, timings.ticks[TIMINGS / 20]);
    }
}

static void all_measure(struct latency_scale *scale, uint8_t *memory, uint64_t second)
{
    *scale = (struct latency_scale){.floor = floor_measure(),
                                    .near_ticks = UINT64_MAX,
                                    .near_most = UINT64_MAX,
                                    .memory_least = UINT64_MAX,
                                    .memory_ticks = UINT64_MAX};
    near_measure(scale, memory, second);
    void *beyond = ring_make(memory, BEYOND * second);
    beyond_measure(scale, beyond);
    memory_measure(scale, beyond);
    latency_scale_set(scale);
}

/* How much it says. */
static int told(const struct latency_scale *scale)
{
    return !*scale->l3_why + !*scale->memory_why;
}

/* Mean of what is near, as the places of a recording have it: less than nothing is nothing. */
static double near_mean(const struct latency_scale *scale, void *at, double *ret_error)
{
    double n = 0, sum = 0, squares = 0;
    for (int i = 0; i <= MEAN_ROUNDS; i++) {
        struct timings timings;
        at = ring_time(&timings, at, false);
        for (int k = 0; i && k < TIMINGS && timings.ticks[k] <= scale->near_max; k++) {
            double ticks = fmax((double)timings.ticks[k] - scale->floor, 0);
            n++, sum += ticks, squares += ticks * ticks;
        }
    }
    if (n < 2)
        return 0;
    *ret_error = sqrt(fmax(0, squares / n - sum / n * (sum / n)) / n);
    return sum / n;
}

static void levels_measure(struct latency_scale *scale, uint8_t *memory, uint64_t second)
{
    double errors[2] = {0};
    scale->first_mean = near_mean(scale, ring_make(memory, NEAR_BYTES), &errors[0]);
    scale->second_mean = near_mean(scale, ring_make(memory, second / SECOND_PART), &errors[1]);
    scale->mean_error = fmax(errors[0], errors[1]);
}

void latency_scale_measure(struct latency_scale *scale)
{
    uint64_t second = second_cache_bytes(), bytes = BEYOND * second;
    uint8_t *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        *scale = (struct latency_scale){.floor = floor_measure(),
                                        .near_max = UINT64_MAX,
                                        .l3_max = UINT64_MAX,
                                        .memory_max = UINT64_MAX};
        snprintf(scale->l3_why, sizeof scale->l3_why, "there was no memory to measure it with");
        snprintf(scale->memory_why, sizeof scale->memory_why, "%s", scale->l3_why);
        return;
    }
    all_measure(scale, memory, second);
    for (int i = 1; i < ATTEMPTS && told(scale) < 2; i++) {
        struct latency_scale other;
        all_measure(&other, memory, second);
        if (told(&other) > told(scale))
            *scale = other;
    }
    if (!*scale->memory_why)
        levels_measure(scale, memory, second);
    munmap(memory, bytes);
}

void latency_scale_tell(const struct latency_scale *scale, struct profile *head)
{
    char text[192], l3[48] = "";
    if (*scale->memory_why) {
        snprintf(text, sizeof text, "ticks: timing itself %.1f", scale->floor);
        profile_fact(head, "latency_scale", text);
        profile_fact(head, "latency_l3_untold", scale->memory_why);
        profile_fact(head, "latency_untold", scale->memory_why);
        return;
    }
    if (!*scale->l3_why) /* else it has no bin, and the limit is that of what is near */
        snprintf(l3, sizeof l3, ", third cache up to %" PRIu64, scale->l3_max);
    snprintf(text, sizeof text,
             "ticks: timing itself %.1f, near up to %" PRIu64 "%s, memory up to %" PRIu64,
             scale->floor, scale->near_max, l3, scale->memory_max);
    profile_fact(head, "latency_scale", text);
    if (scale->second_mean > scale->first_mean) {
        snprintf(text, sizeof text, "first cache %.2f ticks, second %.2f, standard error %.2f",
                 scale->first_mean, scale->second_mean, scale->mean_error);
        profile_fact(head, "latency_levels", text);
    }
    if (*scale->l3_why)
        profile_fact(head, "latency_l3_untold", scale->l3_why);
}
