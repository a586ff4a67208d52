/* Ticks in calling contexts, where some stays were measured (walk/count/node_ticks.h).
 *
 * A measured stay lies between two clock reads with fences. The fences prevent overlap with the
 * code before and after, and the measuring code is often cold, so measured stays are too long by
 * about the same amount each. The program's own CPU time shows by how much: the correction per
 * stay is such that all stays together take no more than the CPU time. Nodes with long stays are
 * not corrected, because the error is small there. If these alone exceed the CPU time they were
 * waiting, or lost the CPU; then nothing is known about the others and nothing is corrected. */
#pragma once

#include "analysis/counts/estimate.h"

#include <stdbool.h>
#include <stdint.h>

struct profile;

struct context_clock {
    double raw;   /* what was measured, scaled to all stays, by the CPU time; 0: not known */
    double look;  /* ticks that are taken off for each stay */
    double over;  /* ticks that all stays together may have been measured too long by */
    double least; /* ticks that all stays together have at least: shares of the others are of no
                     less */
    bool brief;   /* the run was too short for its CPU time to tell anything */
};

struct context_clock context_clock_find(const struct profile *profile);

/* Of ticks that are left, with so many stays measured, whose sampling varies by `half`. A stay that
 * is timed alone takes at least as long as it does among others: what was taken off may have been
 * its own. And what it cannot overlap with its neighbours is at most about what memory takes, for
 * each stay, and no more than all stays together have too much. One may have been disturbed for
 * some microseconds. */
struct estimate context_clock_estimate(const struct context_clock *clock, double ticks,
                                       double stays, double half);

/* The weight of cell i of the profile's stacks; of ticks that which is left. */
uint64_t context_clock_weight(const struct context_clock *clock, const struct profile *profile,
                              uint32_t i);
