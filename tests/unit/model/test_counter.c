/* Counters whose interrupts can be derived by hand. */
#include "base/err.h"
#include "model/core/model.h"
#include "model/pmu/bank.h"

#include <stddef.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include <string.h>

enum { PLACES = 40 };

struct told {
    uint32_t at[PLACES], cause[PLACES], n;
};

static void tell(void *context, struct avma at, struct avma cause)
{
    struct told *told = context;
    told->at[at.v]++;
    told->cause[cause.v]++;
    told->n++;
}

/* A loop of `n` that retire `width` a cycle; the first takes `stall` cycles more, and loads as soon
 * as it is fetched. */
struct loop {
    uint64_t n, width, stall, turns;
};

static void loop_run(struct counter *counter, const struct loop *loop)
{
    struct core_insn load = {.flags = INSN_LOAD}, plain = {.kind = INSN_PLAIN};
    uint64_t cycle = 10, used = 0;
    for (uint64_t i = 0; i < loop->turns; i++)
        for (uint64_t at = 0; at < loop->n; at++) {
            if (at == 0 && loop->stall) {
                cycle += loop->stall;
                used = 0;
            }
            if (used++ == loop->width) {
                cycle++;
                used = 1;
            }
            struct core_fact fact = {.at = {at}, .next = {(at + 1) % loop->n}};
            struct core_times times = {.retire = cycle,
                                       .load_issue = at == 0 ? cycle - loop->stall - 1 : 0};
            struct pmu_step step = {at ? &plain : &load, &fact, &times, 0, false};
            counter_see(counter, &step);
        }
}

static void run(const struct counter_setup *setup, const struct loop *loop, struct told *told)
{
    static struct counter counter;
    memset(told, 0, sizeof *told);
    counter_init(&counter, setup, tell, told);
    loop_run(&counter, loop);
    assert_in_range(counter.overflows - told->n, 0, 1);
}

/* One a cycle: whoever retires k cycles later has not retired when the interrupt comes k - 1 later.
 */
static void skid_is_a_spike_where_all_is_steady(void **state)
{
    (void)state;
    struct told told;
    struct counter_setup setup = {
        .event = COUNTER_LOADS, .period = 3, .skid_least = 6, .skid_most = 6};
    struct loop loop = {20, 1, 0, 300};
    run(&setup, &loop, &told);
    assert_int_equal(told.cause[0], told.n);
    assert_int_equal(told.at[6], told.n);
    assert_in_range(told.n, 99, 100);
}

static void skid_that_varies_smears(void **state)
{
    (void)state;
    struct told told;
    struct counter_setup setup = {
        .event = COUNTER_LOADS, .period = 3, .skid_least = 0, .skid_most = 9, .seed = 5};
    struct loop loop = {20, 2, 0, 30000};
    run(&setup, &loop, &told);
    uint32_t places = 0;
    for (int i = 0; i < 20; i++)
        places += told.at[i] > 0;
    assert_in_range(places, 9, 10);
    assert_in_range(told.at[4], 850, 1150);
}

/* Groups of four: the interrupt comes between them, so that only who stands first is ever told. */
static void groups_hide_all_but_one(void **state)
{
    (void)state;
    struct told told;
    struct counter_setup setup = {.event = COUNTER_RETIRED, .period = 101, .spread = 50};
    struct loop loop = {20, 4, 0, 20000};
    run(&setup, &loop, &told);
    for (int i = 0; i < 20; i++)
        assert_in_range(told.at[i], i % 4 ? 0 : 700, i % 4 ? 0 : 900);
}

/* The first stands at the head for 50 cycles: it takes the samples of all whose skid ends there,
 * and they have none. */
static void stalls_aggregate_and_shadow(void **state)
{
    (void)state;
    struct told told;
    struct counter_setup setup = {
        .event = COUNTER_RETIRED, .period = 101, .spread = 50, .skid_least = 8, .skid_most = 8};
    struct loop loop = {40, 2, 50, 20000};
    run(&setup, &loop, &told);
    double mean = told.n / 40.0;
    assert_true(told.at[0] > 12 * mean); /* 16 of 40, and the first's group */
    for (int i = 1; i <= 14; i++)
        assert_int_equal(told.at[i], 0); /* nobody retires 8 cycles before those */
    assert_true(told.at[20] > mean);
}

static void fixed_periods_keep_step(void **state)
{
    (void)state;
    struct told told;
    /* and three that pass while the counter stands still */
    struct counter_setup setup = {
        .event = COUNTER_RETIRED, .period = 97, .skid_least = 3, .skid_most = 3};
    struct loop loop = {20, 1, 0, 10000};
    run(&setup, &loop, &told);
    uint32_t places = 0;
    for (int i = 0; i < 20; i++)
        places += told.at[i] > 0;
    assert_int_equal(places, 1);
    setup.spread = 40;
    run(&setup, &loop, &told);
    for (int i = 0; i < 20; i++)
        assert_in_range(told.at[i], 60, 140);
}

/* Armed two cycles after the overflow: of a burst of eight in two cycles nobody behind the first
 * group is the next event. */
static void bursts_are_not_seen_by_precise_ones(void **state)
{
    (void)state;
    struct told told;
    struct counter_setup setup = {
        .event = COUNTER_RETIRED, .period = 101, .spread = 50, .precise = true, .arming = 1};
    struct loop loop = {8, 4, 20, 20000};
    run(&setup, &loop, &told);
    /* From 0..3: the next group begins at 4, and 5 is told. From 4..7: at 0, and 1 is told. */
    assert_int_equal(told.at[5] + told.at[1], told.n);
    assert_in_range(told.at[5], 700, 900);
    assert_in_range(told.at[1], 700, 900);
}

static void cycles_are_told_by_who_is_waited_for(void **state)
{
    (void)state;
    struct told told;
    struct counter_setup setup = {.event = COUNTER_CYCLES, .period = 37, .spread = 11};
    struct loop loop = {20, 1, 30, 10000};
    run(&setup, &loop, &told);
    /* 50 cycles a turn; the first has 31 of them */
    double share = (double)told.at[0] / told.n;
    assert_true(share > 0.60 && share < 0.64);
}

static void held_interrupts_go_to_who_is_behind(void **state)
{
    (void)state;
    struct told told;
    struct counter_setup setup = {
        .event = COUNTER_RETIRED, .period = 101, .spread = 50, .held_begin = {5}, .held_end = {15}};
    struct loop loop = {20, 1, 0, 20000};
    run(&setup, &loop, &told);
    for (int i = 5; i < 15; i++)
        assert_int_equal(told.at[i], 0);
    assert_in_range(told.at[15], 9 * told.at[3], 13 * told.at[3]);
}

/* 29 cycles in which nothing retires before the first of each turn but the first one, and every one
 * of them is an event. */
static void idle_cycles_are_told_by_who_retires_next(void **state)
{
    (void)state;
    struct told told;
    struct counter_setup setup = {.event = COUNTER_IDLE_CYCLES, .period = 1};
    struct loop loop = {20, 1, 30, 300};
    run(&setup, &loop, &told);
    assert_int_equal(told.at[0], 29 * 299);
    assert_int_equal(told.n, 29 * 299);
    /* With skid that lies behind the stall the one that retires then is told. */
    setup.period = 29;
    setup.skid_least = setup.skid_most = 6;
    run(&setup, &loop, &told);
    assert_int_equal(told.at[6], told.n);
    assert_in_range(told.n, 298, 299);
}

/* Groups of four: one event a cycle; the interrupt sees who stands first in the next. */
static void busy_cycles_are_those_of_four(void **state)
{
    (void)state;
    struct told told;
    struct counter_setup setup = {.event = COUNTER_BUSY_CYCLES, .period = 1};
    struct loop loop = {20, 4, 0, 1000};
    run(&setup, &loop, &told);
    assert_in_range(told.n, 4998, 5000);
    for (int i = 0; i < 20; i++)
        assert_in_range(told.at[i], i % 4 ? 0 : 999, i % 4 ? 0 : 1000);
    loop.width = 3;
    run(&setup, &loop, &told);
    assert_int_equal(told.n, 0);
}

static void masks_only_lengthen_periods(void **state)
{
    (void)state;
    struct told told;
    struct counter_setup setup = {.event = COUNTER_RETIRED, .period = 100, .mask = 63, .seed = 3};
    struct loop loop = {20, 1, 0, 100000};
    run(&setup, &loop, &told);
    /* 100 + 31.5 on average, and the one that is told does not count. */
    assert_in_range(told.n, 2000000 / 134, 2000000 / 130);
    for (int i = 0; i < 20; i++)
        assert_in_range(told.at[i], 600, 920);
}

static void bank_has_the_periods_of_the_paper(void **state)
{
    (void)state;
    struct model model;
    struct err err;
    uint32_t stalls[BANK_COUNTERS] = {0, 0, 0, 0, 0, 7, 12, 42, 178, 17};
    assert_int_equal(bank_prime(202001), 202001);
    assert_int_equal(bank_prime(1000), 1009);
    assert_int_equal(bank_period(&bank_events[0], 202001), 202001 + 0xffff / 2);
    assert_int_equal(bank_period(&bank_events[1], 202001), 202001); /* precise: fixed */
    assert_int_equal(bank_period(&bank_events[5], 1000), 127 + 31 / 2);
    assert_true(model_open("skylake", &model, &err));
    for (int i = 0; i < BANK_COUNTERS; i++)
        assert_int_equal(bank_stall(&bank_events[i], &model), stalls[i]);
    model_release(&model);
}

struct bank_told {
    uint32_t n[BANK_COUNTERS];
};

static void bank_tell(void *context, const struct bank_event *event, struct avma at)
{
    struct bank_told *told = context;
    (void)at;
    told->n[event - bank_events]++;
}

/* Four a cycle and no other event: 100,000 instructions in 25,000 cycles. */
static void bank_counts_all_at_once(void **state)
{
    (void)state;
    static struct bank bank;
    struct bank_told told = {0};
    struct core_insn plain = {.kind = INSN_PLAIN};
    bank_init(&bank, 100, 1, bank_tell, &told);
    for (uint64_t i = 0; i < 100000; i++) {
        struct core_fact fact = {.at = {i % 20}, .next = {(i + 1) % 20}};
        struct core_times times = {.retire = 10 + i / 4};
        struct pmu_step step = {&plain, &fact, &times, 0, false};
        bank_see(&bank, &step);
    }
    /* Period 101 + 15, and 30 cycles in which the counter stands still. */
    assert_in_range(told.n[0], 100000 / 250, 100000 / 220);
    assert_in_range(told.n[3], 25000 / 160, 25000 / 135);
    assert_in_range(told.n[4], 25000 / 160, 25000 / 135);
    assert_int_equal(told.n[2] + told.n[5] + told.n[6] + told.n[7] + told.n[8] + told.n[9], 0);
    assert_true(told.n[1] > 800); /* precise: it is armed at once */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(skid_is_a_spike_where_all_is_steady),
        cmocka_unit_test(skid_that_varies_smears),
        cmocka_unit_test(groups_hide_all_but_one),
        cmocka_unit_test(stalls_aggregate_and_shadow),
        cmocka_unit_test(fixed_periods_keep_step),
        cmocka_unit_test(bursts_are_not_seen_by_precise_ones),
        cmocka_unit_test(cycles_are_told_by_who_is_waited_for),
        cmocka_unit_test(held_interrupts_go_to_who_is_behind),
        cmocka_unit_test(idle_cycles_are_told_by_who_retires_next),
        cmocka_unit_test(busy_cycles_are_those_of_four),
        cmocka_unit_test(masks_only_lengthen_periods),
        cmocka_unit_test(bank_has_the_periods_of_the_paper),
        cmocka_unit_test(bank_counts_all_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
