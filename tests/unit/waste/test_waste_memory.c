#include "waste/waste_memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static struct {
    uint32_t n[WASTE_KINDS];
    struct waste_found last;
} seen;

static void note(void *of, const struct waste_found *found)
{
    (void)of;
    seen.n[found->kind]++;
    seen.last = *found;
}

static struct waste_listener listener = {note, NULL};
static struct waste_events events;
static struct waste_memory memory;
static uint64_t position;

static int begin(void **state)
{
    (void)state;
    memset(&seen, 0, sizeof seen);
    position = 0;
    waste_memory_init(&memory, &events, &listener);
    return 0;
}

static int end(void **state)
{
    (void)state;
    waste_memory_release(&memory);
    vec_release(&events);
    vec_release(&events.free);
    return 0;
}

static struct waste_access access_at(uint32_t code, uint64_t address, uint64_t bytes,
                                     const void *value)
{
    return (struct waste_access){.site = {code, WASTE_NOWHERE},
                                 .position = ++position,
                                 .address = address,
                                 .bytes = bytes,
                                 .value = value};
}

static void store(uint32_t code, uint64_t address, uint64_t bytes, const void *value)
{
    struct waste_access access = access_at(code, address, bytes, value);
    waste_memory_store(&memory, &access);
}

static void load(uint32_t code, uint64_t address, uint64_t bytes, const void *value)
{
    struct waste_access access = access_at(code, address, bytes, value);
    waste_memory_load(&memory, &access);
}

static uint32_t all(void)
{
    uint32_t n = 0;
    for (int i = 0; i < WASTE_KINDS; i++)
        n += seen.n[i];
    return n;
}

/* Every byte must be overwritten, by whomever, and none read. */
static void overlaps(void **state)
{
    (void)state;
    store(1, 0x1004, 8, NULL); /* across two grains */
    store(2, 0x1004, 4, NULL);
    assert_int_equal(all(), 0);
    store(3, 0x1008, 4, NULL);
    assert_int_equal(seen.n[WASTE_DEAD_STORE], 1);
    assert_int_equal(seen.last.first.code, 1);
    assert_int_equal(seen.last.second.code, 3);
    assert_int_equal(seen.last.distance, 2);
    assert_int_equal(seen.last.bytes, 8);
    store(4, 0x2000, 8, NULL);
    load(5, 0x2007, 1, NULL);
    store(6, 0x2000, 8, NULL);
    assert_int_equal(all(), 1);
}

static void large(void **state)
{
    (void)state;
    store(1, 0x1001, 64, NULL);
    store(2, 0x1000, 66, NULL);
    assert_int_equal(seen.n[WASTE_DEAD_STORE], 1);
    load(3, 0x1002, 32, NULL);
    load(4, 0x1003, 16, NULL);
    assert_int_equal(seen.n[WASTE_REDUNDANT_LOAD], 1);
    load(5, 0x1002, 17, NULL); /* got by two different loads */
    assert_int_equal(seen.n[WASTE_REDUNDANT_LOAD], 1);
}

static void loads(void **state)
{
    (void)state;
    const uint64_t one = 1, two = 2;
    load(1, 0x1000, 8, &one);
    load(2, 0x1000, 8, &one);
    assert_int_equal(seen.n[WASTE_REDUNDANT_LOAD], 1);
    load(3, 0x1000, 8, &two); /* somebody else has written */
    assert_int_equal(seen.n[WASTE_REDUNDANT_LOAD], 1);
    load(4, 0x1000, 8, &two);
    assert_int_equal(seen.n[WASTE_REDUNDANT_LOAD], 2);
    assert_int_equal(seen.last.first.code, 3);
    store(5, 0x1000, 1, NULL);
    load(6, 0x1000, 8, NULL);
    assert_int_equal(all(), 2);
}

static void silent(void **state)
{
    (void)state;
    const uint64_t one = 1, two = 2;
    load(1, 0x1000, 8, &one);
    store(2, 0x1000, 8, &one);
    assert_int_equal(seen.n[WASTE_SILENT_STORE], 1);
    assert_int_equal(seen.last.first.code, 1);
    load(3, 0x1000, 8, &one);
    store(4, 0x1000, 8, &two);
    load(5, 0x1000, 4, &two);
    store(6, 0x1000, 4, &two);
    assert_int_equal(seen.n[WASTE_SILENT_STORE], 2);
    assert_int_equal(seen.last.first.code, 4);
    load(7, 0x1000, 8, &two);
    store(8, 0x1000, 8, NULL); /* what, is not known */
    assert_int_equal(all(), 2);
    store(9, 0x1000, 8, &two); /* ends a dead one: no second piece of waste */
    store(10, 0x1000, 8, &two);
    assert_int_equal(seen.n[WASTE_SILENT_STORE], 2);
    assert_int_equal(seen.n[WASTE_DEAD_STORE], 2);
}

/* What others may read is not dead, and what they may have written is not known. */
static void others(void **state)
{
    (void)state;
    const uint64_t one = 1;
    struct waste_access access = access_at(1, 0x1000, 8, &one);
    access.quiet = true;
    waste_memory_store(&memory, &access);
    store(2, 0x1000, 8, &one);
    access = access_at(3, 0x1000, 8, &one);
    access.quiet = true;
    waste_memory_load(&memory, &access);
    waste_memory_store(&memory, &access);
    load(4, 0x1000, 8, &one);
    assert_int_equal(all(), 0);
    access = access_at(5, 0x2000, 8, NULL);
    access.shared = true;
    waste_memory_store(&memory, &access);
    store(6, 0x2000, 8, NULL);
    assert_int_equal(all(), 0);
    store(7, 0x3000, 8, &one);
    load(8, 0x3000, 8, &one);
    waste_memory_forget(&memory);
    waste_events_clear(&events);
    load(9, 0x3000, 8, &one);
    store(10, 0x3000, 8, NULL);
    assert_int_equal(all(), 0);
}

/* Events are used again: there are never more than bytes that are known. */
static void many(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 100000; i++) {
        store(1, 0x1000 + i % 64, 8, NULL);
        load(2, 0x1000 + i % 32, 4, NULL);
    }
    assert_true(events.n < 300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(overlaps, begin, end),
        cmocka_unit_test_setup_teardown(large, begin, end),
        cmocka_unit_test_setup_teardown(loads, begin, end),
        cmocka_unit_test_setup_teardown(silent, begin, end),
        cmocka_unit_test_setup_teardown(others, begin, end),
        cmocka_unit_test_setup_teardown(many, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
