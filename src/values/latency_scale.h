/* What ticks of a timed load mean on this machine: how many of them the timing itself takes, and
 * from how many on what was loaded was in the third cache, or in memory.
 *
 * Measured when a recording starts, with the instructions that copies of loads are timed by
 * (walk/emit/payload.h): loads that follow each other through memory of growing size, and loads of
 * lines that were flushed. Two places are told apart if nearly all times of the one are shorter
 * than nearly all of the other. Where they are not, it is measured again: others may have disturbed
 * it. If that does not help, the scale says less. A third cache that looks like memory, as when
 * neighbours fill it, counts as memory; one that looks like what is near, as when the clock's steps
 * are too long, counts as near. If memory itself is not told from what is near, there are no bins
 * but `longer`. Loads that miss the TLB as well take longer than this says. */
#pragma once

#include "profile/profile.h"

#include <stdint.h>

struct latency_scale {
    double floor;      /* ticks of a timing with nothing in it, on average */
    uint64_t near_max; /* ticks, the floor among them: up to these it is near, */
    uint64_t l3_max;   /* in the third cache, */
    uint64_t memory_max;
    /* What the limits are made of. Of loads from the caches that a core has for itself: the median,
     * and what 19 of 20 do not exceed. From beyond these, and from memory: medians, and what nearly
     * all exceed or do not exceed. */
    uint64_t near_ticks, near_most, beyond_least, beyond_ticks, beyond_most;
    uint64_t memory_least, memory_ticks;
    uint64_t step;        /* of the clock, as far as it was seen; 0: not known */
    char l3_why[192];     /* why the third cache has no bin; "": it has */
    char memory_why[192]; /* why near and far are not told apart; "": they are */
};

/* Takes about 10 ms of CPU time, up to five times that where it is disturbed. */
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

/* As facts of the profile: "latency_scale"; "latency_l3_untold" if the third cache has no bin,
 * "latency_untold" if nothing has but what is longer. */
void latency_scale_tell(const struct latency_scale *scale, struct profile *head);
