/* Executions that trails counted weigh the time that was sampled, at the pace of trails. */
#include "collect/windows/counted_trails.h"

#include "profile/profile.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

/* Over many readings, as much time as was sampled, whatever each was rounded to. */
static void weights_add_up_to_the_time(void **state)
{
    (void)state;
    int64_t left = 0;
    uint64_t sampled = 0, time = 0;
    for (uint64_t i = 0; i < 1000; i++) {
        const struct trail_reading reading = {100000 + 37 * i, 500, 100, 3000 + 11 * i};
        sampled += reading.sampled_ns << UNIT_BITS;
        time += trail_weigh(&reading, &left).time * reading.instructions;
    }
    assert_int_equal((int64_t)time + left, sampled);
}

static void check_pace(uint64_t sampled_ns, uint64_t instructions)
{
    int64_t left = 0;
    const struct trail_reading reading = {sampled_ns, instructions, instructions / 5, instructions};
    struct trail_weight weight = trail_weigh(&reading, &left);
    assert_true(weight.time >= 1);
    double pace = (double)weight.count / (double)weight.time / (1 << RATE_BITS);
    assert_true(fabs(pace - 5) < 5.0 / (double)weight.time + 0.01);
}

/* Five instructions in a tick stay that, also where trails counted more than the time has units. */
static void weights_keep_the_pace(void **state)
{
    (void)state;
    check_pace(1000000000, 1000000);
    check_pace(1000000, 3999999);
    check_pace(1000000, 4000001);
    check_pace(66000000, 1100000000);
    check_pace(1, 1000000);
}

/* Also where a reading has less than a unit for each execution. */
static void small_weights_add_up(void **state)
{
    (void)state;
    int64_t left = 0;
    uint64_t time = 0, count = 0;
    for (int i = 0; i < 1000; i++) {
        const struct trail_reading reading = {60000, 1000000, 200000, 1000000};
        struct trail_weight weight = trail_weigh(&reading, &left);
        time += weight.time;
        count += weight.count;
    }
    assert_int_equal(time, 240);
    assert_int_equal(count, 240 * (5 << RATE_BITS));
}

/* The program has written over the counters: they stand for more than trails have told. */
static void counters_beyond_trails_weigh_nothing(void **state)
{
    (void)state;
    int64_t left = 0;
    const struct trail_reading reading = {1000, 1000000, 200000, 2000002};
    struct trail_weight weight = trail_weigh(&reading, &left);
    assert_int_equal(weight.time, 0);
    assert_int_equal(weight.count, 0);
    assert_int_equal(left, 1000 << UNIT_BITS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_add_up_to_the_time),
        cmocka_unit_test(weights_keep_the_pace),
        cmocka_unit_test(small_weights_add_up),
        cmocka_unit_test(counters_beyond_trails_weigh_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
