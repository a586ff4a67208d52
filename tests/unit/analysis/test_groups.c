#include "analysis/counts/groups.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

static uint64_t seed = 88172645463325252u;

static double uniform(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (double)(seed >> 11) / 9007199254740992.0;
}

/* How many of n samples hit the part: one by one, or where that would take long, the binomial by
 * its normal limit, which is no worse than rounding there. */
static int hits_of(int n, double share)
{
    int hits = 0;
    if (n * share * (1 - share) > 60)
        hits = (int)lround(n * share + sqrt(n * share * (1 - share)) * sqrt(-2 * log(uniform())) *
                                           cos(2 * M_PI * uniform()));
    else
        for (int i = 0; i < n; i++)
            hits += uniform() < share;
    return hits;
}

/* One recording of n samples, dealt out in turn; periods vary by a factor of three if uneven. */
static struct estimate record(int n, double share, bool uneven)
{
    struct groups part = {0}, whole = {0};
    int per_group = n / STACK_GROUPS, more = n % STACK_GROUPS;
    for (int g = 0; g < STACK_GROUPS; g++) {
        int samples = per_group + (g < more);
        if (uneven) {
            for (int i = 0; i < samples; i++) {
                uint64_t weight = 500 + (uint64_t)(1000 * uniform());
                groups_add(&whole, (uint32_t)g, weight);
                if (uniform() < share)
                    groups_add(&part, (uint32_t)g, weight);
            }
        } else {
            groups_add(&whole, (uint32_t)g, 1000 * (uint64_t)samples);
            groups_add(&part, (uint32_t)g, 1000 * (uint64_t)hits_of(samples, share));
        }
    }
    return groups_share(&part, &whole, (double)whole.sum / n);
}

static double coverage(int n, double share, bool uneven, int trials)
{
    int inside = 0;
    for (int i = 0; i < trials; i++) {
        struct estimate estimate = record(n, share, uneven);
        assert_true(estimate.lo <= estimate.value && estimate.value <= estimate.hi);
        assert_true(estimate.lo >= 0 && estimate.hi <= 1);
        inside += estimate.lo <= share && share <= estimate.hi;
    }
    return (double)inside / trials;
}

/* Where fewer than ten are expected, the number seen takes a few values only, and each is covered
 * or not as a whole: there an interval can promise no more than a lower limit. */
static void intervals_cover_95_percent(void **state)
{
    (void)state;
    static const double shares[] = {0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 0.5, 0.9};
    static const int samples[] = {50, 100, 500, 5000, 50000};
    double sum = 0;
    int n = 0;
    for (size_t s = 0; s < sizeof shares / sizeof *shares; s++)
        for (size_t k = 0; k < sizeof samples / sizeof *samples; k++) {
            double covered = coverage(samples[k], shares[s], false, 1500);
            double rarer = samples[k] * fmin(shares[s], 1 - shares[s]);
            if (covered < 0.93 || (rarer >= 10 && covered > 0.985))
                fail_msg("share %g, %d samples: %g covered", shares[s], samples[k], covered);
            if (rarer >= 10) {
                sum += covered;
                n++;
            }
        }
    printf("mean coverage %.4f\n", sum / n);
    assert_true(sum / n > 0.945 && sum / n < 0.98);
}

static void uneven_periods_are_covered(void **state)
{
    (void)state;
    for (int n = 100; n <= 3000; n *= 30) {
        double covered = coverage(n, 0.1, true, 1000);
        if (covered < 0.93 || covered > 0.985)
            fail_msg("%d samples: %g covered", n, covered);
    }
}

/* Samples that come in bursts of ten vary more than as many single ones: Wilson alone would be
 * far too sure, and the groups must tell. */
static void bursts_widen_the_interval(void **state)
{
    (void)state;
    int inside = 0, wilson = 0;
    enum { TRIALS = 2000, BURST = 10 };
    for (int trial = 0; trial < TRIALS; trial++) {
        struct groups part = {0}, whole = {0};
        for (uint32_t i = 0; i < 640; i++) {
            groups_add(&whole, i, BURST);
            if (uniform() < 0.2)
                groups_add(&part, i, BURST);
        }
        struct estimate estimate = groups_share(&part, &whole, 1);
        inside += estimate.lo <= 0.2 && 0.2 <= estimate.hi;
        struct estimate alone = binomial_share((double)part.sum, (double)whole.sum);
        wilson += alone.lo <= 0.2 && 0.2 <= alone.hi;
    }
    assert_true(inside > TRIALS * 93 / 100 && inside < TRIALS * 97 / 100);
    assert_true(wilson < TRIALS * 60 / 100);
}

static void nothing_is_known_of_nothing(void **state)
{
    (void)state;
    struct groups none = {0}, some = {0};
    groups_add(&some, 3, 100);
    assert_true(isnan(groups_share(&none, &none, 1).lo));
    assert_true(isnan(groups_share(&some, &some, 0).hi));
    struct estimate all = groups_share(&some, &some, 100);
    assert_true(all.value == 1 && all.lo < 0.3 && all.hi == 1); /* one sample of one */
    struct estimate zero = groups_share(&none, &some, 1);
    assert_true(zero.value == 0 && zero.lo == 0 && zero.hi > 0.03 && zero.hi < 0.04);
    groups_add(&some, 3, UINT64_MAX);
    assert_true(some.sum == UINT64_MAX && some.at[3] == UINT64_MAX);
    groups_merge(&some, &some);
    assert_true(some.sum == UINT64_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intervals_cover_95_percent),
        cmocka_unit_test(uneven_periods_are_covered),
        cmocka_unit_test(bursts_widen_the_interval),
        cmocka_unit_test(nothing_is_known_of_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
