/* What plain copies cost beyond the code itself: one figure for the budget and for weights. Fitted
 * to whole programs on plain copies against native runs (docs/PERFORMANCE.md). */
#pragma once

#include <stdint.h>

/* TSC ticks, in units of 2^-8, of a payment by a direct and by an indirect exit. */
enum { PLAIN_DIRECT_Q8 = 250, PLAIN_INDIRECT_Q8 = 950 };

/* The part of `ticks` that the program itself would have needed. Memory and mispredicted branches
 * hide some of the cost of copies: never less than two fifths. */
static inline uint64_t plain_native_ticks(uint64_t ticks, uint64_t direct, uint64_t indirect)
{
    uint64_t own = (PLAIN_DIRECT_Q8 * direct + PLAIN_INDIRECT_Q8 * indirect) >> 8;
    uint64_t least = ticks / 5 * 2;
    return ticks > least + own ? ticks - own : least;
}
