#include "analysis/counts/groups.h"

#include "profile/sums.h"

#include <math.h>

void groups_note(struct groups *groups, uint32_t group, uint64_t weight)
{
    sum_add(&groups->at[group % STACK_GROUPS], weight);
}

void groups_add(struct groups *groups, uint32_t group, uint64_t weight)
{
    sum_add(&groups->sum, weight);
    sum_add(&groups->at[group % STACK_GROUPS], weight);
}

void groups_merge(struct groups *groups, const struct groups *more)
{
    sum_add(&groups->sum, more->sum);
    for (int g = 0; g < STACK_GROUPS; g++)
        sum_add(&groups->at[g], more->at[g]);
}

struct estimate groups_share(const struct groups *part, const struct groups *whole,
                             double sample_weight)
{
    double y = (double)part->sum, x = (double)whole->sum;
    if (!whole->sum)
        return (struct estimate){0, NAN, NAN};
    double share = y / x, residual = 0;
    if (!(sample_weight > 0))
        return (struct estimate){share, NAN, NAN};
    for (int g = 0; g < STACK_GROUPS; g++) {
        double off = (double)part->at[g] - share * (double)whole->at[g];
        residual += off * off;
    }
    double sd = sqrt(STACK_GROUPS / (STACK_GROUPS - 1.0) * residual) / x;
    double half = student_t(STACK_GROUPS - 1) * sd;
    /* A sample may weigh less than the mean; there is at least one all the same. */
    struct estimate chance =
        binomial_share(fmin(share, 1) * fmax(x / sample_weight, 1), fmax(x / sample_weight, 1));
    return (struct estimate){share, fmax(fmin(chance.lo, share - half), 0),
                             fmax(chance.hi, fmin(share + half, 1))};
}
