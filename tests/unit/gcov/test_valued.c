#include "gcov/valued.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

static const char list[] =
    "\n;; Function m<int> (_Z1mIiET_S0_S0_, funcdef_no=20, decl_uid=3, cgraph_uid=1, "
    "symbol_order=2) (executed once)\n\n4 basic blocks\n"
    "Stmt memcpy (d_1, s_2, _1);\nStmt memcpy (d_1, s_2, _1);\nStmt memcpy (d_1, s_2, _1);\n"
    "Stmt memcpy (d_1, s_2, _1);\nStmt memcpy (d_1, s_2, _1);\nStmt memcpy (d_1, s_2, _1);\n"
    "Stmt _18 = OBJ_TYPE_REF(_3;b_15(D)->0B) (b_15(D), x_9(D), y_16(D));\n"
    "Stmt _23 = x_9(D) % y_16(D);\nStmt _23 = x_9(D) % y_16(D);\nStmt _23 = x_9(D) % y_16(D);\n"
    "Stmt _19 = x_9(D) / y_16(D);\nStmt _20 = _7 % _6;\n"
    "Stmt _21 = __builtin_mempcpy (p_1, q_2, n_3);\nStmt _21 = __builtin_mempcpy (p_1, q_2, n_3);\n"
    "Stmt _21 = __builtin_mempcpy (p_1, q_2, n_3);\nProfile info is missing; giving up\n"
    ";; Function odd (odd, funcdef_no=1, decl_uid=3, cgraph_uid=1, symbol_order=2)\n"
    "Stmt memset (p_1, 0, n_2);\nStmt memset (p_1, 0, n_2);\n"
    ";; Function plain (plain, funcdef_no=1, decl_uid=3, cgraph_uid=1, symbol_order=2)\n";
static const char places[] =
    ";; Function m<int> (_Z1mIiET_S0_S0_, funcdef_no=20, decl_uid=3, cgraph_uid=1)\n"
    "  [one.h:7:5] memcpy (d_1, [one.c:1:2] s_2, _1);\n"
    "  [one.h:9:6 discrim 2] memcpy (d_1, s_2, _1);\n"
    "  [C:\\two.c:11:12] _23 = x_9(D) % y_16(D);\n"
    "  _19 = x_9(D) / y_16(D);\n"
    "  [one.c] _20 = _7 % _6;\n"
    ";; Function other (other, funcdef_no=1, decl_uid=3, cgraph_uid=1, symbol_order=2)\n"
    "  [one.h:70:50] _20 = _7 % _6;\n";

static void statements_are_listed_and_placed(void **state)
{
    (void)state;
    static const uint8_t kinds[] = {VALUED_STRING,    VALUED_STRING,   VALUED_INDIRECT,
                                    VALUED_REMAINDER, VALUED_DIVISION, VALUED_DIVISION,
                                    VALUED_STRING};
    struct valued_functions valued = {0};
    valued_list(&valued, list, sizeof list - 1);
    valued_place(&valued, places, sizeof places - 1);
    const struct valued_function *m = valued_find(&valued, "_Z1mIiET_S0_S0_");
    assert_non_null(m);
    assert_int_equal(m->n, sizeof kinds);
    for (size_t i = 0; i < sizeof kinds; i++)
        assert_int_equal(m->at[i].kind, kinds[i]);
    assert_string_equal(m->at[0].file, "one.h");
    assert_int_equal(m->at[0].line, 7);
    assert_int_equal(m->at[0].column, 5);
    assert_int_equal(m->at[1].line, 9);
    assert_int_equal(m->at[1].column, 6);
    assert_null(m->at[2].file);
    assert_string_equal(m->at[3].file, "C:\\two.c");
    assert_int_equal(m->at[3].line, 11);
    assert_null(m->at[4].file);
    assert_null(m->at[5].file);
    assert_int_equal(valued_find(&valued, "plain")->n, 0);
    valued_release(&valued);
}

static void a_list_of_another_gcc_is_not_believed(void **state)
{
    (void)state;
    struct valued_functions valued = {0};
    valued_list(&valued, list, sizeof list - 1);
    assert_null(valued_find(&valued, "odd"));
    assert_null(valued_find(&valued, "nowhere"));
    valued_release(&valued);
}

static void a_list_may_end_anywhere(void **state)
{
    (void)state;
    for (size_t n = 0; n < sizeof list; n++) {
        struct valued_functions valued = {0};
        valued_list(&valued, list, n);
        valued_place(&valued, places, n < sizeof places ? n : sizeof places - 1);
        valued_release(&valued);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statements_are_listed_and_placed),
        cmocka_unit_test(a_list_of_another_gcc_is_not_believed),
        cmocka_unit_test(a_list_may_end_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
