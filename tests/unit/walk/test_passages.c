/* Looks at the clock in bursts, written down here as code would: what is made of them. */
#include "walk/count/passages.h"
#include "walk/count/path_table.h"
#include "walk/count/plan_apply.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <cmocka.h>

enum { COST = 10, STACK = 5000, COUNTER = 100, FUNCTION = 7, LOOKS_COLD = 8 };
/* Operations, by their place in the library. */
enum { BEGIN, END, CALL, RETURN, TABLE_END, OPERATIONS };

static struct context *context;
static struct plan *plan;
static uint64_t interrupted, now;

static void *map_zeroed(size_t bytes)
{
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    assert_true(at != MAP_FAILED);
    return at;
}

static int set_up(void **state)
{
    (void)state;
    context = map_zeroed(CONTEXT_SHADOW_AT + CONTEXT_SHADOW_BYTES);
    plan = map_zeroed(sizeof *plan);
    struct wire_plan *library = map_zeroed(PLAN_LIBRARY_BYTES);
    static const uint8_t actions[] = {PLAN_SET, PLAN_COUNT, PLAN_KEEP, PLAN_BACK, PLAN_COUNT_PATH};
    for (int i = 0; i < OPERATIONS; i++)
        library[i] = (struct wire_plan){
            .action = actions[i], .counter = i == END ? COUNTER : FUNCTION, .flags = PLAN_SOME};
    plan->library = (const uint8_t *)library;
    context_init(context);
    context->interrupted = &interrupted;
    context->path_clock = COST * 16;
    return 0;
}

static int set_up_each(void **state)
{
    (void)state;
    context->counters[COUNTER] = 0;
    for (int i = 1; i <= MEASURED_WORDS; i++)
        context->counters[COUNTER + i] = 0;
    context->path_left = 0; /* a burst begins */
    context->path_back = 0;
    context->path_waits = PATH_WAITS_NONE;
    context->path_follows = 0;
    flow_disarm(context);
    context->looks_at = -(int64_t)sizeof context->looks;
    now = 1000;
    return 0;
}

static const struct wire_measured *measured(void)
{
    return (const void *)(context->counters + COUNTER + 1);
}

/* So many ticks later an operation is met, and the code leaves if that was the last that there was
 * room for. */
static void look(int operation, uint64_t sp, uint64_t later)
{
    struct look *at = &context->looks[CONTEXT_LOOKS + context->looks_at / (int64_t)sizeof *at];
    now += later;
    *at = (struct look){.clock = now, .sp = sp, .operation = (uint64_t)operation * 4};
    if (operation == BEGIN)
        at->path = now - COST;
    context->looks_at += (int64_t)sizeof *at;
    context->gpr[RSP] = sp;
    context->exit = (uint32_t)operation * 4;
    if (passages_full(context)) {
        plan_apply_left(plan, context);
        now += 300;
        context->path_began += now;
    }
}

static void cold(void)
{
    for (int i = 0; i < LOOKS_COLD; i++)
        look(i % 2 ? END : BEGIN, STACK, 5000);
}

static void burst_fill(void)
{
    while (passages_run(context))
        look(BEGIN, STACK - 4096, 1);
}

static void expect(uint64_t ticks, uint64_t passages, uint64_t looks)
{
    assert_int_equal(measured()->ticks, ticks);
    assert_int_equal(measured()->passages, passages);
    assert_int_equal(measured()->looks, looks);
    assert_int_equal(measured()->bursts, passages != 0);
    if (passages)
        assert_int_equal(measured()->squares, ticks * ticks / passages);
    assert_true(context->path_left > 0);
}

static void cold_looks_are_not_used(void **state)
{
    (void)state;
    cold();
    look(BEGIN, STACK, 70);
    look(END, STACK, 100 + COST);
    look(BEGIN, STACK, 70);
    look(END, STACK, 50 + COST);
    burst_fill();
    expect(150, 2, 2);
    assert_true(context->path_clock / 16 == COST);
}

static void calls_are_left_out(void **state)
{
    (void)state;
    cold();
    look(BEGIN, STACK, 70);
    look(CALL, STACK - 8, 30 + COST);
    look(BEGIN, STACK - 64, 70);
    look(TABLE_END, STACK - 64, 500 + COST);
    look(RETURN, STACK - 8, 70);
    look(END, STACK, 20 + COST);
    burst_fill();
    expect(50, 1, 2);
    const struct wire_path key = {.function = FUNCTION | PATH_TIMED};
    const struct wire_path *called = path_find((uint8_t *)context->counters, &key);
    assert_non_null(called);
    assert_int_equal(called->ticks, 500);
    assert_int_equal(called->count, 1);
}

static void who_waits_longer_than_a_burst_is_followed(void **state)
{
    (void)state;
    cold();
    look(BEGIN, STACK, 70);
    look(CALL, STACK - 8, 30 + COST);
    burst_fill();
    assert_true(context->path_left > 0);
    assert_int_equal(context->path_waits, STACK - 8);
    assert_int_equal(context->path_back, STACK - 8);
    context->gpr[RSP] = STACK - 8;
    context->exit = RETURN * 4;
    plan_apply_left(plan, context);
    now += 1000;
    context->path_began += now; /* as the code does when it is back */
    look(END, STACK, 20 + COST);
    expect(50, 1, 2);
    assert_true(context->path_waits == PATH_WAITS_NONE);
}

static void who_is_left_for_good_is_not_measured(void **state)
{
    (void)state;
    cold();
    look(BEGIN, STACK, 70);
    look(CALL, STACK - 8, 30);
    look(BEGIN, STACK - 64, 70);
    look(CALL, STACK - 72, 30); /* left while it waits */
    look(RETURN, STACK - 8, 900);
    look(BEGIN, STACK, 70); /* left while it runs */
    look(RETURN, STACK - 72, 70);
    look(END, STACK - 64, 70);
    burst_fill();
    expect(0, 0, 0);
}

static void the_dispatcher_is_not_measured(void **state)
{
    (void)state;
    cold();
    look(BEGIN, STACK, 70);
    passages_pause(plan, context, 40000);
    now += 40000;
    look(END, STACK, 100 + COST);
    burst_fill();
    expect(100, 1, 1);
}

static void interrupted_passages_do_not_stand_for_others(void **state)
{
    (void)state;
    interrupted = 0;
    cold();
    for (int i = 0; i < 6; i++) {
        look(BEGIN, STACK, 70);
        look(END, STACK, (i == 5 ? 30000 : 100) + COST);
    }
    burst_fill();
    expect(500, 5, 5);
    assert_int_equal(interrupted, 1);
}

/* ---- bursts that flow */

static struct wire_bursts *bursts(void)
{
    return (void *)((uint8_t *)context->counters + NODES_AT);
}

static void flow_begin(void)
{
    *bursts() = (struct wire_bursts){0};
    context->path_back = context->path_waits;
    flow_arm(context);
}

/* A path ends while a burst flows, as code writes it down. */
static void flow_end(int operation, uint64_t path)
{
    struct flow_look *at = &context->flow[CONTEXT_FLOW + context->flow_at / (int64_t)sizeof *at];
    *at = (struct flow_look){.path = path, .operation = (uint64_t)operation * 4};
    context->flow_at += (int64_t)sizeof *at;
    context->exit = (uint32_t)operation * 4;
    now += 7;
    if (context->flow_at)
        return;
    context->flow_ended = now;
    plan_apply_left(plan, context);
    now += 300;
    context->path_began += now;
}

static void flow_to(enum flow_phase phase)
{
    while (context->flow_phase == phase && context->path_left <= 0)
        flow_end(END, 0);
}

static void a_burst_that_flows_is_timed_as_a_whole(void **state)
{
    (void)state;
    flow_begin();
    flow_to(FLOW_WARM);
    uint64_t room = context->flow_room;
    for (int i = 0; i < 3; i++)
        flow_end(TABLE_END, 77);
    flow_to(FLOW_TIMED);
    assert_int_equal(bursts()->n, 1);
    const struct wire_burst *burst = (const void *)(bursts() + 1);
    const struct wire_burst_path *paths = (const void *)(burst + 1);
    assert_int_equal(burst->ticks, 7 * room);
    assert_int_equal(burst->n, 2);
    assert_int_equal(paths[0].function, FUNCTION | BURST_BY_NUMBER);
    assert_int_equal(paths[0].path, 77);
    assert_int_equal(paths[0].passages, 3);
    assert_int_equal(paths[1].function, COUNTER);
    assert_int_equal(paths[1].passages, room - 3);
    assert_true(context->path_left > 0);
}

static void a_burst_that_was_disturbed_is_not_kept(void **state)
{
    (void)state;
    flow_begin();
    flow_to(FLOW_WARM);
    context->gpr[RSP] = STACK;
    passage_goes_on(context); /* somebody was waited for */
    flow_to(FLOW_TIMED);
    assert_int_equal(bursts()->n, 0);
    flow_begin();
    context->path_left = 0;
    flow_to(FLOW_WARM);
    now += 1 << 20;
    interrupted = 0;
    flow_to(FLOW_TIMED);
    assert_int_equal(bursts()->n, 0);
    assert_int_equal(interrupted, 1);
}

static void bursts_are_spread_over_all_the_time(void **state)
{
    (void)state;
    flow_begin();
    for (int i = 0; i <= BURSTS_MAX; i++) {
        context->path_left = 0;
        context->path_back = context->path_waits;
        flow_arm(context);
        flow_to(FLOW_WARM);
        flow_to(FLOW_TIMED);
    }
    assert_int_equal(bursts()->n, BURSTS_MAX / 2);
    assert_int_equal(bursts()->halvings, 1);
    assert_true(flow_wanted(context, 2) && !flow_wanted(context, 3));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(cold_looks_are_not_used, set_up_each),
        cmocka_unit_test_setup(calls_are_left_out, set_up_each),
        cmocka_unit_test_setup(who_waits_longer_than_a_burst_is_followed, set_up_each),
        cmocka_unit_test_setup(who_is_left_for_good_is_not_measured, set_up_each),
        cmocka_unit_test_setup(the_dispatcher_is_not_measured, set_up_each),
        cmocka_unit_test_setup(interrupted_passages_do_not_stand_for_others, set_up_each),
        cmocka_unit_test_setup(a_burst_that_flows_is_timed_as_a_whole, set_up_each),
        cmocka_unit_test_setup(a_burst_that_was_disturbed_is_not_kept, set_up_each),
        cmocka_unit_test_setup(bursts_are_spread_over_all_the_time, set_up_each),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
