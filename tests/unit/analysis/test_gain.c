#include "analysis/whatif/gain.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

static int by_gain(const void *a, const void *b)
{
    return gain_order(a, b);
}

/* What one group of windows has seen has no interval: neither -19,000 % nor 99.5 %. */
static void without_an_interval_there_is_none(void **state)
{
    struct estimate gain = gain_modelled((struct estimate){0.1, NAN, NAN}, 0.3);
    (void)state;
    assert_true(gain.value == 0.1 && isnan(gain.lo) && isnan(gain.hi));
}

static void no_interval_is_absurd(void **state)
{
    static const double values[] = {-0.5, -0.01, 0, 0.001, 0.1, 0.6};
    static const double wides[] = {0, 0.05, 1, 300};
    (void)state;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        for (size_t k = 0; k < sizeof wides / sizeof *wides; k++)
            for (double part = 0.1; part < 1.05; part += 0.3) {
                struct estimate gain = gain_modelled(
                    (struct estimate){values[i], values[i] - wides[k], values[i] + wides[k]}, part);
                assert_true(gain.lo <= gain.value && gain.value <= gain.hi);
                assert_true(gain.lo >= fmin(values[i], -part) && gain.hi < 1);
            }
}

/* Far from the bounds it is the factor of the model that widens it. */
static void the_model_may_be_off_by_a_factor(void **state)
{
    struct estimate gain = gain_modelled((struct estimate){0.5, 0.5, 0.5}, 0);
    (void)state;
    assert_true(fabs(gain.lo - (1 - pow(0.5, 1 / 2.1))) < 1e-9);
    assert_true(fabs(gain.hi - (1 - pow(0.5, 2.1))) < 1e-9);
}

static void certain_gains_are_first(void **state)
{
    struct estimate gains[] = {{0.3, NAN, NAN},      {0.00, -0.0006, 0.0006}, {0.4, -1, 0.9},
                               {0.06, 0.01, 0.13},   {0.1157, -0.0124, 0.28}, {0.05, 0.03, 0.1},
                               {-0.02, -0.05, 0.01}, {0.0997, -0.0223, 0.25}};
    static const double order[] = {0.05, 0.06, 0.4, 0.1157, 0.0997, 0, -0.02, 0.3};
    (void)state;
    qsort(gains, sizeof gains / sizeof *gains, sizeof *gains, by_gain);
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        assert_true(gains[i].value == order[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_an_interval_there_is_none),
        cmocka_unit_test(no_interval_is_absurd),
        cmocka_unit_test(the_model_may_be_off_by_a_factor),
        cmocka_unit_test(certain_gains_are_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
