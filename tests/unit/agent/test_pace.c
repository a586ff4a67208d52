/* What is known of the speed of code after some trails. */
#include "agent/sampling/pace.h"

#include "agent/base/course.h"
#include "agent/base/process.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdlib.h>

enum { ONE = 1 << PACE_BITS, TRAIL = 400000, MUCH = 500 };

/* A trail of TRAIL instructions, a part of which, in percent, is in the second half of the budgets.
 */
static struct course trail(uint32_t second)
{
    struct course course = {.all.instructions = TRAIL};
    for (uint32_t i = 0; i < CONTEXT_BUDGETS; i++) {
        uint32_t part = i < CONTEXT_BUDGETS / 2 ? 100 - second : second;
        course.charged[i] = TRAIL / 100 * part / (CONTEXT_BUDGETS / 2);
    }
    return course;
}

static struct channel *channel;

/* Windows have met so many different exits, on average. */
static void begin(uint64_t variety)
{
    free(channel);
    channel = calloc(1, sizeof *channel);
    assert_non_null(channel);
    channel->variety = variety;
    agent = (struct agent){.channel = channel};
}

static void learn(uint32_t second, uint64_t own)
{
    struct course course = trail(second);
    pace_learn(&course, own);
}

static uint64_t expect(uint32_t second, uint64_t own)
{
    struct course course = trail(second);
    return pace_expect(&course, own);
}

static void the_first_trail_knows_its_own_pace(void **state)
{
    (void)state;
    begin(MUCH);
    assert_in_range(expect(30, ONE), ONE - 8, ONE);
    assert_int_equal(pace_mean(), 0);
    struct course none = {0};
    assert_int_equal(pace_expect(&none, 0), 0);
}

/* Warm or cold, equal code is taken to be nearly equally fast. */
static void trails_of_equal_code_are_alike(void **state)
{
    (void)state;
    begin(MUCH);
    for (uint32_t i = 0; i < 64; i++)
        learn(20, i & 1 ? ONE / 2 : ONE * 3 / 2);
    assert_in_range(pace_mean(), ONE * 9 / 10, ONE * 11 / 10);
    assert_in_range(expect(20, ONE / 2), ONE * 6 / 10, ONE * 7 / 10);
    assert_in_range(expect(20, ONE * 3 / 2), ONE * 11 / 10, ONE * 13 / 10);
}

/* So little code stays in the caches: then a trail's own pace is not the caches'. */
static void the_less_code_the_more_the_own_pace_is_believed(void **state)
{
    (void)state;
    begin(40);
    for (uint32_t i = 0; i < 64; i++)
        learn(20, i & 1 ? ONE / 2 : ONE * 3 / 2);
    assert_in_range(expect(20, ONE / 2), ONE * 51 / 100, ONE * 56 / 100);
    begin(0);
    for (uint32_t i = 0; i < 64; i++)
        learn(20, i & 1 ? ONE / 2 : ONE * 3 / 2);
    assert_in_range(expect(20, ONE / 2), ONE / 2 - 8, ONE / 2 + 8);
}

static void slow_code_is_known_to_be_slow(void **state)
{
    (void)state;
    begin(MUCH);
    for (uint32_t i = 0; i < 64; i++)
        learn(i & 1 ? 0 : 100, i & 1 ? ONE / 4 : ONE);
    assert_in_range(expect(0, ONE / 4), ONE / 5, ONE * 3 / 10);
    assert_in_range(expect(100, ONE), ONE * 9 / 10, ONE * 11 / 10);
}

/* The first trail found all code cold: a thousand times as slow as those behind it. */
static void the_first_trail_is_soon_forgotten(void **state)
{
    (void)state;
    begin(MUCH);
    learn(50, 250 * ONE);
    for (uint32_t i = 0; i < 40; i++)
        learn(50, ONE / 4);
    assert_in_range(expect(50, ONE / 4), ONE / 4, ONE / 2);
}

/* One slow trail changes little; where all are slow, a few of them are believed. */
static void one_slow_trail_is_an_outlier_but_some_are_not(void **state)
{
    (void)state;
    begin(MUCH);
    for (uint32_t i = 0; i < 40; i++)
        learn(0, ONE / 4);
    learn(0, 200 * ONE);
    assert_in_range(expect(0, ONE / 4), ONE / 4, ONE / 3);
    for (uint32_t i = 0; i < 8; i++)
        learn(100, 200 * ONE);
    assert_true(expect(100, 200 * ONE) > 100 * ONE);
    assert_in_range(expect(0, ONE / 4), ONE / 4, ONE / 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_trail_knows_its_own_pace),
        cmocka_unit_test(trails_of_equal_code_are_alike),
        cmocka_unit_test(the_less_code_the_more_the_own_pace_is_believed),
        cmocka_unit_test(slow_code_is_known_to_be_slow),
        cmocka_unit_test(the_first_trail_is_soon_forgotten),
        cmocka_unit_test(one_slow_trail_is_an_outlier_but_some_are_not),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    free(channel);
    return failed;
}
