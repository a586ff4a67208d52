/* What a tracker knows of the stack. It does not depend on where blocks begin. */
#pragma once

#include <stdint.h>

enum { TRACKER_STACKS = 2 };

/* The stack pointer at entry and after alignment, and the lowest address on each that escaped from
 * registers. names[0] is 0: nothing found yet. */
struct tracked_stacks {
    uint32_t names[TRACKER_STACKS];
    int64_t escaped[TRACKER_STACKS];
};
