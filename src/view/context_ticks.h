/* Ticks in calling contexts, of which some stays were measured (walk/node_ticks.h).
 *
 * A measured stay lies between two looks at the clock with fences around them: what the processor would have done of what comes before and behind meanwhile is in it, and the way to code that is
 * rarely gone. That is so much a stay, and most where stays are short; how much, the program's own CPU time tells: what is taken off for each stay is such that all of them
 * together are no more than that. Nodes with long stays are left as they are, since it is nothing beside them; if these alone are as much as the CPU time, they were waiting, or others had
 * the CPU, nothing is known of the rest, and nothing taken off. */
#pragma once

#include <stdint.h>

struct profile;

struct context_clock {
    double raw;  /* what was measured, scaled to all stays, by the CPU time; 0: not known */
    double look; /* ticks that are taken off for each stay */
};

struct context_clock context_clock_find(const struct profile *profile);

/* The weight of cell i of the profile's stacks; of ticks that which is left. */
uint64_t context_clock_weight(const struct context_clock *clock, const struct profile *profile,
                              uint32_t i);
