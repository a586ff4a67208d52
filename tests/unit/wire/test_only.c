#include "wire/only.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static struct wire_only only;

/* What is not written yet, is being written or makes no sense keeps nothing from being walked. */
static void in_doubt_everything_is_wanted(void **state)
{
    (void)state;
    only = (struct wire_only){0};
    assert_true(wire_only_wants(&only, 0x1000));
    only.version = 3;
    assert_true(wire_only_wants(&only, 0x1000));
    only.version = 4;
    only.n = ONLY_RANGES + 1;
    assert_true(wire_only_wants(&only, 0x1000));
    only.n = 0;
    assert_false(wire_only_wants(&only, 0x1000));
}

static void places_are_found(void **state)
{
    (void)state;
    only = (struct wire_only){.version = 2, .n = ONLY_RANGES};
    for (uint64_t i = 0; i < ONLY_RANGES; i++)
        only.ranges[i] = (struct wire_range){0x1000 + 16 * i, 0x1000 + 16 * i + 4 + i % 8};
    for (uint64_t at = 0xff0; at < 0x1000 + 16 * ONLY_RANGES + 32; at++) {
        uint64_t i = (at - 0x1000) / 16, into = (at - 0x1000) % 16;
        bool inside = at >= 0x1000 && i < ONLY_RANGES && into < 4 + i % 8;
        assert_int_equal(wire_only_wants(&only, at), inside);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_doubt_everything_is_wanted),
        cmocka_unit_test(places_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
