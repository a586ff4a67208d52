/* Regressions whose weights are known. */
#include "lab/events/svr.h"

#include "compress/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

enum { ROWS = 2000, COLUMNS = 3 };

static double x[ROWS * COLUMNS], y[ROWS];

static double draw(struct random *random)
{
    return (double)random_below(random, 1 << 20) / (1 << 19) - 1;
}

/* y = 2 x0 - 3 x1 + 0.5, the last column is 1; every `wrong`th is far off, if it is not 0. */
static void rows_make(double noise, int wrong)
{
    struct random random = {7};
    for (int i = 0; i < ROWS; i++) {
        double *row = &x[i * COLUMNS];
        row[0] = draw(&random);
        row[1] = draw(&random);
        row[2] = 1;
        y[i] = 2 * row[0] - 3 * row[1] + 0.5 + noise * draw(&random);
        if (wrong && i % wrong == 0)
            y[i] += 100;
    }
}

static struct svr_result solve(double epsilon, double *weights)
{
    struct svr_problem problem = {x, y, ROWS, COLUMNS, 10, epsilon};
    return svr_solve(&problem, 2000, weights);
}

static void near(const double *weights, double within)
{
    const double known[] = {2, -3, 0.5};
    for (int i = 0; i < COLUMNS; i++)
        assert_true(fabs(weights[i] - known[i]) < within);
}

static void lines_are_found(void **state)
{
    (void)state;
    double weights[COLUMNS];
    rows_make(0, 0);
    struct svr_result result = solve(0.001, weights);
    near(weights, 0.01);
    /* The minimum is between the two. */
    assert_true(result.primal >= -result.dual);
    assert_true(result.primal + result.dual <= 1e-3 * result.primal);
}

/* Noise that is smaller than epsilon costs nothing, so only |w| is left to be made small. */
static void epsilon_forgives(void **state)
{
    (void)state;
    double weights[COLUMNS];
    rows_make(0.05, 0);
    struct svr_result result = solve(0.1, weights);
    near(weights, 0.12);
    assert_true(result.primal < (4 + 9 + 0.25) / 2 + 0.01);
    /* All within epsilon: nothing is better than no weights at all. */
    solve(10, weights);
    for (int i = 0; i < COLUMNS; i++)
        assert_true(weights[i] == 0);
}

/* Least squares would move the offset by ten. */
static void few_wrong_rows_change_little(void **state)
{
    (void)state;
    double weights[COLUMNS];
    rows_make(0.01, 10);
    solve(0.01, weights);
    near(weights, 0.1);
}

/* Two columns that are the same share one weight: that makes |w| least. */
static void same_columns_share(void **state)
{
    (void)state;
    double weights[COLUMNS];
    struct random random = {9};
    for (int i = 0; i < ROWS; i++) {
        x[i * COLUMNS] = x[i * COLUMNS + 1] = draw(&random);
        x[i * COLUMNS + 2] = 1;
        y[i] = 4 * x[i * COLUMNS] + 1;
    }
    solve(0.001, weights);
    assert_true(fabs(weights[0] - 2) < 0.01 && fabs(weights[1] - 2) < 0.01);
    assert_true(fabs(weights[2] - 1) < 0.01);
}

static void nothing_weighs_nothing(void **state)
{
    (void)state;
    double weights[1] = {5};
    struct svr_problem problem = {x, y, 0, 1, 1, 0.1};
    assert_int_equal(svr_solve(&problem, 10, weights).turns, 1);
    assert_true(weights[0] == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_found),
        cmocka_unit_test(epsilon_forgives),
        cmocka_unit_test(few_wrong_rows_change_little),
        cmocka_unit_test(same_columns_share),
        cmocka_unit_test(nothing_weighs_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
