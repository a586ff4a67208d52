#include "view/paths/fold.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

/* Letters as numbers; pieces as "ab(cd)3". */
static void folds_to(const char *letters, const char *expected)
{
    uint64_t numbers[64];
    char text[128] = "";
    uint32_t n = (uint32_t)strlen(letters);
    for (uint32_t i = 0; i < n; i++)
        numbers[i] = (uint64_t)letters[i];
    struct fold fold;
    for (uint32_t i = 0; i < n; i += fold.n * fold.times) {
        fold = fold_next(numbers + i, n - i);
        assert_true(fold.n && fold.times && fold.n * fold.times <= n - i);
        snprintf(text + strlen(text), sizeof text - strlen(text),
                 fold.times > 1 ? "(%.*s)%u" : "%.*s", (int)fold.n, letters + i, fold.times);
    }
    assert_string_equal(text, expected);
}

static void turns_are_one_piece(void **state)
{
    (void)state;
    folds_to("a", "a");
    folds_to("abc", "abc");
    folds_to("aaaaaaaaa", "(a)9");
    folds_to("xababababy", "x(ab)4y");
    folds_to("abcabcab", "(abc)2ab");
    folds_to("aabaab", "(aab)2"); /* as much as possible */
    folds_to("xyzzw", "xy(z)2w");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(turns_are_one_piece),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
