/* The cost of a recording: told in shares of what the program took by itself, or not at all. */
#include "analysis/report/cost.h"

#include "profile/profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static void shares_are_of_the_program_alone(void **state)
{
    (void)state;
    struct totals totals = {.user_ns = 1100000, .agent_ns = 150000, .walked_ns = 50000};
    struct cost cost = cost_of(&totals);
    assert_true(cost.known);
    assert_true(cost.agent > 9.99 && cost.agent < 10.01);
}

/* It was said to be 0. */
static void more_than_all_is_not_known(void **state)
{
    (void)state;
    struct totals totals = {.user_ns = 1000000, .agent_ns = UINT64_MAX / 2, .tool_ns = 1000};
    assert_false(cost_of(&totals).known);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_are_of_the_program_alone),
        cmocka_unit_test(more_than_all_is_not_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
