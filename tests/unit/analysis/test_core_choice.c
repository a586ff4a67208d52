/* Which core windows go through: who is asked first, and what is said of it. */
#include "analysis/pipeline/core_choice.h"

#include "model/core/cpu.h"
#include "model/core/model.h"
#include "profile/profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

static void chosen(const char *core_fact, const char *cpu_fact, const char *asked, const char *core,
                   const char *said)
{
    struct profile profile;
    char why[CORE_WHY_BYTES];
    profile_init(&profile);
    if (core_fact)
        profile_fact(&profile, "core", core_fact);
    if (cpu_fact)
        profile_fact(&profile, "cpu", cpu_fact);
    assert_string_equal(core_choose(&profile, asked, why), core);
    if (*said)
        assert_non_null(strstr(why, said));
    else
        assert_string_equal(why, "");
    profile_release(&profile);
}

static void the_processor_that_recorded_decides(void **state)
{
    (void)state;
    chosen(NULL, "GenuineIntel 6 207 Intel(R) Xeon(R) Processor", NULL, "golden-cove",
           "the same core");
    chosen(NULL, "AuthenticAMD 25 17", NULL, "zen4", "the same core");
    chosen(NULL, "GenuineIntel 6 106 some Ice Lake", NULL, "skylake", "an approximation");
    chosen(NULL, "CentaurHauls 7 59", NULL, "zen3", "nothing like it is known");
}

/* Profiles of before the fact was written, and those in which it makes no sense. */
static void who_does_not_tell_gets_the_usual(void **state)
{
    (void)state;
    chosen(NULL, NULL, NULL, "zen3", "does not tell which processor recorded");
    chosen(NULL, "something else", NULL, "zen3", "does not tell which processor recorded");
}

static void what_is_asked_for_comes_first(void **state)
{
    (void)state;
    struct cpu here;
    enum cpu_nearness nearness;
    cpu_here(&here);
    chosen(NULL, "AuthenticAMD 25 17", "inorder", "inorder", "");
    chosen(NULL, "AuthenticAMD 25 17", "native", cpu_core(&here, &nearness), "this machine");
    chosen("zen4", "GenuineIntel 6 207", NULL, "zen4", "the trace went through");
}

/* Of a merged profile: the first of its processors, and that there were others. */
static void of_several_one_is_named(void **state)
{
    (void)state;
    struct profile profile;
    char why[CORE_WHY_BYTES];
    profile_init(&profile);
    profile_fact(&profile, "cpu", "GenuineIntel 6 207");
    profile_fact(&profile, "cpu", "AuthenticAMD 25 17");
    assert_string_equal(core_choose(&profile, NULL, why), "zen4");
    assert_non_null(strstr(why, "one of those that recorded"));
    profile_release(&profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_processor_that_recorded_decides),
        cmocka_unit_test(who_does_not_tell_gets_the_usual),
        cmocka_unit_test(what_is_asked_for_comes_first),
        cmocka_unit_test(of_several_one_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
