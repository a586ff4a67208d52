/* Caches and TLBs alone, asked line by line. */
#include "model/core/hierarchy.h"

#include <stddef.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include "base/err.h"
#include "model/core/core.h"
#include "model/core/lru.h"

enum { PAGE = 4096, LINE = 64, FAR = 1 << 20 };

static struct model model;

static int setup(void **state)
{
    struct err err;
    *state = NULL;
    return model_open("zen4", &model, &err) ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    model_release(&model);
    return 0;
}

static uint64_t ask(struct hierarchy *hierarchy, uint64_t address, uint64_t time, uint32_t *events)
{
    *events = 0;
    struct hierarchy_access access = {address, address, 8, time};
    return hierarchy_data(hierarchy, &access, 0, events) - time;
}

/* The longest of the loads of so many pages, gone through in order for the third time. */
static uint64_t slowest_of_pages(uint64_t n)
{
    struct hierarchy *hierarchy = hierarchy_make(&model);
    uint64_t slowest = 0, time = 0;
    uint32_t events;
    for (uint64_t i = 0; i < 3 * n; i++, time += FAR) {
        uint64_t took = ask(hierarchy, i % n * PAGE + i % n * LINE % PAGE, time, &events);
        slowest = i >= 2 * n && took > slowest ? took : slowest;
    }
    hierarchy_free(hierarchy);
    return slowest;
}

/* 3072 is no power of two: one page more than there are entries in a set is one that is forgotten.
 */
static void a_tlb_has_its_entries(void **state)
{
    (void)state;
    model.l3_cycles = model.l2_cycles = model.walk_tables = 0;
    assert_int_equal(slowest_of_pages(72), 0);
    assert_int_equal(slowest_of_pages(96), model.l2tlb_cycles);
    assert_int_equal(slowest_of_pages(3072), model.l2tlb_cycles);
    assert_int_equal(slowest_of_pages(3584), model.walk_cycles);
}

/* The second of two walks, for a page next to the first or far from it. */
static uint64_t second_walk(uint64_t page)
{
    struct hierarchy *hierarchy = hierarchy_make(&model);
    uint32_t events;
    hierarchy_place(hierarchy, page * PAGE + LINE, 1);
    ask(hierarchy, 0, 0, &events);
    uint64_t took = ask(hierarchy, page * PAGE + LINE, FAR, &events);
    hierarchy_free(hierarchy);
    return took;
}

/* Pages that are neighbours share a line of the first table. The line of the second comes from
 * memory. */
static void walks_read_tables(void **state)
{
    (void)state;
    model.walk_tables = 0;
    assert_int_equal(second_walk(1), model.walk_cycles);
    model.walk_tables = 1;
    assert_int_equal(second_walk(1), model.walk_cycles);
    assert_int_equal(second_walk(100), model.walk_cycles + model.memory_cycles);
    model.walk_tables = 2;
    assert_int_equal(second_walk(1), model.walk_cycles + model.memory_cycles);
}

/* How many of 4096 lines that were left for so long have to come from memory. */
static uint32_t gone_after(uint64_t cycles)
{
    enum { LINES = 4096 };
    struct hierarchy *hierarchy = hierarchy_make(&model);
    uint32_t events, gone = 0;
    for (uint64_t i = 0; i < LINES; i++)
        hierarchy_place(hierarchy, i * LINE, 3);
    for (uint64_t i = 0; i < LINES; i++) {
        ask(hierarchy, i * 17 % LINES * LINE, cycles, &events);
        gone += events & CORE_L3_MISS ? 1 : 0;
    }
    hierarchy_free(hierarchy);
    return gone;
}

static void others_use_the_third_level(void **state)
{
    (void)state;
    model.prefetch_lines = 0;
    assert_int_equal(gone_after(1000000000), 0);
    model.l3_stays = 1000000;
    assert_true(gone_after(1000) < 41);
    assert_in_range(gone_after(1000000), 1850, 2250);
    assert_int_equal(gone_after(3000000), 4096);
}

/* What is used in the second level is as new in the third when it leaves for it. */
static void what_leaves_the_second_level_is_new(void **state)
{
    (void)state;
    struct hierarchy *hierarchy = hierarchy_make(&model);
    uint32_t events;
    model.l3_stays = 1000000;
    model.prefetch_lines = 0;
    ask(hierarchy, 0, 0, &events);
    uint64_t time = 10000000, set = (uint64_t)model.l2_kib * 1024 / model.l2_ways;
    for (uint64_t i = 1; i <= model.l2_ways; i++)
        ask(hierarchy, i * set, time, &events);
    ask(hierarchy, 0, time + 1000, &events);
    assert_true(events & CORE_L2_MISS);
    assert_false(events & CORE_L3_MISS);
    hierarchy_free(hierarchy);
}

/* As a plain copy of all of it would be: what was put, dropped or only in the other before. */
static void a_copy_forgets_nothing(void **state)
{
    enum { ENTRIES = 4096, WAYS = 4 };
    struct lru from, to;
    (void)state;
    lru_init(&from, ENTRIES, WAYS);
    lru_init(&to, ENTRIES, WAYS);
    for (uint64_t i = 0; i < 3; i++) {
        lru_put(&from, i * 300, i)->name = (uint32_t)i + 7;
        lru_put(&to, 500 + i, i);
    }
    lru_put(&from, 1023, 9);
    for (int turn = 0; turn < 2; turn++) {
        size_t n = (size_t)from.sets * from.ways;
        lru_copy(&to, &from);
        assert_int_equal(to.clock, from.clock);
        assert_memory_equal(to.numbers, from.numbers, n * sizeof *from.numbers);
        assert_memory_equal(to.used, from.used, n * sizeof *from.used);
        assert_memory_equal(to.entries, from.entries, n * sizeof *from.entries);
        assert_null(lru_find(&to, 501));
        assert_int_equal(lru_find(&to, 600)->name, 9);
        lru_put(&to, 777, 1);
        lru_drop(&from, 300);
    }
    lru_release(&from);
    lru_release(&to);
}

static void streams_go_on_in_the_next_page(void **state)
{
    (void)state;
    struct hierarchy *hierarchy = hierarchy_make(&model);
    uint32_t events;
    for (uint64_t i = 0; i < 256; i++) {
        ask(hierarchy, i * LINE, i * FAR, &events);
        assert_int_equal(events & CORE_L1D_MISS ? 1 : 0, i < 2);
    }
    hierarchy_free(hierarchy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_tlb_has_its_entries, setup, teardown),
        cmocka_unit_test_setup_teardown(walks_read_tables, setup, teardown),
        cmocka_unit_test_setup_teardown(others_use_the_third_level, setup, teardown),
        cmocka_unit_test_setup_teardown(what_leaves_the_second_level_is_new, setup, teardown),
        cmocka_unit_test_setup_teardown(a_copy_forgets_nothing, setup, teardown),
        cmocka_unit_test_setup_teardown(streams_go_on_in_the_next_page, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
