#include "values/sharing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static struct sharing sharing;
static uint64_t windows;

static enum conflict_type look(int32_t tid, bool writes, uint64_t address, uint64_t tsc,
                               uint32_t *ret_other)
{
    struct sharing_access access = {.tid = tid,
                                    .writes = writes,
                                    .address = address,
                                    .bytes = 8,
                                    .tsc = tsc,
                                    .window = ++windows,
                                    .place = (uint32_t)tid};
    return sharing_look(&sharing, &access, ret_other);
}

static int fresh(void **state)
{
    (void)state;
    sharing = (struct sharing){.soon = 1000};
    return 0;
}

static int stale(void **state)
{
    (void)state;
    sharing_release(&sharing);
    return 0;
}

static void different_bytes_of_a_line_are_false_sharing(void **state)
{
    (void)state;
    uint32_t other = 0;
    assert_int_equal(look(1, true, 0x1000, 10, &other), CONFLICT_EXECUTED);
    assert_int_equal(look(2, true, 0x1008, 20, &other), CONFLICT_EXECUTED); /* 1 was alone then */
    assert_int_equal(look(1, true, 0x1000, 30, &other), CONFLICT_FALSE_SHARING);
    assert_int_equal(other, 2);
    assert_int_equal(look(2, false, 0x1010, 40, &other), CONFLICT_FALSE_SHARING);
    assert_int_equal(other, 1);
    assert_int_equal(look(2, false, 0x1040, 50, &other), CONFLICT_EXECUTED); /* the next line */
}

static void the_same_bytes_are_sharing(void **state)
{
    (void)state;
    uint32_t other = 0;
    look(2, false, 0x9000, 1, &other);
    look(1, false, 0x1000, 10, &other);
    assert_int_equal(look(2, true, 0x1000, 20, &other), CONFLICT_SHARING);
    assert_int_equal(look(1, false, 0x1004, 30, &other), CONFLICT_SHARING);
}

static void readers_and_what_was_long_ago_share_nothing(void **state)
{
    (void)state;
    uint32_t other = 0;
    look(2, false, 0x9000, 1, &other);
    look(1, false, 0x1000, 10, &other);
    assert_int_equal(look(2, false, 0x1000, 20, &other), CONFLICT_EXECUTED);
    assert_int_equal(look(2, true, 0x1008, 5000, &other), CONFLICT_EXECUTED);
    assert_int_equal(look(1, true, 0x1000, 5100, &other), CONFLICT_FALSE_SHARING);
}

static void a_window_is_told_of_a_line_once(void **state)
{
    (void)state;
    uint32_t other = 0;
    look(2, false, 0x9000, 1, &other);
    look(1, true, 0x1000, 10, &other);
    struct sharing_access access = {.tid = 2,
                                    .writes = true,
                                    .address = 0x1008,
                                    .bytes = 8,
                                    .tsc = 20,
                                    .window = ++windows,
                                    .place = 2};
    assert_int_equal(sharing_look(&sharing, &access, &other), CONFLICT_FALSE_SHARING);
    assert_int_equal(sharing_look(&sharing, &access, &other), CONFLICT_EXECUTED);
}

static void threads_may_be_read_one_after_the_other(void **state)
{
    (void)state;
    uint32_t other = 0;
    look(2, false, 0x9000, 1, &other);
    for (uint64_t tsc = 5000; tsc < 20000; tsc += 500)
        assert_int_equal(look(1, true, 0x1000, tsc, &other), CONFLICT_EXECUTED);
    assert_int_equal(look(2, true, 0x1008, 3900, &other), CONFLICT_EXECUTED);
    assert_int_equal(look(2, true, 0x1008, 4100, &other), CONFLICT_FALSE_SHARING);
    assert_int_equal(look(2, true, 0x1008, 6000, &other), CONFLICT_FALSE_SHARING);
    assert_int_equal(look(2, true, 0x1008, 20400, &other), CONFLICT_FALSE_SHARING);
    assert_int_equal(look(2, true, 0x1008, 20600, &other), CONFLICT_EXECUTED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(different_bytes_of_a_line_are_false_sharing, fresh, stale),
        cmocka_unit_test_setup_teardown(the_same_bytes_are_sharing, fresh, stale),
        cmocka_unit_test_setup_teardown(readers_and_what_was_long_ago_share_nothing, fresh, stale),
        cmocka_unit_test_setup_teardown(threads_may_be_read_one_after_the_other, fresh, stale),
        cmocka_unit_test_setup_teardown(a_window_is_told_of_a_line_once, fresh, stale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
