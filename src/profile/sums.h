/* Addition that stops at the maximum of its type. A wrapped sum would look like a small one; a sum
 * at the maximum is visibly too large, and adding stays associative and commutative. */
#pragma once

#include "profile/profile.h"

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

static inline void sums_add(struct sums *sums, const struct sums *more)
{
    sum_add(&sums->time, more->time);
    sum_add(&sums->count, more->count);
    sum_add_wide(&sums->time_yy, more->time_yy);
    sum_add_wide(&sums->time_xy, more->time_xy);
    sum_add_wide(&sums->count_yy, more->count_yy);
    sum_add_wide(&sums->count_xy, more->count_xy);
}
