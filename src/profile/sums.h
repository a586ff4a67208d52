/* Saturating sums. A wrapped sum would look small; a saturated one is visibly too large, and
 * addition stays associative and commutative. */
#pragma once

#include "wire/u128.h"

#include <stdint.h>

/* Sums over batches, see profile.h. `time` weighs windows by the time they stand for, `count` also
 * by their rates. For paths of an exact profile `time` is ticks. For trips `count` is runs and
 * `time` runs times iterations. For EDGE_FALL `time` is the count of both ways of the branch; its
 * squares give their covariance. */
struct sums {
    uint64_t time, count;
    u128 time_yy, time_xy;
    u128 count_yy, count_xy;
};

static inline void sum_add(uint64_t *sum, uint64_t more)
{
    if (__builtin_add_overflow(*sum, more, sum))
        *sum = UINT64_MAX;
}

static inline void sum_add_wide(u128 *sum, u128 more)
{
    if (__builtin_add_overflow(*sum, more, sum))
        *sum = ~(u128)0;
}

/* Adds one batch: y, and its products with the batch's x. */
static inline void sums_add_batch(struct sums *sums, uint64_t y_time, uint64_t y_count,
                                  uint64_t x_time, uint64_t x_count)
{
    sum_add(&sums->time, y_time);
    sum_add(&sums->count, y_count);
    sum_add_wide(&sums->time_yy, (u128)y_time * y_time);
    sum_add_wide(&sums->time_xy, (u128)y_time * x_time);
    sum_add_wide(&sums->count_yy, (u128)y_count * y_count);
    sum_add_wide(&sums->count_xy, (u128)y_count * x_count);
}

static inline void sums_add(struct sums *sums, const struct sums *more)
{
    sum_add(&sums->time, more->time);
    sum_add(&sums->count, more->count);
    sum_add_wide(&sums->time_yy, more->time_yy);
    sum_add_wide(&sums->time_xy, more->time_xy);
    sum_add_wide(&sums->count_yy, more->count_yy);
    sum_add_wide(&sums->count_xy, more->count_xy);
}
