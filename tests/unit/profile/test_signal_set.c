#include "profile/signal_set.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static void says(uint64_t set, const char *expected)
{
    char text[64];
    signal_set_text(set, text, sizeof text);
    assert_string_equal(text, expected);
}

static void sets_are_named(void **state)
{
    (void)state;
    says(0, "none");
    says(1, "HUP");
    says(1 << 9 | 1 << 14, "USR1 TERM");
    says(UINT64_C(1) << 33, "34");
    says(UINT64_C(1) << 63 | 1 << 30, "SYS 64");
    says(UINT64_MAX, "all");
    says(~(UINT64_C(1) << 8 | UINT64_C(1) << 18), "all"); /* KILL and STOP cannot be blocked */
}

static void a_long_set_ends_with_dots(void **state)
{
    (void)state;
    char text[20];
    signal_set_text(0xffffff, text, sizeof text);
    assert_string_equal(text, "HUP INT QUIT ...");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sets_are_named),
        cmocka_unit_test(a_long_set_ends_with_dots),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
