/* How many instructions of each window count.
 *
 * A window ends at a system call, and begins anywhere between two: so what stands before a call is
 * in all windows that end there, and what stands behind it in few. Were all of a window counted,
 * and short ones to stand for as much time as long ones, code before a call would weigh ten times
 * what code behind the one before it does. The first instructions of windows have no such lean, if
 * all windows have so many: as many are counted as all but one in REACH_PART of them have. What is
 * left of the lean is in that many instructions behind and before each call. While there are few
 * windows, chance does more harm than the lean: then more may be shorter, by the root of their
 * number. Where calls are rare all of every window counts. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { REACH_PART = 16, REACH_LEAST = 64, REACH_STEPS = 4, REACH_BINS = 32 * REACH_STEPS };

struct window_reach {
    uint64_t windows, root;   /* and its root */
    uint32_t cut[REACH_BINS]; /* how many that were short, by their length: REACH_STEPS bins for a
                                 factor of two */
};

/* A window of so many instructions, which ended at a system call or the like, or had all that was
 * wanted. */
void window_reach_add(struct window_reach *reach, uint64_t instructions, bool cut);
/* Instructions that count; UINT64_MAX: all. */
uint64_t window_reach(const struct window_reach *reach);
