#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/live/live_rows.h"

#include <math.h>
#include <stdio.h>

/* Code without files, whose names the news bring along. */
struct world {
    struct live live;
    struct profile news;
    uint32_t module;
    uint64_t now_ns;
};

enum { SECOND = 1000000000, HOT = 0x100, COOL = 0x200, MAIN = 0x300 };

static void world_begin(struct world *world)
{
    *world = (struct world){0};
    live_init(&world->live, UINT64_C(3) * SECOND, true);
    profile_init(&world->news);
    world->news.mode = PROFILE_PLAIN;
    world->module = profile_module(&world->news, "[jit]", NULL, 0);
}

static void world_end(struct world *world)
{
    profile_release(&world->news);
    live_release(&world->live);
}

static void named(struct world *world, uint64_t start, const char *name)
{
    names_add(&world->news.names, &world->news.arena, world->module, start, 0x80, name);
}

static void all_named(struct world *world)
{
    named(world, HOT, "hot");
    named(world, COOL, "cool");
    named(world, MAIN, "main");
}

/* n samples of a millisecond: main calls the function there. */
static void samples(struct world *world, uint32_t pid, uint64_t at, uint32_t n)
{
    struct stacks *stacks = &world->news.stacks;
    uint32_t node = stacks_node(stacks, STACK_NONE, MODULE_NONE, stack_thread(pid, pid));
    node = stacks_node(stacks, node, world->module, MAIN + 5);
    node = stacks_node(stacks, node, world->module, at);
    for (uint32_t i = 0; i < n; i++)
        stacks_add(stacks, node, i % STACK_GROUPS, 1000000);
    world->news.totals.interrupts += n;
    struct thread_times *row =
        threads_row(&world->news.threads, &world->news.arena, pid, pid, pid == 7 ? "seven" : "x");
    row->user_ns += n * UINT64_C(1000000);
}

static void second_passes(struct world *world)
{
    live_add(&world->live, &world->news, world->now_ns, world->now_ns + SECOND, 0, true);
    world->now_ns += SECOND;
    profile_clear(&world->news);
}

static const struct live_query functions = {
    .by = LIVE_FUNCTION, .module = LIVE_NONE, .function = LIVE_NONE};

static void by_function(void **state)
{
    struct world world;
    struct live_rows rows;
    (void)state;
    world_begin(&world);
    all_named(&world);
    samples(&world, 7, HOT + 1, 300);
    samples(&world, 8, COOL + 1, 100);
    second_passes(&world);
    live_rows_make(&rows, &world.live, &functions);
    assert_int_equal(rows.n, 3);
    assert_string_equal(rows.at[0].name, "hot");
    assert_true(fabs(rows.at[0].share.value - 0.75) < 1e-9);
    assert_true(rows.at[0].share.lo < 0.75 && rows.at[0].share.lo > 0.6);
    assert_true(fabs(rows.at[0].seconds - 0.3) < 1e-9);
    assert_string_equal(rows.at[1].name, "cool");
    assert_string_equal(rows.at[2].name, "main");
    assert_true(rows.at[2].share.value == 0 && rows.at[2].total_share.value == 1);
    live_rows_release(&rows);
    world_end(&world);
}

static void by_process(void **state)
{
    struct world world;
    struct live_rows rows;
    struct live_query query = functions;
    (void)state;
    world_begin(&world);
    all_named(&world);
    samples(&world, 7, HOT + 1, 300);
    samples(&world, 7, COOL + 1, 10);
    samples(&world, 8, COOL + 1, 90);
    second_passes(&world);
    query.by = LIVE_PROCESS;
    live_rows_make(&rows, &world.live, &query);
    assert_int_equal(rows.n, 2);
    assert_int_equal(rows.at[0].pid, 7);
    assert_string_equal(rows.at[0].name, "seven");
    assert_string_equal(world.live.code.functions.at[rows.at[0].hottest].readable, "hot");
    assert_true(rows.at[0].share.lo == rows.at[0].share.hi); /* not an estimate */
    live_rows_release(&rows);
    query = functions;
    query.pid = 8;
    live_rows_make(&rows, &world.live, &query);
    assert_string_equal(rows.at[0].name, "cool");
    assert_true(rows.at[0].share.value == 1);
    live_rows_release(&rows);
    world_end(&world);
}

static void callers(void **state)
{
    struct world world;
    struct live_rows rows;
    struct live_query query = functions;
    (void)state;
    world_begin(&world);
    all_named(&world);
    samples(&world, 7, HOT + 1, 30);
    samples(&world, 7, COOL + 1, 70);
    second_passes(&world);
    live_rows_make(&rows, &world.live, &functions);
    query.by = LIVE_CALLER;
    query.function = rows.at[1].function;
    assert_string_equal(rows.at[1].name, "hot");
    live_rows_release(&rows);
    live_rows_make(&rows, &world.live, &query);
    assert_int_equal(rows.n, 1);
    assert_string_equal(rows.at[0].name, "main");
    assert_true(rows.at[0].share.value == 1 && fabs(rows.at[0].seconds - 0.03) < 1e-9);
    live_rows_release(&rows);
    world_end(&world);
}

/* After three seconds the first is forgotten. */
static void window_rolls(void **state)
{
    struct world world;
    struct live_rows rows;
    (void)state;
    world_begin(&world);
    all_named(&world);
    samples(&world, 7, HOT + 1, 100);
    second_passes(&world);
    for (int i = 0; i < 3; i++) {
        samples(&world, 7, COOL + 1, 50);
        second_passes(&world);
    }
    assert_int_equal(world.live.slices.n, 3);
    assert_int_equal(live_sum(&world.live).samples, 150);
    live_rows_make(&rows, &world.live, &functions);
    assert_string_equal(rows.at[0].name, "cool");
    for (size_t i = 0; i < rows.n; i++)
        assert_string_not_equal(rows.at[i].name, "hot");
    live_rows_release(&rows);
    world_end(&world);
}

/* What is named later gets its name. */
static void late_names(void **state)
{
    struct world world;
    struct live_rows rows;
    (void)state;
    world_begin(&world);
    samples(&world, 7, HOT + 1, 10);
    second_passes(&world);
    live_rows_make(&rows, &world.live, &functions);
    assert_string_equal(rows.at[0].name, "[jit]");
    live_rows_release(&rows);
    all_named(&world);
    second_passes(&world);
    live_rows_make(&rows, &world.live, &functions);
    assert_string_equal(rows.at[0].name, "hot");
    live_rows_release(&rows);
    world_end(&world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_function),  cmocka_unit_test(by_process), cmocka_unit_test(callers),
        cmocka_unit_test(window_rolls), cmocka_unit_test(late_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
