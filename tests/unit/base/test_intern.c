#include "base/intern.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static void test_equal_texts_are_one(void **state)
{
    (void)state;
    enum { TEXTS = 5000 };
    struct intern intern;
    char text[16], again[16];
    intern_init(&intern);
    for (uint32_t i = 0; i < TEXTS; i++) {
        snprintf(text, sizeof text, "text %u", i);
        const char *copy = intern_text(&intern, text);
        assert_ptr_not_equal(copy, text);
        assert_string_equal(copy, text);
        assert_int_equal(intern_number(&intern, text), i);
    }
    for (uint32_t i = 0; i < TEXTS; i++) {
        snprintf(again, sizeof again, "text %u", i);
        assert_int_equal(intern_number(&intern, again), i);
        assert_ptr_equal(intern_text(&intern, again), intern.texts.at[i]);
    }
    assert_int_equal(intern.texts.n, TEXTS);
    intern_release(&intern);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_equal_texts_are_one)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
