#include "wire/pace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

enum { COLD = 150000 };

static bool same(uint32_t instructions, uint32_t ticks, uint32_t next, uint32_t next_ticks)
{
    const struct piece before = {.instructions = instructions, .ticks = ticks};
    const struct piece now = {.instructions = next, .ticks = next_ticks};
    return same_pace(&before, &now, COLD);
}

static void cold_code_is_no_other_code(void **state)
{
    (void)state;
    assert_true(same(12500, 6000, 50000, 24000));
    assert_true(same(12500, COLD, 50000, 24000));
    assert_true(same(12500, 6000, 50000, 80000)); /* three times slower, behind */
}

static void waiting_is_another_pace(void **state)
{
    (void)state;
    assert_false(same(12500, 500000, 50000, 24000)); /* 40 ticks an instruction, and then a half */
    assert_false(same(12500, 6000, 50000, 2000000));
}

static void no_time_at_all(void **state)
{
    (void)state;
    assert_true(same(12500, 0, 50000, 0));
    assert_true(same(1, COLD, UINT32_MAX, 1));
    assert_false(same(UINT32_MAX, 1, 1, UINT32_MAX));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cold_code_is_no_other_code),
        cmocka_unit_test(waiting_is_another_pace),
        cmocka_unit_test(no_time_at_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
