/* The rules of Chen et al., 4.2, at their edges, and which profiles they can be asked of. */
#include "analysis/counts/classes.h"
#include "profile/events.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static enum infer_class of(double samples, double cycles, double stalls)
{
    return class_of_events(samples, (struct event_sum){.cycles = cycles, .stalls = stalls},
                           (struct class_rules){0});
}

static void rules_are_those_of_the_paper(void **state)
{
    (void)state;
    /* S = 400: cycles that nothing explains. */
    assert_int_equal(of(100, 500, 0), CLASS_UNDER);
    assert_int_equal(of(100, 300, 0), CLASS_FAIR); /* S - A is twice the count, not more */
    assert_int_equal(of(100, 301, 0), CLASS_UNDER);
    assert_int_equal(of(100, 500, 250), CLASS_FAIR); /* stalls explain enough of them, not all */
    assert_int_equal(of(100, 200, 101), CLASS_OVER); /* A above S = 100, and half of the cycles */
    assert_int_equal(of(100, 200, 100), CLASS_FAIR); /* not above */
    assert_int_equal(of(180, 200, 60), CLASS_FAIR);  /* above S, but a part of the cycles */
    assert_int_equal(of(0, 10, 0), CLASS_UNDER);     /* only cycles were seen there */
    assert_int_equal(of(0, 0, 0), CLASS_FAIR);       /* nothing was */
    assert_int_equal(of(100, 0, 0), CLASS_FAIR);
}

static void other_rules_are_asked_for(void **state)
{
    (void)state;
    const struct class_rules wary = {4, 0.75}, none = {INFINITY, INFINITY};
    struct event_sum shadowed = {.cycles = 500}, stalled = {.cycles = 200, .stalls = 140};
    assert_int_equal(class_of_events(100, shadowed, wary), CLASS_FAIR);
    assert_int_equal(class_of_events(99, shadowed, wary), CLASS_UNDER);
    assert_int_equal(class_of_events(100, stalled, wary), CLASS_FAIR);
    stalled.stalls = 151;
    assert_int_equal(class_of_events(100, stalled, wary), CLASS_OVER);
    assert_int_equal(class_of_events(1, shadowed, none), CLASS_FAIR);
    assert_int_equal(class_of_events(1, stalled, none), CLASS_FAIR);
}

static void truth_is_a_factor(void **state)
{
    (void)state;
    assert_int_equal(class_of_truth(201, 100, 2), CLASS_OVER);
    assert_int_equal(class_of_truth(200, 100, 2), CLASS_FAIR);
    assert_int_equal(class_of_truth(201, 100, 3), CLASS_FAIR);
    assert_int_equal(class_of_truth(50, 100, 2), CLASS_FAIR);
    assert_int_equal(class_of_truth(49, 100, 2), CLASS_UNDER);
    assert_int_equal(class_of_truth(1, 0, 2), CLASS_OVER);
    assert_int_equal(class_of_truth(0, 0, 2), CLASS_FAIR);
}

static void cycles_and_long_stalls_are_needed(void **state)
{
    (void)state;
    struct profile profile;
    profile_init(&profile);
    profile_module(&profile, "/bin/none", NULL, 0);
    assert_false(event_sums_known(&profile));
    events_count(&profile, "cpu_clk_unhalted", false, 1);
    events_count(&profile, "l3_miss", false, 1);
    events_count(&profile, "dtlb_miss", false, 1);
    assert_false(event_sums_known(&profile)); /* how long they take is not known */
    profile_fact(&profile, "stall", "dtlb_miss 7");
    assert_false(event_sums_known(&profile)); /* hidden by the reorder buffer */
    profile_fact(&profile, "stall", "l3_miss 178");
    assert_true(event_sums_known(&profile));
    profile_release(&profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_are_those_of_the_paper),
        cmocka_unit_test(other_rules_are_asked_for),
        cmocka_unit_test(truth_is_a_factor),
        cmocka_unit_test(cycles_and_long_stalls_are_needed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
