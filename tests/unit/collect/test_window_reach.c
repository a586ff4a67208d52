#include "collect/windows/window_reach.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static void where_calls_are_rare_all_counts(void **state)
{
    (void)state;
    struct window_reach reach = {0};
    assert_int_equal(window_reach(&reach), UINT64_MAX);
    for (uint64_t i = 0; i < 1600; i++)
        window_reach_add(&reach, i % 17 ? 32000 : 500, i % 17 == 0);
    assert_int_equal(window_reach(&reach), UINT64_MAX);
}

/* Windows begin anywhere in bursts of 160,000: one in 16 is shorter than 10,000, one in 13.8 than
 * 11,600. */
static void all_but_a_few_windows_have_what_counts(void **state)
{
    (void)state;
    struct window_reach reach = {0};
    for (uint64_t i = 0; i < 10000; i++)
        window_reach_add(&reach, 16 * i, true);
    assert_in_range(window_reach(&reach), 10000, 11600);
}

static void lengths_that_cannot_be(void **state)
{
    (void)state;
    struct window_reach reach = {0};
    for (int i = 0; i < 100; i++)
        window_reach_add(&reach, 0, true);
    assert_int_equal(window_reach(&reach), REACH_LEAST);
    reach = (struct window_reach){0};
    for (int i = 0; i < 100; i++)
        window_reach_add(&reach, UINT64_MAX, true);
    assert_in_range(window_reach(&reach), UINT64_C(1) << 31, UINT64_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(where_calls_are_rare_all_counts),
        cmocka_unit_test(all_but_a_few_windows_have_what_counts),
        cmocka_unit_test(lengths_that_cannot_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
