/* Errors: context goes before, and what does not fit is cut. */
#include "base/err.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void context_goes_before(void **state)
{
    (void)state;
    struct err err;
    assert_false(err_set(&err, ERR_FORMAT, "bad byte %d", 7));
    assert_false(err_in(&err, "%s", "file"));
    assert_string_equal(err.text, "file: bad byte 7");
    assert_int_equal(err.kind, ERR_FORMAT);
    errno = ENOENT;
    assert_false(err_errno(&err, "cannot open"));
    assert_string_equal(err.text, "cannot open: No such file or directory");
}

/* At every length of either part the text ends, inside its room. */
static void long_ones_are_cut(void **state)
{
    (void)state;
    char text[2 * sizeof((struct err *)0)->text];
    for (size_t n = 1; n < sizeof text; n++) {
        struct err err;
        memset(text, 'x', n - 1);
        text[n - 1] = 0;
        memset(&err, 0xAA, sizeof err);
        err_set(&err, ERR_SYSTEM, "%s", "inner");
        err_in(&err, "%s", text);
        assert_true(strlen(err.text) < sizeof err.text);
        err_set(&err, ERR_SYSTEM, "%s", text);
        err_in(&err, "%s", "outer");
        size_t whole = n - 1 < sizeof err.text ? n - 1 : sizeof err.text - 1;
        size_t expected = whole + 7 < sizeof err.text ? whole + 7 : sizeof err.text - 1;
        assert_int_equal(strlen(err.text), expected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(context_goes_before),
        cmocka_unit_test(long_ones_are_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
