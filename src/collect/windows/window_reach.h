/* How many instructions of each window count.
 *
 * A window may end at a system call (those that the agent neither makes nor comes back from), and
 * begins anywhere between two. So code before such a call is in all windows that end there, and
 * code after it in few. If all of a window counted, and short windows
 * stood for as much time as long ones, code before a call would weigh ten times what code after the
 * previous call does. The first instructions of windows are not biased, if all windows have so
 * many. So as many are counted as all but one in REACH_PART windows have; what is left of the bias
 * lies within so many instructions of each call. While there are few windows, chance does more harm
 * than bias: then more of them may be shorter, by the square root of their number. Where system
 * calls are rare, all of every window counts. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { REACH_PART = 16, REACH_LEAST = 64, REACH_STEPS = 4, REACH_BINS = 32 * REACH_STEPS };

struct window_reach {
    uint64_t windows, root;   /* and its square root */
    uint32_t cut[REACH_BINS]; /* short windows by length: REACH_STEPS bins for a factor of two */
};

/* One more window. `cut`: it ended at a system call or the like; else it has full length. */
void window_reach_add(struct window_reach *reach, uint64_t instructions, bool cut);
/* Instructions that count; UINT64_MAX: all. */
uint64_t window_reach(const struct window_reach *reach);
