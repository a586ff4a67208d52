#include "base/err.h"
#include "analysis/counts/counted.h"
#include "analysis/compare/compare.h"

#include "../text/json_check.h"
#include "../analysis/strolls.h"
#include "view/views.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#define LIBC "/lib/x86_64-linux-gnu/libc.so.6"

static void near(double got, double expected)
{
    if (!(fabs(got - expected) < 1e-9))
        fail_msg("%.12g, expected %.12g", got, expected);
}

static void compare_two(struct comparison *comparison, const struct profile *truth,
                        const struct profile *other, enum item_by by)
{
    const struct profile *sides[2] = {truth, other};
    struct scene scene;
    scene_open(&scene, sides, 2, NULL);
    compare_sides(comparison, &scene, by, WEIGHT_COUNT);
    scene_close(&scene);
}

/* Functions are walked n times each, so that two strolls share most of their ground. */
static void wander(struct strolls *strolls, uint64_t seed, function_id first)
{
    strolls_begin(strolls, LIBC, seed);
    for (function_id f = first; f < first + 400; f += 7)
        strolls_wander(strolls, f, 500);
}

static void equal_profiles_overlap_wholly(void **state)
{
    (void)state;
    struct strolls one;
    wander(&one, 5, 100);
    for (enum item_by by = BY_FUNCTION; by <= BY_INSTRUCTION; by++) {
        struct comparison comparison;
        if (by == BY_LINE)
            continue;
        compare_two(&comparison, &one.profile, &one.profile, by);
        near(comparison.overlap, 1);
        near(comparison.matched[0], 1);
        near(comparison.matched[1], 1);
        near(comparison.coverage, 1);
        assert_true(comparison.keys > 10);
        comparison_release(&comparison);
    }
    strolls_end(&one);
}

static void one_batch_has_no_intervals_to_be_inside_of(void **state)
{
    (void)state;
    struct strolls one;
    wander(&one, 5, 100);
    one.profile.mode = PROFILE_SAMPLED;
    for (unsigned batches = 1; batches <= 2; batches++) {
        struct comparison comparison;
        one.profile.totals.batches = batches;
        compare_two(&comparison, &one.profile, &one.profile, BY_BLOCK);
        assert_true(isnan(comparison.coverage) == (batches == 1));
        comparison_release(&comparison);
    }
    strolls_end(&one);
}

/* The same figures from the plain counts of steps. Whether a step leads to the start of a block is
 * asked of the graph; how often it was taken is not. */
static void expect_from_steps(const struct strolls *sides, struct scene *scene, enum item_by by,
                              const struct comparison *comparison)
{
    double total[2] = {0}, overlap = 0, matched = 0;
    uint64_t keys = 0;
    for (int pass = 0; pass < 2; pass++)
        for (size_t f = 0; f < scene->functions.n; f++) {
            if (scene->functions.at[f].function == FUNCTION_NONE)
                continue;
            struct counted_function function;
            counted_function_build(&function, scene, scene->functions.at[f]);
            struct cfg cfg = function.cfg;
            size_t n = by == BY_EDGE ? cfg.edges.n : cfg.instructions.n;
            for (size_t i = 0; i < n; i++) {
                uint64_t from =
                    by == BY_EDGE ? cfg.edges.at[i].from.v : cfg.instructions.at[i].at.v;
                uint64_t to = by == BY_EDGE ? cfg.edges.at[i].to.v : 0;
                if (by == BY_EDGE && i && cfg.edges.at[i - 1].from.v == from &&
                    cfg.edges.at[i - 1].to.v == to)
                    continue; /* both ways of one branch lead there */
                double w[2] = {(double)strolls_truth(&sides[0], from, to),
                               (double)strolls_truth(&sides[1], from, to)};
                if (!pass) {
                    total[0] += w[0];
                    total[1] += w[1];
                } else {
                    overlap += fmin(w[0] / total[0], w[1] / total[1]);
                    matched += w[1] > 0 ? w[0] / total[0] : 0;
                    keys += w[0] > 0 || w[1] > 0;
                }
            }
            counted_function_release(&function);
        }
    near(comparison->overlap, overlap);
    near(comparison->matched[0], matched);
    assert_int_equal(comparison->keys, keys);
    assert_true(overlap > 0.05 && overlap < 0.95);
}

static void different_profiles_overlap_as_their_steps_do(void **state)
{
    (void)state;
    struct strolls sides[2];
    wander(&sides[0], 5, 1000);
    wander(&sides[1], 77, 1070);
    const struct profile *profiles[2] = {&sides[0].profile, &sides[1].profile};
    struct scene scene;
    scene_open(&scene, profiles, 2, NULL);
    static const enum item_by bys[] = {BY_EDGE, BY_INSTRUCTION};
    for (int i = 0; i < 2; i++) {
        struct comparison comparison, back;
        compare_sides(&comparison, &scene, bys[i], WEIGHT_COUNT);
        expect_from_steps(sides, &scene, bys[i], &comparison);
        compare_two(&back, profiles[1], profiles[0], bys[i]);
        near(back.overlap, comparison.overlap);
        near(back.matched[1], comparison.matched[0]);
        double sum = 0;
        for (size_t k = 0; k < comparison.differences.n; k++) {
            const struct difference *row = &comparison.differences.at[k];
            sum += fabs(row->shares[0] - row->shares[1]);
            if (k)
                assert_true(fabs(row->shares[0] - row->shares[1]) <=
                            fabs(row[-1].shares[0] - row[-1].shares[1]));
        }
        near(1 - sum / 2, comparison.overlap); /* the same thing, said the other way */
        comparison_release(&comparison);
        comparison_release(&back);
    }
    scene_close(&scene);
    strolls_end(&sides[0]);
    strolls_end(&sides[1]);
}

/* Modules are one by build-id wherever they lie, by name where there is none, else not. */
static void modules_are_matched(void **state)
{
    (void)state;
    struct strolls one, two;
    wander(&one, 5, 100);
    wander(&two, 5, 100);
    struct comparison comparison;
    struct module *module = &two.profile.modules.at[two.module];
    module->path = arena_string(&two.profile.arena, "/gone/other-name.so");
    compare_two(&comparison, &one.profile, &two.profile, BY_EDGE);
    near(comparison.overlap, 1);
    comparison_release(&comparison);
    compare_two(&comparison, &two.profile, &one.profile, BY_EDGE);
    near(comparison.overlap, 1);
    comparison_release(&comparison);

    module->build_id_bytes = 0;
    compare_two(&comparison, &one.profile, &two.profile, BY_EDGE);
    near(comparison.overlap, 0);
    comparison_release(&comparison);
    module->path = arena_string(&two.profile.arena, "/gone/libc.so.6");
    compare_two(&comparison, &one.profile, &two.profile, BY_EDGE);
    near(comparison.overlap, 1);
    comparison_release(&comparison);
    strolls_end(&one);
    strolls_end(&two);
}

static void nothing_is_compared_with_nothing(void **state)
{
    (void)state;
    struct profile empty;
    profile_init(&empty);
    empty.mode = PROFILE_EXACT;
    struct comparison comparison;
    compare_two(&comparison, &empty, &empty, BY_EDGE);
    near(comparison.overlap, 0);
    assert_true(isnan(comparison.coverage));
    assert_int_equal(comparison.keys, 0);
    const struct profile *sides[2] = {&empty, &empty};
    struct scene scene;
    scene_open(&scene, sides, 2, NULL);
    char *text;
    size_t bytes;
    FILE *to = open_memstream(&text, &bytes);
    compare_json(to, &scene, &comparison);
    fclose(to);
    assert_true(json_is_valid(text));
    assert_non_null(strstr(text, "\"interval_coverage\": null"));
    free(text);
    to = open_memstream(&text, &bytes);
    compare_text(to, &scene, &comparison, 10);
    fclose(to);
    assert_non_null(strstr(text, "overlap by edge, weighed by count: 0.00 %"));
    free(text);
    scene_close(&scene);
    comparison_release(&comparison);
    profile_release(&empty);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_profiles_overlap_wholly),
        cmocka_unit_test(one_batch_has_no_intervals_to_be_inside_of),
        cmocka_unit_test(different_profiles_overlap_as_their_steps_do),
        cmocka_unit_test(modules_are_matched),
        cmocka_unit_test(nothing_is_compared_with_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
