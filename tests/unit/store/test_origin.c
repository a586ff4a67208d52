#include "store/origin.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

static const uint8_t service_id[4] = {0xaa, 0xbb, 1, 2}, child_id[4] = {0xcc};

/* A service that works little, and its child. */
static void attached(struct profile *profile, const char *fact)
{
    profile_init(profile);
    profile->command = arena_string(&profile->arena, "gait record -p 10");
    profile_module(profile, "/bin/child", child_id, sizeof child_id);
    profile_module(profile, "/bin/served-file", service_id, sizeof service_id);
    threads_row(&profile->threads, &profile->arena, 10, 10, "served")->user_ns = 5;
    threads_row(&profile->threads, &profile->arena, 11, 11, "child")->user_ns = 500;
    if (fact)
        profile_fact(profile, FACT_ATTACHED, fact);
}

static void expect(const char *fact, const char *service, const char *build)
{
    struct profile profile;
    struct origin origin;
    attached(&profile, fact);
    origin_find(&profile, "m", NULL, &origin);
    assert_string_equal(origin.service, service);
    assert_string_equal(origin.build, build);
    profile_release(&profile);
}

static void what_was_attached_to_counts(void **state)
{
    (void)state;
    expect("aabb0102 served", "served", "aabb0102");
    expect("- a name", "a name", "");
    expect(NULL, "child", "cc000000");
}

static void what_is_no_such_fact_is_ignored(void **state)
{
    (void)state;
    static const char *const facts[] = {
        "",
        " ",
        "-",
        "- ",
        "--",
        "aabb",
        "aabb ",
        "zz served",
        "AABB served",
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa served"};
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
        expect(facts[i], "child", "cc000000");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_attached_to_counts),
        cmocka_unit_test(what_is_no_such_fact_is_ignored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
