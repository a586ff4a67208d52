#include "view/groups.h"

#include "profile/sums.h"

#include <math.h>

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

/* Wilson's lower end is too high when only one, two or three are seen: a share so small that it shows
 * up by luck would lie below it. There the Poisson's own 5 % quantile stands in. 1: none needed. */
static double few_low(double k, double n)
{
    static const double poisson[] = {0, 0.05129, 0.35536, 0.81769};
    double seen = k > 0 ? k + 0.5 : 0; /* rounding may leave a difference below 0 */
    return seen < sizeof poisson / sizeof *poisson ? poisson[(int)seen] / n : 1;
}

struct estimate binomial_share(double k, double n)
{
    const double z = 1.959964;
    double p = k / n, middle = (p + z * z / (2 * n)) / (1 + z * z / n);
    double half = z * sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n);
    double lo = fmin(fmax(middle - half, 0), few_low(k, n));
    double hi = fmax(fmin(middle + half, 1), 1 - few_low(n - k, n));
    return (struct estimate){p, fmin(lo, p), fmax(hi, p)};
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
