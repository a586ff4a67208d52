#include "waste/waste_calls.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { STACK = 0x7fff0000, FRAME = 0x100, RDI = 7 };

static struct {
    uint32_t n;
    struct waste_found last;
} seen;

static void note(void *of, const struct waste_found *found)
{
    (void)of;
    assert_int_equal(found->kind, WASTE_SAME_CALL);
    seen.n++;
    seen.last = *found;
}

static struct waste_listener listener = {note, NULL};
static struct waste_calls calls;
static uint64_t position;

static int begin(void **state)
{
    (void)state;
    seen.n = 0;
    position = 0;
    waste_calls_init(&calls, &listener);
    return 0;
}

static int end(void **state)
{
    (void)state;
    waste_calls_release(&calls);
    return 0;
}

static void enter(uint32_t code, uint32_t depth)
{
    waste_calls_enter(&calls, STACK - depth * FRAME, (struct waste_site){code, WASTE_NOWHERE},
                      ++position);
}

static void leave(uint32_t depth)
{
    waste_calls_leave(&calls, STACK - depth * FRAME, ++position);
}

static void argument(void)
{
    waste_calls_write(&calls, 1 << RDI, ++position);
}

static void takes(uint64_t value)
{
    waste_calls_read(&calls, RDI, ++position, (const uint8_t *)&value, sizeof value);
}

static void call(uint32_t code, uint64_t value)
{
    argument();
    enter(code, 1);
    takes(value);
    waste_calls_word(&calls, 99);
    leave(1);
}

static void same_inputs(void **state)
{
    (void)state;
    call(1, 5);
    call(2, 6);
    assert_int_equal(seen.n, 0);
    call(3, 5);
    assert_int_equal(seen.n, 1);
    assert_int_equal(seen.last.first.code, 1);
    assert_int_equal(seen.last.second.code, 3);
    assert_int_equal(seen.last.bytes, 2); /* instructions */
    assert_int_equal(seen.last.distance, 10);
    call(4, 5);
    assert_int_equal(seen.last.first.code, 3);
    waste_calls_forget(&calls);
    call(5, 5);
    assert_int_equal(seen.n, 2);
}

/* Each of these makes a call one that must be. */
static void effects(void **state)
{
    (void)state;
    const uint64_t heap = 0x10000, own = STACK - FRAME - 0x20, callers = STACK - FRAME + 0x20;
    for (int i = 0; i < 3; i++) {
        enter(1, 1);
        waste_calls_store(&calls, heap);
        leave(1);
        enter(1, 1);
        waste_calls_store(&calls, callers);
        leave(1);
        enter(1, 1);
        waste_calls_void(&calls);
        leave(1);
        argument();
        enter(1, 1);
        waste_calls_read(&calls, RDI, ++position, NULL, 0); /* not known */
        leave(1);
    }
    assert_int_equal(seen.n, 0);
    for (int i = 0; i < 3; i++) {
        enter(1, 1);
        waste_calls_store(&calls, own);
        leave(1);
    }
    assert_int_equal(seen.n, 2);
}

/* What it wrote itself is no input, even if it is not known. */
static void own_registers(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        enter(1, 1);
        waste_calls_write(&calls, 1 << RDI, ++position);
        waste_calls_read(&calls, RDI, ++position, NULL, 0);
        leave(1);
    }
    assert_int_equal(seen.n, 2);
}

/* A call in a call that is found itself is the same waste; in others it counts. */
static void calls_in_calls(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        enter(1, 1);
        enter(2, 2);
        leave(2);
        enter(3, 2);
        waste_calls_store(&calls, STACK - 2 * FRAME + 8); /* in the outer one's frame */
        leave(2);
        leave(1);
    }
    assert_int_equal(seen.n, 2);
    assert_int_equal(seen.last.second.code, 1);
    for (uint64_t i = 0; i < 3; i++) {
        enter(1, 1);
        waste_calls_word(&calls, i); /* always another */
        enter(2, 2);
        leave(2);
        leave(1);
    }
    assert_int_equal(seen.n, 5);
    assert_int_equal(seen.last.second.code, 2);
}

/* longjmp: calls that never return; and a stack elsewhere. */
static void gone(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        enter(1, 1);
        enter(2, 2);
        enter(3, 3);
        leave(1);
    }
    assert_int_equal(seen.n, 1);
    assert_int_equal(seen.last.second.code, 1);
    enter(4, 1);
    waste_calls_enter(&calls, STACK / 2, (struct waste_site){5, WASTE_NOWHERE}, ++position);
    assert_int_equal(calls.n_open, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(same_inputs, begin, end),
                                       cmocka_unit_test_setup_teardown(effects, begin, end),
                                       cmocka_unit_test_setup_teardown(own_registers, begin, end),
                                       cmocka_unit_test_setup_teardown(calls_in_calls, begin, end),
                                       cmocka_unit_test_setup_teardown(gone, begin, end)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
