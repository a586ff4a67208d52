/* A weight split into groups, and the interval of a share of such weights.
 *
 * The samples of a plain recording are dealt out in turn to STACK_GROUPS groups
 * (profile/stacks.h). Each group gives an estimate y_g / x_g of the same share, and their spread
 * gives its interval (random groups, Student's t). Few samples in many groups say little about
 * their own spread, so the interval is never narrower than that of a binomial share of as many
 * samples (Wilson's). */
#pragma once

#include "profile/stacks.h"
#include "analysis/counts/estimate.h"

#include <stdint.h>

struct groups {
    uint64_t sum;
    uint64_t at[STACK_GROUPS];
};

/* Both stop at the maximum of the type. */
void groups_add(struct groups *groups, uint32_t group, uint64_t weight);
/* Beside the sum. */
void groups_note(struct groups *groups, uint32_t group, uint64_t weight);
void groups_merge(struct groups *groups, const struct groups *more);

/* part / whole with its 95 % interval; the part must have been added to the whole too.
 * sample_weight is the mean weight of a sample. Without one, or of an empty whole, lo and hi are
 * not numbers. */
struct estimate groups_share(const struct groups *part, const struct groups *whole,
                             double sample_weight);
