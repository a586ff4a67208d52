/* Lines that are too wide go on below, between words; commands stay as they are. */
#include "text/wrap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static void wraps(const char *line, int columns, int indent, const char *expected)
{
    struct bytes to = {0};
    wrap_line(&to, line, strlen(line), columns, indent);
    assert_int_equal(to.n, strlen(expected));
    assert_memory_equal(to.at, expected, to.n);
    vec_release(&to);
}

static void words_go_on_below(void **state)
{
    (void)state;
    wraps("one two three", 13, 2, "one two three\n");
    wraps("one two three", 12, 2, "one two\n  three\n");
    wraps("  one two three four", 11, 2, "  one two\n    three\n    four\n");
    wraps("", 10, 2, "\n");
    wraps("one  two", 5, 0, "one\ntwo\n");
    wraps("one two", 0, 2, "one two\n"); /* no terminal */
}

/* A word without a space in it stays whole, and what is indented far is not indented out of sight.
 */
static void long_words_stay_whole(void **state)
{
    (void)state;
    wraps("/a/path/that/is/long and more", 10, 2, "/a/path/that/is/long\n  and more\n");
    wraps("        x yy zz", 10, 2, "        x\n     yy zz\n");
}

static void commands_stay_whole(void **state)
{
    (void)state;
    wraps("      gait report --by line", 12, 2, "      gait report --by line\n");
    wraps("      \033[1mgait report --by line\033[0m", 12, 2,
          "      \033[1mgait report --by line\033[0m\n");
    wraps("gait: no such file", 12, 6, "gait: no\n      such\n      file\n");
}

static void colours_and_characters_take_their_room(void **state)
{
    (void)state;
    wraps("\033[1mone\033[0m \033[2mtwo\033[0m", 7, 0, "\033[1mone\033[0m \033[2mtwo\033[0m\n");
    wraps("one \033[2mtwo\033[0m", 6, 0, "one\n\033[2mtwo\033[0m\n");
    wraps("±±± ±±±", 7, 0, "±±± ±±±\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_go_on_below),
        cmocka_unit_test(long_words_stay_whole),
        cmocka_unit_test(commands_stay_whole),
        cmocka_unit_test(colours_and_characters_take_their_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
