/* Ticks along paths: what writing passages down takes is off the estimates as far as the CPU time
 * tells, and intervals reach down by all of it. */
#include "analysis/paths/path_ticks.h"

#include "profile/profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

enum { TIMES = 100000000, MEASURED = 1000, TINY = 6, CALL = 12, CHAIN = 13, FIRST = 1 };

static void row_add(struct profile *profile, enum path_kind kind, uint64_t path, uint64_t count,
                    uint64_t time)
{
    struct path_key key = {.kind = (uint32_t)kind, .function = {1}, .path = path};
    struct sums *sums = table_at(&profile->paths, &key);
    sums->count = count;
    sums->time = time;
}

/* Bursts that all took the same: so many ticks a passage, in so many stretches. */
static void path_add(struct profile *profile, uint64_t path, uint64_t ticks, uint64_t stretches)
{
    row_add(profile, PATH_RAN, path, TIMES, 0);
    row_add(profile, PATH_MEASURED, path, MEASURED, MEASURED * ticks);
    row_add(profile, PATH_LOOKED, path, MEASURED * stretches, MEASURED * ticks * ticks);
    row_add(profile, PATH_BURSTS, path, 20, 0);
}

/* A tiny function, who calls it, and a chain; the clock goes at 1 GHz. */
static struct path_clock begin(struct profile *profile, uint64_t cpu)
{
    profile_init(profile);
    profile->mode = PROFILE_EXACT;
    profile->totals.user_ns = profile->totals.user_ticks = cpu;
    path_add(profile, FIRST, TINY, 1);
    path_add(profile, FIRST + 1, CALL, 2);
    path_add(profile, FIRST + 2, CHAIN, 1);
    return path_clock_find(profile);
}

/* Of one passage. */
static struct estimate ticks_of(const struct profile *profile, const struct path_clock *clock,
                                uint64_t path)
{
    struct path_key key = {.kind = PATH_RAN, .function = {1}, .path = path};
    uint64_t measured;
    struct estimate all =
        path_clock_ticks(clock, profile, &key, table_find(&profile->paths, &key), &measured);
    assert_int_equal(measured, MEASURED);
    return (struct estimate){all.value / TIMES, all.lo / TIMES, all.hi / TIMES};
}

static void intervals_reach_down(const struct profile *profile, const struct path_clock *clock)
{
    static const double measured[] = {TINY, CALL, CHAIN};
    for (uint64_t i = 0; i < 3; i++) {
        struct estimate ticks = ticks_of(profile, clock, FIRST + i);
        double least = i < 2 ? 0 : CHAIN - TINY;
        assert_true(ticks.lo <= least && ticks.hi >= measured[i]);
        assert_true(ticks.lo <= ticks.value && ticks.value <= ticks.hi);
    }
}

/* The sum is the CPU time: nothing is off. */
static void cpu_time_clears(void **state)
{
    struct profile profile;
    (void)state;
    struct path_clock clock = begin(&profile, (uint64_t)TIMES * (TINY + CALL + CHAIN));
    assert_false(clock.brief);
    assert_true(clock.writing == TINY && clock.taken == 0);
    assert_true(ticks_of(&profile, &clock, FIRST + 1).value == CALL);
    intervals_reach_down(&profile, &clock);
    profile_release(&profile);
}

/* It is less: as much is off as makes the sum that, and most of it where calls are. */
static void excess_is_off(void **state)
{
    struct profile profile;
    (void)state;
    double wanted = CHAIN + (TINY + CALL) / 2;
    struct path_clock clock = begin(&profile, (uint64_t)(TIMES * wanted));
    double sum = path_clock_sum(&clock, &profile) / TIMES;
    assert_true(clock.taken > 0 && sum > wanted * 0.98 && sum < wanted * 1.02);
    assert_true(ticks_of(&profile, &clock, FIRST + 1).value < 0.8 * CALL);
    assert_true(ticks_of(&profile, &clock, FIRST + 2).value > 0.8 * CHAIN);
    intervals_reach_down(&profile, &clock);
    profile_release(&profile);
}

/* Some milliseconds tell nothing: all of it is off. */
static void short_runs_tell_nothing(void **state)
{
    struct profile profile;
    (void)state;
    struct path_clock clock = begin(&profile, 5000000);
    assert_true(clock.brief && clock.taken == clock.writing);
    intervals_reach_down(&profile, &clock);
    profile_release(&profile);
    clock = begin(&profile, 0);
    assert_true(clock.brief && clock.taken == clock.writing);
    profile_release(&profile);
}

/* What the fit leaves a rare passage, give or take more than that, says nothing of writing. */
static void unsure_passages_say_nothing(void **state)
{
    enum { LEFT = 2, DEVIATION = 9 };
    struct profile profile;
    (void)state;
    begin(&profile, (uint64_t)TIMES * (TINY + CALL + CHAIN));
    row_add(&profile, PATH_RAN, FIRST + 3, 1000, 0);
    row_add(&profile, PATH_MEASURED, FIRST + 3, MEASURED, MEASURED * LEFT);
    row_add(&profile, PATH_LOOKED, FIRST + 3, MEASURED,
            MEASURED * (LEFT * LEFT + DEVIATION * DEVIATION * 19));
    row_add(&profile, PATH_BURSTS, FIRST + 3, 20, 0);
    assert_true(path_clock_find(&profile).writing == TINY);
    profile_release(&profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cpu_time_clears),
        cmocka_unit_test(excess_is_off),
        cmocka_unit_test(short_runs_tell_nothing),
        cmocka_unit_test(unsure_passages_say_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
