/* What is usual, and how long calls are. Windows themselves: tests/truth/windows.sh. */
#include "analysis/windows/lengths.h"
#include "analysis/windows/usual.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void near(double got, double expected)
{
    assert_true(fabs(got - expected) < 1e-9);
}

static void test_usual_is_the_median(void **state)
{
    (void)state;
    const double figures[] = {1, 2, 3, 4, 5, 6, 7, 8, 1000};
    struct usual usual = usual_of(figures, 9, 0);
    near(usual.median, 5);
    near(usual.spread, 1.4826 * 2);
    near(usual_distance(&usual, 1000), 995 / (1.4826 * 2));
}

static void test_usual_of_too_few(void **state)
{
    (void)state;
    const double figures[] = {1, 2, 3, 4, 5, 6, 7, NAN, NAN};
    struct usual usual = usual_of(figures, 9, 0);
    assert_true(isnan(usual.median) && isnan(usual_distance(&usual, 3)));
}

static void test_usual_of_equal_figures(void **state)
{
    (void)state;
    const double figures[] = {4, 4, 4, 4, 4, 4, 4, 4};
    struct usual usual = usual_of(figures, 8, 0.5);
    near(usual.spread, 0.5);
    near(usual_distance(&usual, 5), 2);
}

static void add(struct call_lengths *lengths, uint32_t length, bool cut)
{
    *vec_push(lengths) = (struct call_length){.length = length, .cut = cut};
    lengths->complete += !cut;
}

static void test_quantiles_without_cuts(void **state)
{
    struct call_lengths lengths = {0};
    (void)state;
    for (uint32_t i = 10; i >= 1; i--)
        add(&lengths, i, false);
    call_lengths_settle(&lengths);
    near(call_lengths_quantile(&lengths, 0.5), 5);
    near(call_lengths_quantile(&lengths, 0.9), 9);
    near(call_lengths_quantile(&lengths, 0.99), 10);
    call_lengths_release(&lengths);
}

/* The example of every textbook: 6, 6, 6, 6+, 7, 9+, 10, 10+, 11+, 13, 16, 17+, 19+, 20+, 22, 23,
 * 25+, 32+, 32+, 34+, 35+, weeks of remission (Freireich and others, 1963). Survival after 23 weeks
 * is 0.448, after 22 weeks 0.538: the median is 23. */
static void test_quantiles_with_cuts(void **state)
{
    static const struct {
        uint32_t length;
        bool cut;
    } weeks[] = {{35, 1}, {6, 1},  {6, 0},  {6, 0},  {7, 0},  {6, 0},  {9, 1},
                 {10, 1}, {10, 0}, {11, 1}, {13, 0}, {16, 0}, {17, 1}, {19, 1},
                 {20, 1}, {22, 0}, {23, 0}, {25, 1}, {32, 1}, {32, 1}, {34, 1}};
    struct call_lengths lengths = {0};
    (void)state;
    for (size_t i = 0; i < sizeof weeks / sizeof *weeks; i++)
        add(&lengths, weeks[i].length, weeks[i].cut);
    call_lengths_settle(&lengths);
    near(call_lengths_quantile(&lengths, 0.5), 23);
    near(call_lengths_quantile(&lengths, 1 - 0.538), 22);
    near(call_lengths_quantile(&lengths, 0.14), 6); /* survival is 0.857 */
    assert_true(isnan(call_lengths_quantile(&lengths, 0.9)));
    call_lengths_release(&lengths);
}

static void test_bins_hold_all(void **state)
{
    struct call_lengths lengths = {0};
    uint64_t calls = 0, cut = 0;
    (void)state;
    for (uint32_t i = 0; i < 1000; i++)
        add(&lengths, 1 + i * i % 70001, i % 7 == 0);
    call_lengths_settle(&lengths);
    for (size_t i = 0; i < lengths.bins.n; i++) {
        const struct length_bin *bin = &lengths.bins.at[i];
        uint64_t expected = 0;
        for (size_t k = 0; k < lengths.n; k++)
            expected += lengths.at[k].length >= bin->from && lengths.at[k].length <= bin->to;
        assert_int_equal(bin->calls + bin->cut, expected);
        assert_true(bin->from <= bin->to && (!i || bin->from == lengths.bins.at[i - 1].to + 1));
        calls += bin->calls;
        cut += bin->cut;
    }
    assert_int_equal(calls, lengths.complete);
    assert_int_equal(calls + cut, 1000);
    call_lengths_release(&lengths);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_usual_is_the_median),
        cmocka_unit_test(test_usual_of_too_few),
        cmocka_unit_test(test_usual_of_equal_figures),
        cmocka_unit_test(test_quantiles_without_cuts),
        cmocka_unit_test(test_quantiles_with_cuts),
        cmocka_unit_test(test_bins_hold_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
