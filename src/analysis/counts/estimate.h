/* From sums to figures with 95 % intervals.
 *
 * In an exact profile a figure is an integer, and its interval is that integer. In a sampled
 * profile, a key's share of all instructions is R = y / x, with y and x summed over batches of
 * walks, and
 *
 *     var(R) = B / (B - 1) * (yy - 2 R xy + R^2 xx) / x^2
 *
 * with Student's t and B - 1 degrees of freedom. A share of time is the share of the interrupts'
 * weight that fell on the code, with the interval of a binomial share of as many. Errors that all
 * batches share, of weights and of the total number of instructions, do not show in their spread.
 * They were measured on other programs and widen the intervals of counts, shares and branches
 * (estimate.c). What few batches have seen may be much more than that: upwards, intervals of counts
 * are never narrower than those of rare events. */
#pragma once

#include "profile/profile.h"

/* Count and time of one key, or of a sum of keys. Deviations are added, as if all keys were fully
 * correlated; instructions of a loop or a function nearly are. So the interval of a sum is never
 * too narrow on this account, and often too wide. */
struct quantity {
    uint64_t count;
    uint64_t time;   /* of interrupts; its interval follows from how many they are */
    uint64_t bare;   /* of it: of processes without an agent, whose samples are fewer */
    double count_sd; /* of count as a part of all, in its units */
    double alone_sd; /* of count by itself: the number of all instructions varies too */
};

/* lo and hi are NaN if the interval is unknown: null in JSON, "?" in text. */
struct estimate {
    double value, lo, hi;
};

/* Raises the upper end, at most to `most`. An unknown interval stays unknown. */
struct estimate estimate_raise(struct estimate estimate, double by, double most);

struct quantity quantity_of(const struct profile *profile, const struct sums *sums);
void quantity_add(struct quantity *quantity, const struct quantity *more);
/* Never below zero. */
void quantity_subtract(struct quantity *quantity, const struct quantity *less);

/* What one execution counts, at least 1. */
uint64_t estimate_one(const struct profile *profile);
/* Executions: the share, times user time in ticks, times the mean rate of all windows. What runs
 * much in fast windows moves share and rate together, so the interval is that of their product. */
struct estimate estimate_count(const struct profile *profile, const struct quantity *quantity);
/* Seconds of user CPU time; zero in an exact profile, which has no times. */
struct estimate estimate_time(const struct profile *profile, const struct quantity *quantity);
/* Per executed instruction: the part of the above that does not depend on how long the run was. */
struct estimate estimate_share(const struct profile *profile, const struct quantity *quantity,
                               bool time);

/* The share of part's executions in those of part and rest. How the two vary together is not known:
 * the interval is that of the worst. */
struct estimate estimate_part(const struct profile *profile, const struct quantity *part,
                              const struct quantity *rest);

/* The share of a conditional branch's executions that were taken, from the sums of its two ways. In
 * a sampled profile those of the second have how often both were gone (struct sums), so that the
 * spread over batches of this share itself is known. */
struct estimate estimate_taken(const struct profile *profile, const struct sums *taken,
                               const struct sums *fallen);

/* Executions of the one for each of the other, which must have some. As if they varied apart from
 * each other: what runs for the same reason varies together, and their quotient less than this. */
struct estimate estimate_quotient(const struct profile *profile, const struct quantity *of,
                                  const struct quantity *to);

/* The 95 % interval of a share of which k of n samples are seen (Wilson's). n > 0. */
struct estimate binomial_share(double k, double n);

/* The 95 % interval of the mean of a number that was seen to be n (Garwood's, by Wilson and
 * Hilferty's approximation). */
struct estimate poisson_number(double n);

/* Ticks per execution. Not a number if one of the two is not known at all, or if no processor could
 * be that fast. */
struct estimate estimate_cpi(const struct profile *profile, const struct quantity *quantity);

/* Whether that says anything: it is known to about half of itself. */
bool cpi_known(struct estimate cpi);

/* The 97.5 % quantile of Student's t. */
double student_t(uint64_t degrees);
