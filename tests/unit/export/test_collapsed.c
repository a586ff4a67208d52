#include "sample.h"

static void stacks_are_lines(void **state)
{
    (void)state;
    struct profile profile;
    sample(&profile);
    char *text = exported("collapsed", &profile, by_time(), NULL);
    assert_string_equal(
        text, "one;main__[j] 40\n"
              "one;main__[j];operator:?\"fib\"_[j];operator:?\"fib\"_[j] 4400\n"
              "one;main__[j];operator:?\"fib\"_[j];operator:?\"fib\"_[j];read__[k] 40000\n"
              "two:x;[libgone.so] 3\n"
              "two:x;a::b(int)_[j] 400000\n");
    free(text);
    profile_release(&profile);
}

static void threads_and_modules_are_filtered(void **state)
{
    (void)state;
    struct profile profile;
    sample(&profile);
    struct export_options options = by_time();
    options.filter.tid = 12;
    options.filter.module = "libgone.so";
    char *text = exported("collapsed", &profile, options, NULL);
    assert_string_equal(text, "two:x;[libgone.so] 3\n");
    free(text);
    struct err err;
    FILE *to = fopen("/dev/null", "w");
    options.filter.tid = 13;
    assert_false(export_profile(to, exporter_find("collapsed"), &profile, &options, &err));
    assert_string_equal(err.text, "the profile has no such thread");
    options.filter = (struct tree_filter){.module = "none"};
    assert_false(export_profile(to, exporter_find("collapsed"), &profile, &options, &err));
    assert_string_equal(err.text, "the profile has no module none");
    options = (struct export_options){.weight = WEIGHT_COUNT};
    assert_false(export_profile(to, exporter_find("collapsed"), &profile, &options, &err));
    assert_string_equal(err.text, "a plain profile counts no executions: --weight time");
    fclose(to);
    profile_release(&profile);
}

/* Ranges without a binary weigh where they begin, time where it was interrupted, and nothing is
 * lost by rounding. */
static void instructions_have_no_callers(void **state)
{
    (void)state;
    struct profile profile;
    profile_init(&profile);
    profile.command = arena_string(&profile.arena, "prog");
    uint32_t module = profile_module(&profile, "/no/such/prog", NULL, 0);
    struct range_key first = {.module = module, .instructions = 3, .start = {0x10}, .last = {0x18}};
    struct range_key second = {
        .module = module, .instructions = 7, .start = {0x30}, .last = {0x48}};
    table_at(&profile.ranges, &first)->count = 5;
    table_at(&profile.ranges, &second)->count = UINT64_C(1) << 40;
    struct export_options options = {.weight = WEIGHT_COUNT};
    char *text = exported("collapsed", &profile, options, NULL);
    assert_string_equal(text, "prog;[prog] 7696581394447\n");
    free(text);
    profile.mode = PROFILE_SAMPLED;
    profile.totals = (struct totals){.user_ns = 777, .samples = 2, .sampled_ns = 300};
    uint32_t root = stacks_node(&profile.stacks, STACK_NONE, MODULE_NONE, stack_thread(1, 1));
    stacks_add(&profile.stacks, stacks_node(&profile.stacks, root, module, 0x10), 0, 100);
    stacks_add(&profile.stacks, stacks_node(&profile.stacks, root, module, 0x33), 1, 200);
    options.weight = WEIGHT_TIME;
    text = exported("collapsed", &profile, options, NULL);
    assert_string_equal(text, "prog;[prog] 777\n");
    free(text);
    profile_release(&profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stacks_are_lines),
        cmocka_unit_test(threads_and_modules_are_filtered),
        cmocka_unit_test(instructions_have_no_callers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
