#include "waste/waste_rows.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { LENGTH = 800, WEIGHT = 1000 };

static struct waste_blocks blocks;
static struct batch batch;
static struct waste_rows rows;

static int begin(void **state)
{
    (void)state;
    waste_blocks_init(&blocks, NULL);
    batch_init(&batch);
    waste_rows_init(&rows, &blocks, &batch, WASTE_ROWS);
    rows.weight = WEIGHT;
    rows.length = LENGTH;
    for (uint32_t i = 0; i < 3; i++) {
        *vec_push(&blocks.looked) = (struct waste_looked){0};
        *vec_push(&blocks.code) =
            (struct waste_instruction){.at = {0, {0x10 + i}}, .place = i, .executed = 10};
        *vec_push(&blocks.met) = i;
    }
    return 0;
}

static int end(void **state)
{
    (void)state;
    waste_blocks_release(&blocks);
    batch_release(&batch);
    return 0;
}

static void found(enum waste_kind kind, uint64_t distance)
{
    struct waste_found one = {.kind = kind,
                              .first = {0, WASTE_NOWHERE},
                              .second = {1, 2},
                              .distance = distance,
                              .bytes = 8};
    rows.listener.found(rows.listener.of, &one);
}

static uint64_t count(uint64_t kind, uint64_t first, uint64_t second, uint64_t caller)
{
    struct waste_key key = {.first_caller_module = MODULE_NONE,
                            .second_caller_module = caller ? 0 : MODULE_NONE,
                            .first = {first},
                            .second = {second},
                            .second_caller = {caller},
                            .kind = kind};
    uint32_t index = map_find(&batch.waste.keys, &key);
    return index == MAP_NONE ? 0 : batch.waste.cells.at[index].count;
}

/* What a window holds only if it begins early enough counts as often as it is missed. */
static void survival(void **state)
{
    (void)state;
    const uint64_t next = 1 << WASTE_CLASS_SHIFT;
    found(WASTE_DEAD_STORE, 0);
    assert_int_equal(count(WASTE_DEAD_STORE, 0x10, 0x11, 0x12), WEIGHT);
    found(WASTE_DEAD_STORE, LENGTH / 2);
    assert_int_equal(count(WASTE_DEAD_STORE | next, 0x10, 0x11, 0x12), 2 * WEIGHT);
    found(WASTE_DEAD_STORE, LENGTH * 3 / 4);
    assert_int_equal(count(WASTE_DEAD_STORE | next, 0x10, 0x11, 0x12), 6 * WEIGHT);
    found(WASTE_DEAD_STORE, LENGTH * 15 / 16);
    assert_int_equal(count(WASTE_DEAD_STORE | next, 0x10, 0x11, 0x12), 6 * WEIGHT);
    rows.length = 0; /* a trace holds all */
    found(WASTE_DEAD_STORE, LENGTH * 15 / 16);
    assert_int_equal(count(WASTE_DEAD_STORE | next, 0x10, 0x11, 0x12), 7 * WEIGHT);
}

/* Executions of a place count from the first window on, whenever waste is first found there, and
 * those of all of its numbers. */
static void executions(void **state)
{
    (void)state;
    blocks.code.at[2].place = 1, blocks.code.at[2].at = blocks.code.at[1].at;
    waste_rows_window(&rows);
    assert_int_equal(count(WASTE_ALL, 0, 0, 0), 30 * WEIGHT);
    assert_int_equal(count(WASTE_LOOKED, 0x11, 0x11, 0), 0);
    found(WASTE_SILENT_STORE, 1); /* the second is wasted */
    blocks.code.at[2].executed = 5;
    *vec_push(&blocks.met) = 2;
    waste_rows_window(&rows);
    assert_int_equal(count(WASTE_LOOKED, 0x11, 0x11, 0), 25 * WEIGHT);
    assert_int_equal(count(WASTE_LOOKED, 0x10, 0x10, 0), 0);
    assert_int_equal(count(WASTE_ALL, 0, 0, 0), 35 * WEIGHT);
}

/* Where there are too many rows, pairs come without callers, then not at all; but what was looked
 * at is always there. */
static void crowded(void **state)
{
    (void)state;
    const uint64_t next = 1 << WASTE_CLASS_SHIFT;
    rows.length = 0;
    rows.most = 2;
    found(WASTE_DEAD_STORE, 0);
    found(WASTE_SILENT_STORE, 0);
    found(WASTE_REDUNDANT_LOAD, 0);
    assert_int_equal(count(WASTE_SILENT_STORE, 0x10, 0x11, 0x12), WEIGHT);
    assert_int_equal(count(WASTE_REDUNDANT_LOAD, 0x10, 0x11, 0x12), 0);
    assert_int_equal(count(WASTE_REDUNDANT_LOAD, 0x10, 0x11, 0), WEIGHT);
    assert_int_equal(rows.crowded, 0);
    found(WASTE_SAME_CALL, 100);
    assert_int_equal(count(WASTE_SAME_CALL | next, 0x10, 0x11, 0), 0);
    assert_int_equal(rows.crowded, 1);
    found(WASTE_DEAD_STORE, 0);
    assert_int_equal(count(WASTE_DEAD_STORE, 0x10, 0x11, 0x12), 2 * WEIGHT);
    waste_rows_window(&rows);
    assert_int_equal(count(WASTE_ALL, 0, 0, 0), 30 * WEIGHT);
    assert_int_equal(rows.crowded, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(survival, begin, end),
        cmocka_unit_test_setup_teardown(executions, begin, end),
        cmocka_unit_test_setup_teardown(crowded, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
