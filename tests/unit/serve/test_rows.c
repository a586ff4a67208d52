#include "serve/rows.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

/* The values, each with a '|' before it. */
static void expect(const char *json, const char *field, const char *expected)
{
    struct arena arena = {0};
    struct row_values values = {0};
    char got[1000] = "";
    size_t n = 0;
    rows_field(&values, &arena, json, strlen(json), field);
    for (size_t i = 0; i < values.n; i++)
        n += (size_t)snprintf(got + n, sizeof got - n, "|%s", values.at[i]);
    assert_string_equal(got, expected);
    vec_release(&values);
    arena_release(&arena);
}

static void fields_of_rows(void **state)
{
    (void)state;
    expect("{\"rows\": [{\"a\": \"x\", \"b\": 1},\n{\"b\": 2.5, \"a\": \"y\"}]}", "a", "|x|y");
    expect("{\"rows\": [{\"a\": \"x\", \"b\": 1},\n{\"b\": 2.5, \"a\": \"y\"}]}", "b", "|1|2.5");
    expect(
        "{\"losses\": {\"rows\": 3}, \"list\": [[1], {\"a\": \"no\"}], \"rows\": [{\"a\": \"x\"}]}",
        "a", "|x");
    expect("{\"rows\": [{\"in\": {\"a\": \"no\"}, \"list\": [{\"a\": \"no\"}], \"a\": \"x\"}]}",
           "a", "|x");
    expect("{\"rows\": []}", "a", "");
    expect("{}", "a", "");
}

static void hostile_names(void **state)
{
    (void)state;
    expect(
        "{\"rows\": [{\"a\": \"q\\\"u}o]te\", \"n\": \"\\\\\"}, {\"a\": \"\\u0001\\u20ac\\n/\"}]}",
        "a", "|q\"u}o]te|\001\xe2\x82\xac\n/");
    expect("{\"rows\": [{\"name\": \"\\\"a\\\": \\\"no\", \"a\": \"x\"}]}", "a", "|x");
}

static void rows_that_weigh_nothing(void **state)
{
    (void)state;
    expect("{\"rows\": [{\"a\": \"x\", \"time\": 0.5}, {\"a\": \"y\", \"time\": 0, \"count\": 2},"
           " {\"a\": \"z\", \"time\": 0, \"count\": null}, {\"a\": \"k\", \"time\": 1, \"kernel\": "
           "true},"
           " {\"a\": \"u\", \"time\": 1, \"kernel\": false}]}",
           "a", "|x|y|u");
}

static void damaged(void **state)
{
    static const char whole[] =
        "{\"m\": [\"\\\"\"], \"rows\": [{\"a\": \"x\\\\\", \"b\": {\"c\": 1}}]}";
    (void)state;
    for (size_t n = 0; n < sizeof whole - 1; n++) {
        struct arena arena = {0};
        struct row_values values = {0};
        rows_field(&values, &arena, whole, n, "a");
        assert_true(values.n <= 1);
        vec_release(&values);
        arena_release(&arena);
    }
    expect("", "a", "");
    expect("[1, 2]", "a", "");
    expect("{\"rows\": {\"a\": \"x\"}}", "a", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_of_rows),
        cmocka_unit_test(hostile_names),
        cmocka_unit_test(rows_that_weigh_nothing),
        cmocka_unit_test(damaged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
