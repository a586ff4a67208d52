/* How CPU time is divided, and given bit by bit. */
#include "collect/totals.h"

#include "collect/target/cpu_times.h"
#include "collect/windows/counted_trails.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

enum { MS = 1000000 };

static uint64_t kernel_ms(uint64_t told_ms, double share, uint64_t samples)
{
    struct cpu_times times = {(1600 - told_ms) * MS, told_ms * MS};
    cpu_times_divide(&times, share, samples);
    assert_int_equal(times.user_ns + times.kernel_ns, UINT64_C(1600) * MS);
    return times.kernel_ns / MS;
}

/* 0.6 of 1.6 s were in the kernel, of which samples know 0.375 +- 0.055 (one deviation of 78). */
static void samples_correct_what_ticks_missed(void **state)
{
    (void)state;
    assert_int_equal(kernel_ms(116, 0.375, 78), 600);
    assert_int_equal(kernel_ms(1112, 0.375, 78), 600);
    assert_int_equal(kernel_ms(0, 0.375, 78), 600);
}

/* What few samples say is no reason. */
static void ticks_count_where_samples_agree(void **state)
{
    (void)state;
    assert_int_equal(kernel_ms(601, 0.375, 78), 601);
    assert_int_equal(kernel_ms(601, 0.30, 78), 601);
    assert_int_equal(kernel_ms(601, 0.45, 78), 601);
    assert_int_equal(kernel_ms(116, 0.375, 10), 116);
    assert_int_equal(kernel_ms(10, 0.0, 30), 10);
    assert_int_equal(kernel_ms(800, 0.0, 400), 0);
    struct cpu_times none = {0, 0};
    cpu_times_divide(&none, 0.5, 100);
    assert_int_equal(none.user_ns + none.kernel_ns, 0);
}

/* Whatever was told of user and kernel time, their sum is that of the last word. */
static void the_sum_is_right_if_the_division_changes(void **state)
{
    static const uint64_t user[] = {100, 800, 700, 900, 1000}, kernel[] = {10, 40, 300, 400, 600};
    struct totals delta = {0}, told = {0};
    (void)state;
    for (size_t i = 0; i < sizeof user / sizeof *user; i++) {
        struct totals now = {.user_ns = user[i] * MS, .kernel_ns = kernel[i] * MS};
        now.whole_user_ns = now.user_ns;
        now.whole_kernel_ns = now.kernel_ns;
        totals_give(&delta, &told, &now);
        assert_int_equal(delta.user_ns + delta.kernel_ns, (user[i] + kernel[i]) * MS);
        assert_int_equal(delta.whole_user_ns + delta.whole_kernel_ns, (user[i] + kernel[i]) * MS);
        assert_int_equal(delta.user_ns, told.user_ns);
    }
    assert_int_equal(delta.user_ns, UINT64_C(1000) * MS);
    assert_int_equal(delta.kernel_ns, UINT64_C(600) * MS);
}

/* Three long trails that were as fast as all: nothing else makes the program four times as fast,
 * however much different code it has. A sqlite3 was counted 1.6 times for this reason. */
static void long_trails_know_the_rate(void **state)
{
    (void)state;
    const uint64_t ticks = 1000000, rate = 4096 * 4;
    struct trail_rates rates = {
        .time = 1000, .count = 1000 * rate, .long_n = 3, .long_rates = 3 * rate};
    assert_in_range(totals_stretch(ticks, &rates, 0), ticks, ticks);
    assert_in_range(totals_stretch(ticks, &rates, 700), ticks, ticks * 11 / 10);
    rates.long_rates *= 2;
    assert_in_range(totals_stretch(ticks, &rates, 700), ticks * 16 / 10, ticks * 2);
}

/* Without any, copies alone are what is known. */
static void copies_alone_know_the_rate_without_long_trails(void **state)
{
    (void)state;
    const uint64_t ticks = 1000000;
    struct trail_rates rates = {
        .time = 1000, .count = 1000 << 12, .in_copies = 3000, .in_copies_ticks = 2000};
    assert_in_range(totals_stretch(ticks, &rates, 0), ticks * 149 / 100, ticks * 151 / 100);
    assert_in_range(totals_stretch(ticks, &rates, 700), ticks * 15 / 10, ticks * 21 / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_correct_what_ticks_missed),
        cmocka_unit_test(ticks_count_where_samples_agree),
        cmocka_unit_test(the_sum_is_right_if_the_division_changes),
        cmocka_unit_test(long_trails_know_the_rate),
        cmocka_unit_test(copies_alone_know_the_rate_without_long_trails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
