#include "serve/wanted.h"

#include "serve/assets.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

static const char list[] = "# a comment\n"
                           "\n"
                           "info\n"
                           "report?limit=9&by=line or report?by=line&limit=2\n"
                           "annotate?syntax=intel&function={functions report?by=function address "
                           "20}";

static void lines(void **state)
{
    struct arena arena = {0};
    struct wanted_list wanted = {0};
    (void)state;
    wanted_read(&wanted, &arena, list, sizeof list - 1);
    assert_int_equal(wanted.n, 3);
    assert_string_equal(question_key(&arena, &wanted.at[0].question), "info");
    assert_null(wanted.at[0].smaller.route);
    assert_null(wanted.at[0].what);
    /* Parameters in one order, as ui/ask.js has them. */
    assert_string_equal(question_key(&arena, &wanted.at[1].question), "report?by=line&limit=9");
    assert_string_equal(question_key(&arena, &wanted.at[1].smaller), "report?by=line&limit=2");
    assert_string_equal(wanted.at[2].what, "functions");
    assert_string_equal(wanted.at[2].source, "report?by=function");
    assert_string_equal(wanted.at[2].field, "address");
    assert_int_equal(wanted.at[2].most, 20);
    struct question question = wanted_question(&arena, &wanted.at[2], "a b+0x1&=\xc3\xa9*-._~'");
    /* As URLSearchParams writes it. */
    assert_string_equal(question_key(&arena, &question),
                        "annotate?function=a+b%2B0x1%26%3D%C3%A9*-._%7E%27&syntax=intel");
    vec_release(&wanted);
    arena_release(&arena);
}

/* Every source is asked for, too. */
static void stored_list(void **state)
{
    struct arena arena = {0};
    struct wanted_list wanted = {0};
    (void)state;
    wanted_read(&wanted, &arena, asset_wanted.begin, asset_bytes(&asset_wanted));
    assert_true(wanted.n > 3);
    for (size_t i = 0; i < wanted.n; i++) {
        bool found = !wanted.at[i].what;
        for (size_t k = 0; k < wanted.n && !found; k++)
            found = !wanted.at[k].what &&
                    strcmp(question_key(&arena, &wanted.at[k].question), wanted.at[i].source) == 0;
        assert_true(found);
    }
    vec_release(&wanted);
    arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines),
        cmocka_unit_test(stored_list),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
