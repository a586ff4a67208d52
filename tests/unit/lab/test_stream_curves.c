/* What is said of curves: when an error is reached and from when on it stays, what messages cost,
 * and claims that hold for all, for some, for none. */
#include "lab/streams/stream_curves.h"

#include <stddef.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include "lab/draw/curves.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void an_error_is_reached_and_then_stays(void **state)
{
    (void)state;
    static const double errors[] = {0.08, 0.04, 0.06, 0.05, 0.03};
    struct stream_curve curve = {.n = 5, .instructions = 4};
    for (size_t i = 0; i < curve.n; i++) {
        curve.ends[i] = 100000 * (i + 1);
        curve.trials[i] = (struct stream_trial){.error = errors[i], .messages = 400 * (i + 1)};
    }
    assert_int_equal(curve_reaches(&curve, 0.05), 200000);
    assert_int_equal(curve_settles(&curve, 0.05), 400000);
    assert_int_equal(curve_settles(&curve, 0.1), 100000);
    assert_int_equal(curve_reaches(&curve, 0.02), 0);
    assert_int_equal(curve_settles(&curve, 0.02), 0);
    assert_true(curve_early(&curve)->error == 0.04);
    assert_true(curve_last(&curve)->error == 0.03);
    assert_true(fabs(curve_messages(&curve) - 4) < 1e-9);
    assert_true(fabs(curve_overhead(&curve) - 3) < 1e-9);
    curve.instructions = 0;
    assert_true(isnan(curve_overhead(&curve)));
    curve.trials[4].error = NAN;
    assert_int_equal(curve_settles(&curve, 0.1), 0);
}

static void a_claim_names_those_it_does_not_hold_for(void **state)
{
    (void)state;
    static const struct {
        bool holds[3];
        const char *told;
    } cases[] = {
        {{true, true, true}, "it is so: holds: 2 K and 500 K (they say)"},
        {{true, false, true}, "it is so: holds for 2 of 3, not for b: 2 K and 500 K (they say)"},
        {{false, false, false}, "it is so: does not hold: 2 K and 500 K (they say)"},
    };
    struct lab_rows rows = {0};
    for (size_t i = 0; i < 3; i++) {
        struct stream_claim claim = {0};
        claim_add(&claim, "x/a", cases[i].holds[0], 1, 400);
        claim_add(&claim, "x/b", cases[i].holds[1], 3, 600);
        claim_add(&claim, "x/none", false, NAN, 1);
        claim_add(&claim, "x/c", cases[i].holds[2], 2, 500);
        claim_show(&claim, &rows, "it is so", " K", "they say");
        assert_string_equal(rows.claims.at[i], cases[i].told);
    }
    struct stream_claim none = {0};
    claim_show(&none, &rows, "it is so", "", "they say");
    assert_string_equal(rows.claims.at[3], "it is so: nothing here tells (they say)");
    vec_release(&rows.claims);
    arena_release(&rows.arena);
}

static void points_of_a_name_are_one_curve(void **state)
{
    (void)state;
    static const char *const columns[] = {"program", "far M", "a %", "b %", "a msg", "b msg", NULL};
    static const struct lab_table table = {.title = "<t>", .columns = columns, .curves = true};
    struct lab_rows rows = {.table = &table};
    static const char *const names[] = {"one", "one", "other"};
    for (size_t i = 0; i < 3; i++) {
        struct lab_row *row = curve_row(&rows, names[i], 1e6 * (double)(i + 1));
        for (double cell = 1; cell < 5; cell++)
            lab_cell(row, "%.0f", cell);
    }
    char *drawn = NULL;
    size_t length = 0, curves = 0;
    FILE *to = open_memstream(&drawn, &length);
    lab_curves(to, &table, rows.at, rows.n);
    fclose(to);
    for (const char *at = drawn; (at = strstr(at, "<polyline")); at++)
        curves++;
    assert_int_equal(curves, 8); /* two names, four columns */
    assert_non_null(strstr(drawn, "&lt;t&gt;"));
    assert_non_null(strstr(drawn, "other, msg"));
    assert_null(strstr(drawn, "nan"));
    free(drawn);
    for (size_t i = 0; i < rows.n; i++)
        vec_release(&rows.at[i].cells);
    vec_release(&rows);
    arena_release(&rows.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_error_is_reached_and_then_stays),
        cmocka_unit_test(a_claim_names_those_it_does_not_hold_for),
        cmocka_unit_test(points_of_a_name_are_one_curve),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
