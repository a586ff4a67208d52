/* Which places have converged (a design's `converge`): their last messages all had one value, so
 * that more of them would say nothing new. Tuples of such places may be left out before a
 * compressor, but for some now and then, so that a change is seen.
 *
 * A table indexed by place; newer places replace older ones. Zero is a good table. */
#pragma once

#include "compress/tuple.h"

#include <stdbool.h>

enum {
    HABITS = 1024,
    HABIT_CONVERGED = 8, /* messages in a row */
};

struct habit {
    uint64_t place, value;
    uint32_t same; /* consecutive messages with that value */
};

struct habits {
    struct habit at[HABITS];
};

void habits_follow(struct habits *habits, const struct message *messages, size_t n);
bool habits_converged(const struct habits *habits, uint64_t place);
