/* What a recording knows of places: what a sample found once, twice, or on its way. */
#include "profile/places.h"

#include "profile/profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

enum { SAMPLE_NS = 4000000, CALLER = 0x1000, ONCE = 0x2000, OFTEN = 0x3000, LATER = 0x4000 };
static const uint32_t modules[] = {0};

/* One append: a sample each of some places, which take between 3 and 5 ms, as at random. */
static void some_samples(struct profile *profile, const uint64_t *at, size_t n)
{
    profile_init(profile);
    profile->mode = PROFILE_SAMPLED;
    uint32_t code = profile_module(profile, "/bin/x", NULL, 0);
    uint32_t root = stacks_node(&profile->stacks, STACK_NONE, MODULE_NONE, stack_thread(1, 1));
    uint32_t caller = stacks_node(&profile->stacks, root, code, CALLER);
    for (size_t i = 0; i < n; i++) {
        uint64_t weight = SAMPLE_NS * 3 / 4 + SAMPLE_NS / 2 * (i % 8) / 8;
        stacks_add(&profile->stacks, stacks_node(&profile->stacks, caller, code, at[i]), 0, weight);
    }
}

static enum place_seen kind_at(const struct places *places, uint64_t wanted)
{
    uint64_t at = wanted;
    enum place_seen kind;
    assert_true(places_next(places, 0, &at, &kind));
    assert_int_equal(at, wanted);
    return kind;
}

static void a_second_sample_makes_a_place_known(void **state)
{
    enum { LONELY = 64 };
    struct places places = {0};
    struct profile profile;
    uint64_t at[LONELY + 4] = {ONCE, OFTEN, OFTEN, LATER};
    (void)state;
    for (size_t i = 0; i < LONELY; i++)
        at[4 + i] = 0x10000 + 64 * i;
    some_samples(&profile, at, LONELY + 4);
    /* A look before they are appended counts nothing. */
    places_mark_profile(&places, &profile, modules, false);
    places_mark_profile(&places, &profile, modules, false);
    assert_int_equal(kind_at(&places, LATER), PLACE_CALLER);
    places_mark_profile(&places, &profile, modules, true);
    assert_int_equal(kind_at(&places, CALLER), PLACE_CALLER);
    assert_int_equal(kind_at(&places, ONCE), PLACE_ONCE);
    assert_int_equal(kind_at(&places, LATER), PLACE_ONCE);
    assert_int_equal(kind_at(&places, OFTEN), PLACE_RAN);
    for (size_t i = 0; i < LONELY; i++)
        assert_int_equal(kind_at(&places, at[4 + i]), PLACE_ONCE);
    places_mark_profile(&places, &profile, modules, false);
    assert_int_equal(kind_at(&places, LATER), PLACE_ONCE);
    profile_release(&profile);
    some_samples(&profile, &at[3], 1);
    places_mark_profile(&places, &profile, modules, true);
    assert_int_equal(kind_at(&places, LATER), PLACE_RAN);
    assert_int_equal(kind_at(&places, ONCE), PLACE_ONCE);
    profile_release(&profile);
    places_release(&places);
}

/* Exact and plain recordings keep all that has a weight. */
static void other_recordings_know_all(void **state)
{
    struct places places = {0}, copy;
    struct profile profile;
    const uint64_t at[] = {ONCE, LATER};
    (void)state;
    some_samples(&profile, at, 2);
    profile.mode = PROFILE_PLAIN;
    places_mark_profile(&places, &profile, modules, true);
    places_copy(&copy, &places);
    assert_int_equal(kind_at(&copy, ONCE), PLACE_RAN);
    assert_int_equal(kind_at(&copy, LATER), PLACE_RAN);
    assert_int_equal(kind_at(&copy, CALLER), PLACE_CALLER);
    places_release(&copy);
    places_release(&places);
    profile_release(&profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_second_sample_makes_a_place_known),
        cmocka_unit_test(other_recordings_know_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
