/* What budgets were charged is found again, however much it is in all. */
#include "walk/base/budgets.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

static void charge(struct context *context, uint32_t budget, int64_t instructions, int64_t times)
{
    context->budgets[budget] += times * (instructions * (INT64_C(1) << BUDGET_BITS) + 1);
}

/* A trail of milliseconds makes more payments than one budget could count. */
static void payments_of_all_budgets_add_up(void **state)
{
    (void)state;
    struct context *context = calloc(1, sizeof *context);
    assert_non_null(context);
    budgets_begin(context, BUDGET_MOST);
    for (uint32_t i = 0; i < CONTEXT_BUDGETS; i++)
        charge(context, i, i < CONTEXT_BUDGETS / 2 ? 2 : 1, BUDGET_MOST / 2);
    struct spent spent = budgets_spent(context, BUDGET_MOST);
    const uint64_t half = CONTEXT_BUDGETS / 2, times = BUDGET_MOST / 2;
    assert_int_equal(spent.direct, half * times);
    assert_int_equal(spent.indirect, half * times);
    assert_int_equal(spent.instructions, 3 * half * times);
    assert_true(spent.direct > BUDGET_PAYMENTS);
    free(context);
}

/* Debts are paid back: charges may be below zero. */
static void debts_are_taken_off(void **state)
{
    (void)state;
    struct context *context = calloc(1, sizeof *context);
    assert_non_null(context);
    budgets_begin(context, 1000);
    charge(context, 0, 10, 7);
    charge(context, 1, -3, 5);
    charge(context, CONTEXT_BUDGETS - 1, 900, 1);
    struct spent spent = budgets_spent(context, 1000);
    assert_int_equal(spent.instructions, 70 - 15 + 900);
    assert_int_equal(spent.direct, 12);
    assert_int_equal(spent.indirect, 1);
    assert_true(context->budgets[CONTEXT_BUDGETS - 1] < 0);
    charge(context, CONTEXT_BUDGETS - 1, 100, 1);
    assert_true(context->budgets[CONTEXT_BUDGETS - 1] >= 0);
    free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(payments_of_all_budgets_add_up),
        cmocka_unit_test(debts_are_taken_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
