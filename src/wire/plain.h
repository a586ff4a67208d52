/* What plain copies of code take beyond the code itself: one figure for those who govern and those
 * who weigh. Fitted to whole programs on plain copies against native runs (docs/PERFORMANCE.md). */
#pragma once

#include <stdint.h>

/* TSC ticks, 2^-8, of a payment by a direct exit and by an indirect one. */
enum { PLAIN_DIRECT_Q8 = 250, PLAIN_INDIRECT_Q8 = 950 };

/* Of so many ticks of a stretch, what the program itself would have needed. Memory and mispredicted
 * branches hide some of what copies cost: never less than two fifths. */
static inline uint64_t plain_native_ticks(uint64_t ticks, uint64_t direct, uint64_t indirect)
{
    uint64_t own = (PLAIN_DIRECT_Q8 * direct + PLAIN_INDIRECT_Q8 * indirect) >> 8;
    uint64_t least = ticks / 5 * 2;
    return ticks > least + own ? ticks - own : least;
}
