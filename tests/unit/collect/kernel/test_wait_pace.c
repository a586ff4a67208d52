#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "collect/kernel/wait_pace.h"

enum { MS = 1000000, PPM = 2000 };

/* Threads that switch `rate` times a second on one CPU that is always busy: what share of the time
 * stacks cost, and how often there were any. */
static double cost_share(uint64_t rate, uint64_t *ret_turns, uint64_t *ret_taken)
{
    struct wait_pace pace;
    uint64_t taken = 0, missed = 0, seconds = 60;
    wait_pace_start(&pace, PPM, 1);
    *ret_turns = 0;
    for (uint64_t now = 1 + MS; now < seconds * 1000 * MS; now += MS) {
        bool was = pace.on;
        /* A ring holds so many between two readings. */
        uint64_t n = rate / 1000 < 128 ? rate / 1000 : 128;
        if (pace.on) {
            taken += n;
            missed += rate / 1000 - n;
        }
        if (now % (50 * MS) == 1 || now >= pace.due_ns)
            wait_pace_update(&pace, now, wait_cost_ns(taken, missed), now, now);
        *ret_turns += !was && pace.on;
    }
    *ret_taken = taken;
    return (double)wait_cost_ns(taken, missed) / ((double)seconds * 1e9);
}

static void few_switches_are_all_taken(void **state)
{
    struct wait_pace pace;
    (void)state;
    wait_pace_start(&pace, 10000, 1);
    for (uint64_t i = 1; i < 10000; i++) /* a hundred a second: a tenth of a per cent */
        wait_pace_update(&pace, i * 10 * MS, wait_cost_ns(i, 0), i * 10 * MS, i * 10 * MS);
    assert_true(pace.on);
    assert_false(pace.sliced);
}

static void many_switches_keep_to_the_share(void **state)
{
    uint64_t turns, taken;
    (void)state;
    for (uint64_t rate = 2000; rate <= 200000; rate *= 10) {
        double share = cost_share(rate, &turns, &taken);
        assert_true(share < 1.6 * PPM / 1e6 + 0.001);
        assert_true(turns > 10); /* now and then, all the time */
        assert_true(taken > 2000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_switches_are_all_taken),
        cmocka_unit_test(many_switches_keep_to_the_share),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
