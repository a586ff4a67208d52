/* Ticks in calling contexts, of which some stays were measured (walk/count/node_ticks.h).
 *
 * A measured stay lies between two looks at the clock with fences around them: what the processor
 * would have done of what comes before and behind meanwhile is in it, and the way to code that is
 * rarely gone. That is so much a stay, and most where stays are short; how much, the program's own
 * CPU time tells: what is taken off for each stay is such that all of them together are no more
 * than that. Nodes with long stays are left as they are, since it is nothing beside them; if these
 * alone are as much as the CPU time, they were waiting, or others had the CPU, nothing is known of
 * the rest, and nothing taken off. */
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
