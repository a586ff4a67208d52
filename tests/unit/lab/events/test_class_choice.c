/* Which rule for classes a program gets: the best of the others, and never by its own overlaps. */
#include "lab/events/class_choice.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void a_program_has_no_say_in_its_own_rule(void **state)
{
    (void)state;
    double overlaps[3][CLASS_RULES] = {{0.3}, {0.3}, {0.3}};
    overlaps[0][4] = 1; /* would be chosen by the sum of all */
    overlaps[1][7] = 0.6;
    overlaps[2][7] = 0.6;
    overlaps[2][2] = 0.61;
    assert_int_equal(class_rule_choose(&overlaps[0][0], 3, 0), 7);
    assert_int_equal(class_rule_choose(&overlaps[0][0], 3, 1), 4);
    assert_int_equal(class_rule_choose(&overlaps[0][0], 3, 2), 4);
}

static void alone_it_has_the_papers(void **state)
{
    (void)state;
    double overlaps[1][CLASS_RULES] = {{0.1, 0.9}};
    assert_int_equal(class_rule_choose(&overlaps[0][0], 1, 0), 0);
    assert_true(class_rule_list[0].under == 2 && class_rule_list[0].over == 0.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_program_has_no_say_in_its_own_rule),
        cmocka_unit_test(alone_it_has_the_papers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
