/* Directions of branches of samples: the latest in bit 0, none beyond a gap, not more than fit; of
 * more samples than are kept a fair choice that stands for all. */
#include "import/branch_turns.h"

#include "profile/profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

static struct place at(uint64_t address)
{
    return (struct place){0, {address}};
}

static void the_latest_is_the_lowest_bit(void **state)
{
    struct branch_turns turns = {0};
    (void)state;
    branch_turns_begin(&turns);
    branch_turns_gap(&turns); /* newer than what it begins with */
    branch_turns_passed(&turns, 3);
    branch_turns_branch(&turns, at(16), true);
    branch_turns_branch(&turns, at(32), true);
    branch_turns_passed(&turns, 2);
    branch_turns_branch(&turns, at(48), false);
    branch_turns_branch(&turns, at(64), true);
    branch_turns_end(&turns, 7);
    assert_int_equal(turns.kept.n, 1);
    assert_int_equal(turns.kept.at[0].at.address.v, 16);
    assert_int_equal(turns.kept.at[0].directions, 9);
    assert_int_equal(turns.kept.at[0].bits, 4);
    assert_int_equal(turns.kept.at[0].times, 7);
    branch_turns_release(&turns);
}

static void a_gap_ends_it(void **state)
{
    struct branch_turns turns = {0};
    (void)state;
    branch_turns_begin(&turns);
    branch_turns_branch(&turns, at(16), true);
    branch_turns_passed(&turns, 1);
    branch_turns_gap(&turns);
    branch_turns_branch(&turns, at(32), true);
    branch_turns_passed(&turns, 1);
    branch_turns_end(&turns, 1);
    assert_int_equal(turns.kept.at[0].bits, 1);
    branch_turns_begin(&turns); /* nothing of it is left, and a branch alone tells no direction */
    branch_turns_branch(&turns, at(32), true);
    branch_turns_end(&turns, 1);
    assert_int_equal(turns.kept.n, 1);
    branch_turns_release(&turns);
}

static void no_more_than_fit(void **state)
{
    struct branch_turns turns = {0};
    (void)state;
    branch_turns_begin(&turns);
    branch_turns_branch(&turns, at(16), true);
    branch_turns_passed(&turns, 63);
    for (int i = 0; i < 3; i++)
        branch_turns_branch(&turns, at(32), true);
    branch_turns_passed(&turns, UINT32_MAX);
    branch_turns_end(&turns, 1);
    assert_int_equal(turns.kept.at[0].bits, 64);
    assert_true(turns.kept.at[0].directions == UINT64_C(1) << 63);
    branch_turns_release(&turns);
}

/* The first half comes from one place, the second from another. */
static void a_choice_stands_for_all(void **state)
{
    enum { SAMPLES = 4 * BRANCH_TURNS_KEPT };
    struct branch_turns turns = {0};
    struct profile profile;
    (void)state;
    profile_init(&profile);
    for (int i = 0; i < SAMPLES; i++) {
        branch_turns_begin(&turns);
        branch_turns_branch(&turns, at(i < SAMPLES / 2 ? 16 : 32), true);
        branch_turns_passed(&turns, 5);
        branch_turns_end(&turns, 1);
    }
    assert_int_equal(turns.kept.n, BRANCH_TURNS_KEPT);
    branch_turns_tell(&turns, &profile);
    assert_int_equal(profile.turns.n, 2);
    uint64_t sum = 0;
    for (uint32_t i = 0; i < 2; i++) {
        const struct turns_key *key = map_key(&profile.turns.keys, i);
        uint64_t count = profile.turns.at[i].count;
        assert_int_equal(key->n, 5);
        assert_int_equal(key->directions, 0);
        /* Five standard deviations of 2^16 tosses. */
        assert_true(count > SAMPLES / 2 - 4 * 640 && count < SAMPLES / 2 + 4 * 640);
        sum += count;
    }
    assert_int_equal(sum, SAMPLES);
    branch_turns_release(&turns);
    profile_release(&profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_latest_is_the_lowest_bit),
        cmocka_unit_test(a_gap_ends_it),
        cmocka_unit_test(no_more_than_fit),
        cmocka_unit_test(a_choice_stands_for_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
