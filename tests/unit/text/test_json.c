#include "text/json.h"

#include "json_check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

static char *text;
static size_t text_bytes;

static void begin(struct json *json)
{
    json_begin(json, open_memstream(&text, &text_bytes));
}

static void expect(struct json *json, const char *expected)
{
    json_end(json);
    fclose(json->to);
    assert_string_equal(text, expected);
    assert_true(json_is_valid(text));
    free(text);
}

static void nesting_and_layout(void **state)
{
    (void)state;
    struct json json;
    begin(&json);
    json_object(&json, NULL);
    json_string(&json, "schema", "gait/x/1");
    json_object(&json, "losses");
    json_integer(&json, "a", UINT64_MAX);
    json_integer(&json, "b", 0);
    json_object_end(&json);
    json_array(&json, "none");
    json_array_end(&json);
    json_array(&json, "rows");
    json_object(&json, NULL);
    json_bool(&json, "t", true);
    json_array(&json, "list");
    json_string(&json, NULL, "x");
    json_null(&json, NULL);
    json_array_end(&json);
    json_object_end(&json);
    json_object(&json, NULL);
    json_object_end(&json);
    json_array_end(&json);
    json_object_end(&json);
    expect(&json, "{\"schema\": \"gait/x/1\",\n"
                  "\"losses\": {\"a\": 18446744073709551615, \"b\": 0},\n"
                  "\"none\": [\n],\n"
                  "\"rows\": [\n"
                  "{\"t\": true, \"list\": [\"x\", null]},\n"
                  "{}]}\n");
}

static void strings_are_escaped(void **state)
{
    (void)state;
    struct json json;
    begin(&json);
    json_string(&json, NULL, "a\"b\\c\n\x01\x7f d\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80");
    expect(&json, "\"a\\\"b\\\\c\\u000a\\u0001\\u007f d\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80\"\n");
    begin(&json);
    /* Lone, overlong, surrogate, beyond the last, cut off: none of them UTF-8. */
    json_string(&json, NULL, "\x80|\xc0\xaf|\xed\xa0\x80|\xf4\x90\x80\x80|\xe2\x82");
    expect(&json, "\"\\ufffd|\\ufffd\\ufffd|\\ufffd\\ufffd\\ufffd|\\ufffd\\ufffd\\ufffd\\ufffd|"
                  "\\ufffd\\ufffd\"\n");
}

static void numbers(void **state)
{
    (void)state;
    struct json json;
    begin(&json);
    json_array(&json, NULL);
    json_number(&json, NULL, 4204954447.0);
    json_number(&json, NULL, 0.25);
    json_number(&json, NULL, 1e-20);
    json_number(&json, NULL, -3);
    json_number(&json, NULL, INFINITY);
    json_number(&json, NULL, (double)NAN);
    json_array_end(&json);
    expect(&json, "[4204954447,\n0.25,\n1e-20,\n-3,\nnull,\nnull]\n");
}

static void the_checker_can_say_no(void **state)
{
    (void)state;
    static const char *const bad[] = {"",        "{",       "[1,]",   "{\"a\" 1}", "[01]",
                                      "\"\\x\"", "[1] [2]", "{1: 2}", "[nul]",     "[1.]"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(json_is_valid(bad[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nesting_and_layout),
        cmocka_unit_test(strings_are_escaped),
        cmocka_unit_test(numbers),
        cmocka_unit_test(the_checker_can_say_no),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
