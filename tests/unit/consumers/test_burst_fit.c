/* Bursts of passages made up of what each takes: what is made of them. */
#include "consumers/burst_fit.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

static uint64_t seed = 1;

static double draw(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 11) / 0x1p53;
}

static struct burst_fit fit_of(double first_alone, double second_alone)
{
    struct burst_fit fit = {0};
    *vec_push(&fit.paths) = (struct burst_path){.alone = first_alone};
    *vec_push(&fit.paths) = (struct burst_path){.alone = second_alone};
    return fit;
}

static void burst_push(struct burst_fit *fit, double first, double second, double ticks)
{
    *vec_push(&fit->bursts) =
        (struct burst){.ticks = ticks, .first = (uint32_t)fit->parts.n, .n = 2};
    *vec_push(&fit->parts) = (struct burst_part){0, first};
    *vec_push(&fit->parts) = (struct burst_part){1, second};
}

static void is_inside(const struct burst_path *path, double truth)
{
    assert_true(fabs(path->ticks - truth) <= 2 * path->deviation);
}

/* Alone the first takes 20 times as long as it does among others. */
static void mixtures_tell_paths_apart(void **state)
{
    (void)state;
    struct burst_fit fit = fit_of(200, 12);
    for (int i = 0; i < 500; i++) {
        double first = 200 * draw(), second = 200 - first;
        burst_push(&fit, first, second, (first * 10 + second * 8 + 40) * (0.95 + 0.1 * draw()));
    }
    burst_fit_solve(&fit);
    is_inside(&fit.paths.at[0], 10);
    is_inside(&fit.paths.at[1], 8);
    /* Of what it does not take among others, a small part may be ours. */
    assert_true(fit.paths.at[0].deviation > 1.5 && fit.paths.at[0].deviation < 2.5);
    assert_true(fit.paths.at[1].deviation < 1);
    burst_fit_release(&fit);
}

/* By turns: nothing is known but the sum, and it is said so. */
static void one_mixture_tells_nothing(void **state)
{
    (void)state;
    struct burst_fit fit = fit_of(200, 12);
    for (int i = 0; i < 500; i++) {
        double n = 50 + floor(80 * draw()), first = n + (draw() < 0.5);
        burst_push(&fit, first, n, (first * 10 + n * 8 + 100 * draw()) * (0.95 + 0.1 * draw()));
    }
    burst_fit_solve(&fit);
    is_inside(&fit.paths.at[0], 10);
    is_inside(&fit.paths.at[1], 8);
    assert_true(fit.paths.at[1].deviation > 1);
    assert_true(fabs(fit.paths.at[0].ticks + fit.paths.at[1].ticks - 18) < 3);
    burst_fit_release(&fit);
}

/* By turns, and nothing overlaps: bursts take what their passages take alone, so each does. */
static void what_does_not_overlap_is_known_alone(void **state)
{
    (void)state;
    struct burst_fit fit = fit_of(100, 30);
    for (int i = 0; i < 500; i++) {
        double n = 50 + floor(80 * draw());
        burst_push(&fit, n, n, n * 130 * (0.98 + 0.04 * draw()));
    }
    burst_fit_solve(&fit);
    assert_true(fabs(fit.paths.at[0].ticks - 100) < 5 && fit.paths.at[0].deviation < 10);
    assert_true(fabs(fit.paths.at[1].ticks - 30) < 5 && fit.paths.at[1].deviation < 10);
    burst_fit_release(&fit);
}

static void disturbed_bursts_are_left_out(void **state)
{
    (void)state;
    struct burst_fit fit = fit_of(100, 30);
    for (int i = 0; i < 500; i++) {
        double first = 200 * draw(), second = 200 - first;
        double ticks = (first * 100 + second * 30) * (0.98 + 0.04 * draw());
        burst_push(&fit, first, second, i % 10 ? ticks : ticks + 100000);
    }
    burst_fit_solve(&fit);
    assert_true(fabs(fit.paths.at[0].ticks - 100) < 3);
    assert_true(fabs(fit.paths.at[1].ticks - 30) < 3);
    assert_true(fit.paths.at[0].bursts <= 450);
    burst_fit_release(&fit);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(mixtures_tell_paths_apart),
                                       cmocka_unit_test(one_mixture_tells_nothing),
                                       cmocka_unit_test(what_does_not_overlap_is_known_alone),
                                       cmocka_unit_test(disturbed_bursts_are_left_out)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
