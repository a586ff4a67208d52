#include "serve/base64.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

static void base64_of_each_length(void **state)
{
    static const char *const expected[] = {"", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "/w=="};
    (void)state;
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        struct bytes text = {0};
        base64_add(&text, i == 5 ? "\xff" : "foob", i == 5 ? 1 : i);
        assert_int_equal(text.n, strlen(expected[i]));
        if (text.n)
            assert_memory_equal(text.at, expected[i], text.n);
        vec_release(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(base64_of_each_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
