/* What a tracker knows of stacks, which holds wherever the blocks of a function begin. */
#pragma once

#include <stdint.h>

enum { TRACKER_STACKS = 2 };

/* The stack pointer at the entry, and after it was aligned; and the lowest address on each that
 * left the registers. No first name: nothing was found yet. */
struct tracked_stacks {
    uint32_t names[TRACKER_STACKS];
    int64_t escaped[TRACKER_STACKS];
};
