#include "sample.h"

#include "../text/json_check.h"

static void threads_are_profiles(void **state)
{
    (void)state;
    struct profile profile;
    sample(&profile);
    char *text = exported("speedscope", &profile, by_time(), NULL);
    assert_true(json_is_valid(text));
    assert_non_null(strstr(text, "\"unit\": \"nanoseconds\""));
    assert_non_null(strstr(text, "\"name\": \"one (10/11)\""));
    assert_non_null(strstr(text, "\"name\": \"two;x (10/12)\""));
    assert_non_null(strstr(text, "\"operator;\\u000a\\\"fib\\\"\""));
    assert_non_null(strstr(text, "\"endValue\": 44440"));
    assert_non_null(strstr(text, "\"endValue\": 400003"));
    assert_non_null(strstr(text, "\"weights\": [40, 4400, 40000]"));
    free(text);
    profile_release(&profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(threads_are_profiles)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
