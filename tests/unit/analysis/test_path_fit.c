/* Weights of paths fitted to sums: what can be computed by hand. */
#include "analysis/paths/path_fit.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void path_add(struct path_fit *fit, double weight, uint32_t first, uint32_t second)
{
    *vec_push(&fit->uses) = first;
    *vec_push(&fit->uses) = second;
    *vec_push(&fit->paths) = (struct fit_path){fit->uses.n, weight};
}

static void near(double value, double wanted)
{
    if (fabs(value - wanted) > 0.001 * wanted)
        fail_msg("%g, should be %g", value, wanted);
}

/* Two choices, one after the other: 30 or 70 of 100, then 40 or 60. Nothing is known of how they
 * depend on each other, so they do not. */
static void choices(struct path_fit *fit, const double seen[4])
{
    for (uint32_t i = 0; i < 4; i++)
        path_add(fit, seen[i], i / 2, 2 + i % 2);
    const double wanted[] = {30, 70, 40, 60};
    for (int i = 0; i < 4; i++)
        *vec_push(&fit->wanted) = wanted[i];
    path_fit_solve(fit);
}

static void sums_decide(void **state)
{
    (void)state;
    struct path_fit fit = {0};
    choices(&fit, (const double[]){1, 1, 1, 1});
    const double right[] = {12, 18, 28, 42};
    for (int i = 0; i < 4; i++)
        near(fit.paths.at[i].weight, right[i]);
    path_fit_release(&fit);
}

/* What was seen of their dependence stays: the odds ratio does not change. */
static void what_was_seen_stays(void **state)
{
    (void)state;
    struct path_fit fit = {0};
    choices(&fit, (const double[]){8, 1, 1, 2});
    const struct fit_path *paths = fit.paths.at;
    near(paths[0].weight + paths[1].weight, 30);
    near(paths[0].weight + paths[2].weight, 40);
    near(paths[0].weight * paths[3].weight / (paths[1].weight * paths[2].weight), 16);
    path_fit_release(&fit);
}

/* Sums that are not known, and paths of which nothing is, change nothing. */
static void unknown_is_left(void **state)
{
    (void)state;
    struct path_fit fit = {0};
    path_add(&fit, 5, 0, 1);
    path_add(&fit, 7, 1, 1);
    *vec_push(&fit.wanted) = 0;
    *vec_push(&fit.wanted) = 0;
    path_fit_solve(&fit);
    near(fit.paths.at[0].weight, 5);
    near(fit.paths.at[1].weight, 7);
    path_fit_release(&fit);
}

/* Sums that contradict each other end between them. */
static void contradictions_are_shared(void **state)
{
    (void)state;
    struct path_fit fit = {0};
    path_add(&fit, 1, 0, 1);
    *vec_push(&fit.wanted) = 50;
    *vec_push(&fit.wanted) = 200;
    path_fit_solve(&fit);
    near(fit.paths.at[0].weight, 100);
    path_fit_release(&fit);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_decide),
        cmocka_unit_test(what_was_seen_stays),
        cmocka_unit_test(unknown_is_left),
        cmocka_unit_test(contradictions_are_shared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
