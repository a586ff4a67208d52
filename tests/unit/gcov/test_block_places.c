#include "gcov/block_places.h"

#include "gcov/lines.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

/* f (x) || g (x) ? x : 0 on one line: block 2 was cut behind its call, 4 is one that gcc added for
 * an arc, and the dump's empty block 4 is gone. */
static const char text[] =
    ";; Function one (one, funcdef_no=0, decl_uid=1, cgraph_uid=1, symbol_order=0)\n"
    "int one (int x)\n{\n"
    "  <bb 2> [local count: 10]:\n"
    "  [src/a.c:7:3] # DEBUG BEGIN_STMT\n"
    "  [src/a.c:7:9] _1 = f (x_2(D));\n"
    "  [src/a.c:7:12] if (_1 != 0)\n    goto <bb 5>; [50.00%]\n  else\n    goto <bb 3>; "
    "[50.00%]\n\n"
    "  <bb 3> [local count: 5]:\n"
    "  [src/a.c:7:20] _3 = [src/a.c:7:21] *p_4(D);\n"
    "  [src/a.c:7:12 discrim 2] if (_3 != 0)\n    goto <bb 4>; [50.00%]\n  else\n"
    "    goto <bb 6>; [50.00%]\n\n"
    "  <bb 4> [local count: 2]:\n\n"
    "  <bb 5> [local count: 7]:\n"
    "  [src/a.c:7:30] _5 = (long int) x_2(D);\n\n"
    "  <bb 6> [local count: 10]:\n"
    "  # _6 = PHI <_5(5), [src/a.c:7:34] 0(3)>\n"
    "  [src/a.c:8:1] return _6;\n\n}\n\n";

static void arc_add(struct notes_function *function, uint32_t from, uint32_t to, uint32_t flags)
{
    *vec_push(&function->arcs) = (struct notes_arc){from, to, flags};
}

static void function_make(struct notes_function *function)
{
    *function = (struct notes_function){.name = "one", .n_blocks = 8};
    arc_add(function, 0, 2, ARC_FALL);
    arc_add(function, 2, 3, ARC_FALL);
    arc_add(function, 2, NOTES_EXIT, ARC_FAKE);
    arc_add(function, 3, 6, 0);
    arc_add(function, 3, 4, ARC_FALL);
    arc_add(function, 4, 5, ARC_FALL);
    arc_add(function, 5, 6, ARC_FALL);
    arc_add(function, 5, 7, 0);
    arc_add(function, 6, 7, ARC_FALL);
    arc_add(function, 7, NOTES_EXIT, 0);
    for (uint32_t block = 2; block < 7; block++)
        *vec_push(&function->lines) = (struct notes_line){block, 7, "src/a.c"};
    *vec_push(&function->lines) = (struct notes_line){7, 8, "src/a.c"};
}

static void function_release(struct notes_function *function)
{
    vec_release(&function->arcs);
    vec_release(&function->lines);
}

/* The blocks of a place, as digits. */
static const char *blocks_of(const struct line_groups *groups, uint32_t column,
                             enum group_what what)
{
    static char digits[16];
    uint32_t g = line_groups_place(groups, "a.c", 7, column, what), n = 0;
    assert_int_not_equal(g, GROUP_NONE);
    for (; n < groups->at[g].n; n++)
        digits[n] = (char)('0' + groups->blocks.at[groups->at[g].first + n]);
    digits[n] = 0;
    return digits;
}

static void places_of_one_line_are_told_apart(void **state)
{
    (void)state;
    struct dumped_functions dumped = {0};
    struct notes_function function;
    struct block_places places = {0};
    struct line_groups groups;
    dumped_parse(&dumped, text, sizeof text - 1);
    function_make(&function);
    assert_null(dumped_find(&dumped, "two"));
    assert_true(block_places_find(&places, &function, dumped_find(&dumped, "one")));
    line_groups_make(&groups, &function, &places);
    assert_string_equal(blocks_of(&groups, 3, GROUP_BEGINS), "23");
    assert_string_equal(blocks_of(&groups, 9, GROUP_CALL), "23");
    assert_string_equal(blocks_of(&groups, 12, GROUP_BRANCH), "35");
    assert_string_equal(blocks_of(&groups, 20, GROUP_CODE), "5");
    assert_string_equal(blocks_of(&groups, 30, GROUP_CODE), "6");
    assert_string_equal(blocks_of(&groups, 30, GROUP_CALL), "6");
    assert_string_equal(blocks_of(&groups, 99, GROUP_CODE), "23456"); /* the line */
    uint32_t whole = line_groups_find(&groups, "b/a.c", 7);
    assert_int_equal(groups.at[whole].whole, whole);
    assert_int_equal(groups.at[line_groups_place(&groups, "a.c", 7, 30, GROUP_CODE)].whole, whole);
    /* One block has line 8: its places tell no more. */
    assert_int_equal(line_groups_place(&groups, "a.c", 8, 1, GROUP_CODE),
                     line_groups_find(&groups, "a.c", 8));
    line_groups_release(&groups);
    vec_release(&places);
    function_release(&function);
    dumped_release(&dumped);
}

/* Of another compilation, or not of gcc at all. */
static void another_graph_has_no_places(void **state)
{
    (void)state;
    struct dumped_functions dumped = {0};
    struct notes_function function;
    struct block_places places = {0};
    dumped_parse(&dumped, text, sizeof text - 1);
    function_make(&function);
    function.arcs.at[3].to = 7; /* 3 -> 6 */
    assert_false(block_places_find(&places, &function, dumped_find(&dumped, "one")));
    assert_int_equal(places.n, 0);
    function.n_blocks = 2;
    assert_false(block_places_find(&places, &function, dumped_find(&dumped, "one")));
    function_release(&function);
    dumped_release(&dumped);
}

static void damaged_dumps_are_read(void **state)
{
    (void)state;
    static const char odd[] =
        "goto <bb 3>;\n  <bb 99999999999> :\n;; Function x (x, funcdef_no=\n"
        "  <bb 2> :\n  [\n  []: \n  [a.c:1] _1 = 2;\n  goto <bb \n  if (\n  [a.c:1:2] ";
    struct dumped_functions dumped = {0};
    for (size_t n = 0; n < sizeof text; n += 3)
        dumped_parse(&dumped, text, n);
    dumped_parse(&dumped, odd, sizeof odd - 1);
    assert_non_null(dumped_find(&dumped, "x"));
    dumped_release(&dumped);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_of_one_line_are_told_apart),
        cmocka_unit_test(another_graph_has_no_places),
        cmocka_unit_test(damaged_dumps_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
