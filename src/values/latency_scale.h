/* The meaning of a timed load's ticks on this machine: the ticks of the timing itself, and the
 * limits between near caches, third cache and memory.
 *
 * Measured when a recording starts, with the instructions that time loads in copies
 * (walk/emit/payload.h): chains of loads through memory of growing size, and loads of flushed
 * lines. Two levels are distinct if nearly all times of the one are shorter than nearly all of the
 * other. If they are not, the measurement is repeated: others may have disturbed it. If that does
 * not help, the scale has fewer bins. A third cache that looks like memory, as when neighbours fill
 * it, counts as memory. One that looks near, as when the clock's steps are too long, counts as
 * near. If memory itself is not distinct from near, there are no bins but `longer`. Loads that also
 * miss the TLB take longer than the scale says. */
#pragma once

#include "profile/profile.h"

#include <stdint.h>

struct latency_scale {
    double floor;      /* mean ticks of an empty timing */
    uint64_t near_max; /* ticks, with the floor: up to this it is near, */
    uint64_t l3_max;   /* in the third cache, */
    uint64_t memory_max;
    /* What the limits are computed from. Loads from the caches of the core: the median, and what 19
     * of 20 do not exceed. From beyond these, and from memory: medians, and what nearly all exceed
     * or do not exceed. */
    uint64_t near_ticks, near_most, beyond_least, beyond_ticks, beyond_most;
    uint64_t memory_least, memory_ticks;
    uint64_t step; /* of the clock; 0: not known */
    /* Mean ticks of loads from the first and from the second cache, as a recording would have them,
     * and the standard error of either. Where the clock's steps are longer than the difference, a
     * mean of many loads still has it. 0: not measured. */
    double first_mean, second_mean, mean_error;
    char l3_why[192];     /* why the third cache has no bin; or "" */
    char memory_why[192]; /* why memory is not distinct from near; or "" */
};

/* Takes about 10 ms of CPU time, up to five times that if it is disturbed. */
void latency_scale_measure(struct latency_scale *scale);
/* Computes the limits. */
void latency_scale_set(struct latency_scale *scale);

static inline enum latency_bin latency_scale_bin(const struct latency_scale *scale, uint64_t ticks)
{
    return ticks <= scale->near_max     ? LATENCY_NEAR
           : ticks <= scale->l3_max     ? LATENCY_L3
           : ticks <= scale->memory_max ? LATENCY_MEMORY
                                        : LATENCY_LONGER;
}

/* Adds facts to the profile: "latency_scale", "latency_levels"; "latency_l3_untold" if the third
 * cache has no bin, "latency_untold" if there is no bin but `longer`. */
void latency_scale_tell(const struct latency_scale *scale, struct profile *head);
