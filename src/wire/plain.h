/* What plain copies cost beyond the code itself: one figure for the budget and for weights. Fitted
 * to long trails of sampled programs against native runs (docs/experiments/weights.md): there an
 * indirect branch costs three times what it does where a whole program runs on copies, since the
 * processor has not learned where copies go. */
#pragma once

#include <stdint.h>

/* TSC ticks, in units of 2^-8: of a payment by a direct and by an indirect exit, and of an
 * instruction in copies that count. */
enum { PLAIN_DIRECT_Q8 = 179, PLAIN_INDIRECT_Q8 = 2238, PLAIN_TALLY_Q8 = 13 };

/* What so many payments, and instructions in copies that count, cost. `scale_q8`: what copies cost
 * on this machine, by the figures above, as measured (collect/copy_cost.h). */
static inline uint64_t plain_copies_ticks(uint32_t scale_q8, uint64_t direct, uint64_t indirect,
                                          uint64_t tallied)
{
    uint64_t figured =
        PLAIN_DIRECT_Q8 * direct + PLAIN_INDIRECT_Q8 * indirect + PLAIN_TALLY_Q8 * tallied;
    return (figured >> 8) * scale_q8 >> 8;
}

/* The part of `ticks` that the program itself would have needed, if copies cost `own`. Memory,
 * mispredicted branches and chains of instructions hide some of that, or all: never less than 48 %.
 */
static inline uint64_t plain_native_ticks(uint64_t ticks, uint64_t own)
{
    uint64_t least = ticks * 12 / 25;
    return ticks > least + own ? ticks - own : least;
}

/* What is left of that: copies are fetched anew for each walk, and the more different code a walk
 * meets, the longer it waits. `variety`: different exits in a window of 32,000 instructions.
 * Fitted to ten whole programs, counted exactly. */
enum { PLAIN_VARIETY = 400 };
/* The same where one window is weighed against all: with so much variety its own rate is half
 * believed. */
enum { PLAIN_VARIETY_HALF = 280 };

static inline uint64_t plain_cold_ticks(uint64_t warm_ticks, uint64_t variety)
{
    return warm_ticks * (PLAIN_VARIETY + variety) / PLAIN_VARIETY;
}

static inline uint64_t plain_warm_ticks(uint64_t native_ticks, uint64_t variety)
{
    return native_ticks * PLAIN_VARIETY / (PLAIN_VARIETY + variety);
}
