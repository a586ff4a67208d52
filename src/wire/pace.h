/* Whether two stretches of a walk, one behind the other, went at one pace. The rate of a trail is taken for that of its window: where code that waits
 * for memory gives way to code that does not, it would be off by a factor of fifty. What all is cold for at first must not be taken for such a change. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* A stretch of code: what it executed and how long that took. */
struct piece {
    uint32_t instructions, direct, indirect, ticks;
};

enum { PACE_TIMES = 4 };

/* The first, which may have taken `cold` ticks because nothing was in the caches, can be of the same code as the second. */
static inline bool same_pace(const struct piece *before, const struct piece *now, uint64_t cold)
{
    uint64_t expected = (uint64_t)now->ticks * before->instructions / now->instructions;
    return before->ticks <= PACE_TIMES * expected + cold &&
           expected <= PACE_TIMES * (uint64_t)before->ticks;
}
