#include "values/latency_scale.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void the_third_cache_has_limits_between_its_neighbours(void **state)
{
    (void)state;
    struct latency_scale scale = {.near_most = 100,
                                  .beyond_least = 200,
                                  .beyond_most = 200,
                                  .memory_least = 500,
                                  .memory_ticks = 500};
    latency_scale_set(&scale);
    assert_string_equal(scale.memory_why, "");
    assert_string_equal(scale.l3_why, "");
    assert_int_equal(latency_scale_bin(&scale, 175), LATENCY_NEAR);
    assert_int_equal(latency_scale_bin(&scale, 176), LATENCY_L3);
    assert_int_equal(latency_scale_bin(&scale, 350), LATENCY_L3);
    assert_int_equal(latency_scale_bin(&scale, 351), LATENCY_MEMORY);
    assert_int_equal(latency_scale_bin(&scale, 4000), LATENCY_MEMORY);
    assert_int_equal(latency_scale_bin(&scale, 4001), LATENCY_LONGER);
}

static void what_is_not_told_apart_has_no_bin(void **state)
{
    (void)state;
    struct latency_scale full = {.near_most = 100,
                                 .beyond_least = 280,
                                 .beyond_most = 480,
                                 .memory_least = 470,
                                 .memory_ticks = 500};
    latency_scale_set(&full);
    struct latency_scale large = {.near_most = 100,
                                  .beyond_least = 105,
                                  .beyond_most = 110,
                                  .memory_least = 500,
                                  .memory_ticks = 500};
    latency_scale_set(&large);
    for (uint64_t ticks = 0; ticks < 5000; ticks++) {
        assert_int_not_equal(latency_scale_bin(&full, ticks), LATENCY_L3);
        assert_int_not_equal(latency_scale_bin(&large, ticks), LATENCY_L3);
    }
    struct latency_scale coarse = {.near_most = 104,
                                   .beyond_least = 130,
                                   .beyond_most = 130,
                                   .memory_least = 500,
                                   .memory_ticks = 500,
                                   .step = 26};
    latency_scale_set(&coarse);
    assert_int_equal(coarse.near_max, coarse.l3_max);
    assert_non_null(strstr(full.l3_why, "counts as memory"));
    assert_non_null(strstr(large.l3_why, "takes up to 100"));
    assert_non_null(strstr(large.l3_why, "counts as near"));
    assert_non_null(strstr(coarse.l3_why, "steps of 26"));
    /* Like memory it is memory, also where it is quicker; like what is near it is that, also where
     * it is slower. */
    assert_int_equal(latency_scale_bin(&full, 190), LATENCY_NEAR);
    assert_int_equal(latency_scale_bin(&full, 280), LATENCY_MEMORY);
    assert_int_equal(latency_scale_bin(&large, 110), LATENCY_NEAR);
}

/* As it was seen: the second cache took up to 150 ticks, what is beyond it 168, and flushed lines
 * that took no longer were near. */
static void a_scale_that_does_not_know_says_so(void **state)
{
    (void)state;
    struct latency_scale scale = {.near_most = 150,
                                  .beyond_least = 152,
                                  .beyond_most = 190,
                                  .memory_least = 195,
                                  .memory_ticks = 230};
    latency_scale_set(&scale);
    assert_non_null(strstr(scale.memory_why, "too busy"));
    for (uint64_t ticks = 0; ticks <= 8 * 230; ticks++)
        assert_int_equal(latency_scale_bin(&scale, ticks), LATENCY_NEAR);
    assert_int_equal(latency_scale_bin(&scale, 8 * 230 + 1), LATENCY_LONGER);
}

static void this_machine_has_a_scale(void **state)
{
    (void)state;
    struct latency_scale scale;
    latency_scale_measure(&scale);
    print_message("floor %.1f, near %lu up to %lu, beyond %lu, memory %lu\n", scale.floor,
                  scale.near_ticks, scale.near_most, scale.beyond_ticks, scale.memory_ticks);
    print_message("steps of %lu; %s; %s\n", scale.step, scale.l3_why, scale.memory_why);
    assert_true(scale.floor > 0);
    assert_true(scale.near_ticks < scale.memory_ticks);
    assert_true(scale.near_max <= scale.l3_max && scale.l3_max <= scale.memory_max);
    assert_true(*scale.memory_why || scale.l3_max < scale.memory_max);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_third_cache_has_limits_between_its_neighbours),
        cmocka_unit_test(what_is_not_told_apart_has_no_bin),
        cmocka_unit_test(a_scale_that_does_not_know_says_so),
        cmocka_unit_test(this_machine_has_a_scale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
