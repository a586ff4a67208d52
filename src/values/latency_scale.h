/* What ticks of a timed load mean on this machine: how many of them the timing itself takes, and from how many on what was loaded
 * was in the third cache, or in memory.
 *
 * Measured when a recording starts, with the instructions that copies of loads are timed by (walk/payload.h): loads that
 * follow each other through memory of growing size, and loads of lines that were flushed. Where the third cache is not told from
 * memory, as when neighbours fill it, or from what is near, as when the clock's steps are too long, it has no bin: near_max and l3_max are then the same, and it is
 * told why. Loads that miss the TLB as well
 * take longer than this says. */
#pragma once

#include "profile/profile.h"

#include <stdint.h>

struct latency_scale {
    double floor;      /* ticks of a timing with nothing in it, on average */
    uint64_t near_max; /* ticks, the floor among them: up to these it is near, */
    uint64_t l3_max;   /* in the third cache, */
    uint64_t memory_max;
    /* What the limits are made of: medians of loads from the caches that a core has for itself, from beyond these, and from
     * memory; and what 19 of 20 of the first do not exceed. */
    uint64_t near_ticks, near_most, beyond_ticks, memory_ticks;
    uint64_t step;    /* of the clock, as far as it was seen; 0: not known */
    char l3_why[192]; /* why the third cache has no bin; "": it has */
};

/* Takes about 10 ms of CPU time. */
void latency_scale_measure(struct latency_scale *scale);
/* Limits out of what was measured. */
void latency_scale_set(struct latency_scale *scale);

static inline enum latency_bin latency_scale_bin(const struct latency_scale *scale, uint64_t ticks)
{
    return ticks <= scale->near_max     ? LATENCY_NEAR
           : ticks <= scale->l3_max     ? LATENCY_L3
           : ticks <= scale->memory_max ? LATENCY_MEMORY
                                        : LATENCY_LONGER;
}

/* As facts of the profile: "latency_scale", and "latency_l3_untold" if the third cache has no bin. */
void latency_scale_tell(const struct latency_scale *scale, struct profile *head);
