/* How fast code runs natively: ticks per instruction, 2^-PACE_BITS, as trails told.
 *
 * A trail's own pace is that of its copies, less what they cost. Copies of equally fast code differ
 * threefold, by what is in the caches: the own paces of lua's trails spread from 0.2 to 0.8 ticks
 * where the program needs 0.16 to 0.18. The mean of all trails has none of that, but neither does
 * it know that a program sorts more slowly than it counts. Code that trails have in common lies
 * between: what all of them said of the parts that this one executed. Parts are the budgets that
 * exits charge, which trails have anyway. At least half of what is believed is a trail's own: more
 * where there is so little different code that copies stay in the caches. */
#pragma once

#include <stdint.h>

struct course;

enum { PACE_BITS = 16 };

static inline uint64_t pace_of(uint64_t ticks, uint64_t instructions)
{
    return (ticks << PACE_BITS) / (instructions ? instructions : 1);
}

/* The pace of all trails; 0: not known yet. */
uint64_t pace_mean(void);
/* That of a trail so far, which by itself has the pace `own`. */
uint64_t pace_expect(const struct course *course, uint64_t own);
/* One more trail, with that pace. What is long ago counts half, again and again. */
void pace_learn(const struct course *course, uint64_t own);
