#include "analysis/counts/estimate.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static void near(double got, double expected, double tolerance)
{
    if (!(fabs(got - expected) <= tolerance))
        fail_msg("%.9g, expected %.9g", got, expected);
}

/* P(|T| <= t) by Simpson's rule over the density. */
static double t_inside(double t, double n)
{
    const int steps = 2000;
    double constant = exp(lgamma((n + 1) / 2) - lgamma(n / 2)) / sqrt(n * M_PI), sum = 0;
    for (int i = 0; i <= steps; i++) {
        double x = t * i / steps;
        double weight = i == 0 || i == steps ? 1 : i % 2 ? 4 : 2;
        sum += weight * pow(1 + x * x / n, -(n + 1) / 2);
    }
    return 2 * constant * sum * t / steps / 3;
}

static void quantiles_hold_95_percent(void **state)
{
    (void)state;
    for (uint64_t n = 1; n < 200; n++)
        if (fabs(t_inside(student_t(n), (double)n) - 0.95) > 0.00001)
            fail_msg("degrees %lu: %.9g", n, t_inside(student_t(n), (double)n));
    near(student_t(1000000), 1.959966, 0.00001);
}

static void exact_figures_are_their_integer(void **state)
{
    (void)state;
    struct profile profile;
    profile_init(&profile);
    profile.mode = PROFILE_EXACT;
    profile.totals.instructions = 1000;
    struct sums sums = {.count = 123};
    struct quantity quantity = quantity_of(&profile, &sums);
    struct estimate count = estimate_count(&profile, &quantity);
    assert_true(count.value == 123 && count.lo == 123 && count.hi == 123);
    struct estimate share = estimate_share(&profile, &quantity, false);
    assert_true(share.value == 0.123 && share.lo == 0.123 && share.hi == 0.123);
    assert_true(estimate_time(&profile, &quantity).value == 0);
    profile_release(&profile);
}

/* ---- synthetic recordings */

static uint64_t seed = 88172645463325252u;

static double uniform(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (double)(seed >> 11) / 9007199254740992.0;
}

static double normal(void)
{
    return sqrt(-2 * log(uniform() + 1e-300)) * cos(2 * M_PI * uniform());
}

enum { KEYS = 4 };

/* Batches in two kinds of weather: in fair ones key 0 runs often and fast, in foul ones slowly.
 * True shares follow from the means. */
struct recording {
    struct profile profile;
    struct sums keys[KEYS];
    uint64_t times[KEYS]; /* of interrupts */
    struct sums fallen;   /* keys 0 and 1 as the two ways of a branch: those of 1 */
};

static const double time_shares[KEYS] = {0.5, 0.2, 0.05, 0.01};

static void interrupts(struct recording *recording, int n)
{
    struct totals *totals = &recording->profile.totals;
    while (n--) {
        uint64_t since = (uint64_t)(1e6 * (0.8 + 0.4 * uniform()));
        double at = uniform();
        for (int k = 0; k < KEYS; at -= time_shares[k++])
            if (at >= 0 && at < time_shares[k])
                recording->times[k] += since;
        totals->samples++;
        totals->sampled_ns += since;
    }
}

static void batch(struct recording *recording)
{
    static const double shares[2][KEYS] = {{0.3, 0.1, 0.02, 0.05}, {0.1, 0.2, 0.0, 0.05}};
    static const double rates[2] = {2.0, 0.7};
    uint64_t x_time = 0, x_count = 0, y_time[KEYS] = {0}, y_count[KEYS] = {0};
    int windows = 3 + (int)(uniform() * 5);
    for (int w = 0; w < windows; w++) {
        int weather = uniform() < 0.4;
        double rate = rates[weather] * (1 + 0.2 * normal());
        uint64_t fixed = (uint64_t)(fmax(rate, 0.05) * (1 << RATE_BITS));
        x_time += 1u << 24;
        x_count += fixed << 24;
        for (int k = 0; k < KEYS; k++) {
            double share = fmax(0, shares[weather][k] * (1 + 0.3 * normal()));
            uint64_t units = (uint64_t)(share * (1 << 24));
            y_time[k] += units;
            y_count[k] += units * fixed;
        }
    }
    interrupts(recording, (int)(uniform() * 10) + 15);
    struct totals *totals = &recording->profile.totals;
    totals->batches++;
    totals->time += x_time;
    totals->count += x_count;
    totals->time_xx += (u128)x_time * x_time;
    totals->count_xx += (u128)x_count * x_count;
    for (int k = 0; k < KEYS; k++) {
        struct sums *sums = &recording->keys[k];
        sums->time += y_time[k];
        sums->count += y_count[k];
        sums->time_yy += (u128)y_time[k] * y_time[k];
        sums->time_xy += (u128)y_time[k] * x_time;
        sums->count_yy += (u128)y_count[k] * y_count[k];
        sums->count_xy += (u128)y_count[k] * x_count;
    }
    uint64_t both = y_count[0] + y_count[1];
    recording->fallen.count += y_count[1];
    recording->fallen.count_yy += (u128)y_count[1] * y_count[1];
    recording->fallen.time += both;
    recording->fallen.time_yy += (u128)both * both;
    totals->instructions += (uint64_t)windows * 10000;
}

static void record(struct recording *recording, int batches)
{
    memset(recording, 0, sizeof *recording);
    profile_init(&recording->profile);
    recording->profile.mode = PROFILE_SAMPLED;
    recording->profile.totals.user_ns = 2000000000;
    recording->profile.totals.user_ticks = 5000000000;
    while (batches--)
        batch(recording);
}

static bool inside(struct estimate estimate, double truth)
{
    return estimate.lo <= truth && truth <= estimate.hi;
}

/* The truth is what a very long recording says. */
static void intervals_cover_95_percent(void **state)
{
    (void)state;
    static struct recording truth, one;
    record(&truth, 200000);
    enum { TRIALS = 2000 };
    int shares[KEYS] = {0}, times[KEYS] = {0}, counts[KEYS] = {0}, both = 0;
    for (int trial = 0; trial < TRIALS; trial++) {
        record(&one, 20);
        struct quantity sum = {0}, true_sum = {0};
        for (int k = 0; k < KEYS; k++) {
            struct quantity t = quantity_of(&truth.profile, &truth.keys[k]);
            struct quantity o = quantity_of(&one.profile, &one.keys[k]);
            shares[k] += inside(estimate_share(&one.profile, &o, false),
                                estimate_share(&truth.profile, &t, false).value);
            o.time = one.times[k];
            times[k] += inside(estimate_time(&one.profile, &o), 2 * time_shares[k]);
            counts[k] +=
                inside(estimate_count(&one.profile, &o), estimate_count(&truth.profile, &t).value);
            quantity_add(&sum, &o);
            quantity_add(&true_sum, &t);
        }
        both += inside(estimate_count(&one.profile, &sum),
                       estimate_count(&truth.profile, &true_sum).value);
        profile_release(&one.profile);
    }
    for (int k = 0; k < KEYS; k++) {
        printf("key %d: share %d, time %d, count %d of %d\n", k, shares[k], times[k], counts[k],
               TRIALS);
        near((double)shares[k] / TRIALS, 0.95, 0.025);
        near((double)times[k] / TRIALS, 0.955, 0.025);
        assert_true(counts[k] > TRIALS * 94 / 100);
    }
    assert_true(both > TRIALS * 94 / 100);
    profile_release(&truth.profile);
}

/* Of a branch whose ways take turns with the weather, with intervals that are about right, not just
 * wide enough; and never narrower than what was seen at all allows. */
static void branches_cover_95_percent(void **state)
{
    (void)state;
    static struct recording truth, one;
    record(&truth, 200000);
    double share = estimate_taken(&truth.profile, &truth.keys[0], &truth.fallen).value;
    enum { TRIALS = 2000 };
    int covered = 0, by_parts = 0;
    for (int trial = 0; trial < TRIALS; trial++) {
        record(&one, 20);
        struct quantity part = quantity_of(&one.profile, &one.keys[0]);
        struct quantity rest = quantity_of(&one.profile, &one.keys[1]);
        covered += inside(estimate_taken(&one.profile, &one.keys[0], &one.fallen), share);
        by_parts += inside(estimate_part(&one.profile, &part, &rest), share);
        profile_release(&one.profile);
    }
    printf("taken %d, by parts %d of %d\n", covered, by_parts, TRIALS);
    near((double)covered / TRIALS, 0.95, 0.02);
    record(&one, 20);
    struct sums never = {0}, always = one.keys[0];
    always.time = always.count;
    always.time_yy = always.count_yy;
    struct estimate none = estimate_taken(&one.profile, &never, &always);
    double passages = (double)always.count * (double)one.profile.totals.instructions /
                      (double)one.profile.totals.count;
    assert_true(none.value == 0 && none.lo == 0);
    near(none.hi, 3.8 / passages, 0.2 / passages);
    one.profile.mode = PROFILE_EXACT;
    struct sums three = {.count = 3}, nine = {.count = 9};
    near(estimate_taken(&one.profile, &three, &nine).hi, 0.25, 0);
    profile_release(&one.profile);
    profile_release(&truth.profile);
}

/* More and more windows make intervals no narrower than what weights are known to: chance goes down
 * with their number, and is multiplied by as much once there are many. Batches that do not differ
 * at all leave the scale's part of counts. */
static void weights_are_known_so_far(void **state)
{
    (void)state;
    struct profile profile;
    profile_init(&profile);
    profile.mode = PROFILE_SAMPLED;
    struct totals *totals = &profile.totals;
    *totals = (struct totals){.batches = 100, .windows = 20, .time = 100000, .count = 100000};
    totals->time_xx = totals->count_xx = 100 * 1000 * 1000;
    struct sums sums = {.count = 10000, .count_yy = 100 * 100 * 110, .count_xy = 100 * 100 * 1000};
    double unweighed = quantity_of(&profile, &sums).count_sd; /* records of hardware: no rates */
    totals->user_ticks = 100000;
    double few = quantity_of(&profile, &sums).count_sd;
    near(few, sqrt(2) * unweighed, 1e-9 * few);
    totals->windows = 20 * 7; /* 1 + 7 is four times 1 + 1 */
    near(quantity_of(&profile, &sums).count_sd, 2 * few, 1e-9 * few);
    struct sums steady = {
        .count = 10000, .count_yy = 100 * 100 * 100, .count_xy = 100 * 100 * 1000};
    totals->instructions = 100000;
    struct quantity quantity = quantity_of(&profile, &steady);
    struct estimate count = estimate_count(&profile, &quantity);
    near((count.hi - count.lo) / 2 / count.value, 0.25 * student_t(99), 0.001);
    /* Nine long trails with rates of 1, give or take two fifths: a tenth of what is usual, and
     * chance with 9 of 10 parts. */
    totals->recorded = 10;
    totals->long_trails = 9;
    totals->long_rates = 9 << RATE_BITS;
    totals->long_rates_yy = (uint64_t)(9 * 1.16 * (1 << RATE_BITS) * (1 << RATE_BITS));
    count = estimate_count(&profile, &quantity);
    double rates = hypot(0.9 * sqrt(0.16 / 8), 0.025), known = hypot(hypot(0.12, 0.1), rates);
    near((count.hi - count.lo) / 2 / count.value, known * student_t(99), 0.001);
    totals->translate_ns = 3 * totals->instructions; /* twice 1.5 ns for each instruction */
    count = estimate_count(&profile, &quantity);
    near(count.hi / count.value - 1, hypot(known, pow(2, 1.5)) * student_t(99), 0.001);
    totals->translate_ns = 0;
    /* Trails were fitted by themselves: to 600, and a tenth of each count. */
    totals->windows = 600 * 7;
    near(quantity_of(&profile, &sums).count_sd, 2 * few, 1e-9 * few);
    double part = (double)steady.count / (double)totals->count;
    struct estimate share = estimate_share(&profile, &quantity, false);
    near((share.hi - share.lo) / 2, 0.1 * part * (1 - part) * student_t(99), 1e-6);
    /* What one batch of a hundred has seen may be more than five times as much. */
    totals->windows = 0;
    struct sums seldom = {.count = 100, .count_yy = 100 * 100, .count_xy = 100 * 1000};
    quantity = quantity_of(&profile, &seldom);
    share = estimate_share(&profile, &quantity, false);
    near(share.hi / share.value, poisson_number(1).hi, 0.03);
    /* A branch that went both ways alike in each batch is known no better than that. */
    struct sums taken = {.count = 5000, .count_yy = 100 * 50 * 50}, fallen = taken;
    fallen.time = 10000;
    fallen.time_yy = 100 * 100 * 100;
    share = estimate_taken(&profile, &taken, &fallen);
    near((share.hi - share.lo) / 2, 0.15 * 0.25 * student_t(100), 1e-6);
    quantity = quantity_of(&profile, &steady);
    totals->long_trails = totals->long_rates = totals->long_rates_yy = 0;
    count = estimate_count(&profile, &quantity);
    near(count.hi / count.value - 1, hypot(0.12, 0.25) * student_t(99), 0.001);
    profile_release(&profile);
}

static void parts_are_shares_of_both(void **state)
{
    (void)state;
    static struct recording one;
    record(&one, 100);
    struct quantity part = quantity_of(&one.profile, &one.keys[0]);
    struct quantity rest = quantity_of(&one.profile, &one.keys[1]), none = {0};
    struct estimate share = estimate_part(&one.profile, &part, &rest);
    near(share.value, (double)part.count / (double)(part.count + rest.count), 1e-12);
    assert_true(share.lo < share.value && share.value < share.hi && share.hi < 1);
    assert_true(isnan(estimate_part(&one.profile, &none, &none).value));
    one.profile.mode = PROFILE_EXACT;
    share = estimate_part(&one.profile, &part, &rest);
    assert_true(share.lo == share.value && share.hi == share.value);
    profile_release(&one.profile);
}

static void scales_are_right(void **state)
{
    (void)state;
    static struct recording one;
    record(&one, 100);
    struct totals *totals = &one.profile.totals;
    struct sums all = {.time = totals->time,
                       .count = totals->count,
                       .time_yy = totals->time_xx,
                       .time_xy = totals->time_xx,
                       .count_yy = totals->count_xx,
                       .count_xy = totals->count_xx};
    struct quantity quantity = quantity_of(&one.profile, &all);
    quantity.time = totals->sampled_ns;
    near(estimate_time(&one.profile, &quantity).value, 2.0, 1e-9);
    assert_true(estimate_time(&one.profile, &quantity).lo > 1.98);
    double rate = (double)totals->count / (double)totals->time / (1 << RATE_BITS);
    near(estimate_count(&one.profile, &quantity).value, 5e9 * rate, 1);
    assert_false(cpi_known(estimate_cpi(&one.profile, &quantity)));
    profile_fact(&one.profile, "tsc_hz", "2500000000");
    near(estimate_cpi(&one.profile, &quantity).value, 1 / rate, 1e-9);
    uint64_t count = quantity.count;
    quantity.count = count * 1000; /* no processor is so fast */
    assert_true(isnan(estimate_cpi(&one.profile, &quantity).value));
    quantity.count = count;
    quantity.time = totals->sampled_ns / totals->samples; /* one sample says nothing */
    assert_false(cpi_known(estimate_cpi(&one.profile, &quantity)));
    assert_true(estimate_count(&one.profile, &quantity).lo <
                5e9 * rate); /* the rate has a spread */
    totals->batches = 1;
    quantity = quantity_of(&one.profile, &one.keys[0]);
    struct estimate unknown = estimate_share(&one.profile, &quantity, false);
    assert_true(isnan(unknown.lo) && isnan(unknown.hi));
    profile_release(&one.profile);
}

/* Of 4,000 units of time an agent sampled seven tenths, with samples of 4 each, and the kernel the
 * rest, with samples of 20: half of either is in one function. The kernel's share is known less
 * well, and the agent's as well as if there were no other. */
static void few_and_heavy_samples_have_wider_intervals(void **state)
{
    (void)state;
    enum { AGENTS = 700, KERNELS = 60, LIGHT = 4, HEAVY = 20, RUNS = 4000 };
    struct profile profile;
    profile_init(&profile);
    profile.mode = PROFILE_SAMPLED;
    struct totals *totals = &profile.totals;
    totals->samples = AGENTS + KERNELS;
    totals->bare_ns = KERNELS * HEAVY;
    totals->bare_xx = KERNELS * HEAVY * HEAVY;
    totals->sampled_ns = AGENTS * LIGHT + totals->bare_ns;
    totals->sampled_xx = AGENTS * LIGHT * LIGHT + totals->bare_xx;
    double all = (double)totals->sampled_ns, wide[2] = {0, 0};
    int covered[2] = {0, 0};
    for (int run = 0; run < RUNS; run++) {
        struct quantity of[2] = {{0}, {0}};
        for (int i = 0; i < AGENTS; i++)
            of[0].time += uniform() < 0.5 ? LIGHT : 0;
        for (int i = 0; i < KERNELS; i++)
            of[1].time += uniform() < 0.5 ? HEAVY : 0;
        of[1].bare = of[1].time;
        double truth[2] = {AGENTS * LIGHT / 2 / all, KERNELS * HEAVY / 2 / all};
        for (int k = 0; k < 2; k++) {
            struct estimate share = estimate_share(&profile, &of[k], true);
            covered[k] += share.lo <= truth[k] && truth[k] <= share.hi;
            wide[k] += (share.hi - share.lo) / 2 / RUNS;
        }
    }
    assert_in_range(covered[0], RUNS * 94 / 100, RUNS);
    assert_in_range(covered[1], RUNS * 94 / 100, RUNS);
    near(wide[0], 1.96 * sqrt(0.35 * 0.65 / (all / LIGHT)), 0.002);
    near(wide[1], 1.96 * sqrt(0.15 * 0.85 / (all / HEAVY)), 0.003);
    profile_release(&profile);
}

/* Against the quantiles of chi squared. */
static void numbers_that_were_seen(void **state)
{
    (void)state;
    static const double known[][3] = {
        {0, 0, 3.689}, {1, 0.0253, 5.572}, {10, 4.795, 18.39}, {300, 267.0, 335.9}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct estimate got = poisson_number(known[i][0]);
        assert_true(fabs(got.lo - known[i][1]) < 0.015 + 0.01 * known[i][1]);
        assert_true(fabs(got.hi - known[i][2]) < 0.015 + 0.01 * known[i][2]);
    }
    assert_true(poisson_number(0).lo == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles_hold_95_percent),
        cmocka_unit_test(exact_figures_are_their_integer),
        cmocka_unit_test(intervals_cover_95_percent),
        cmocka_unit_test(branches_cover_95_percent),
        cmocka_unit_test(weights_are_known_so_far),
        cmocka_unit_test(parts_are_shares_of_both),
        cmocka_unit_test(scales_are_right),
        cmocka_unit_test(few_and_heavy_samples_have_wider_intervals),
        cmocka_unit_test(numbers_that_were_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
