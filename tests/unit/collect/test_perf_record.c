#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "collect/perf/perf_record.h"
#include "records.h"

static const uint64_t chain[] = {0xffffffff81000010, 0xffffffff81000020, 0};

static void sample_in_kernel(void **state)
{
    (void)state;
    struct record record;
    struct perf_sample sample;
    const struct perf_event_header *head =
        record_sample(&record, 10, 11, 0x401000, 1000003, chain, 99);
    assert_true(perf_record_sample(head, true, true, &sample));
    assert_true(sample.in_kernel && sample.has_registers);
    assert_int_equal(sample.ids.pid, 10);
    assert_int_equal(sample.ids.tid, 11);
    assert_int_equal(sample.ids.time_ns, 99);
    assert_int_equal(sample.ids.cpu, RECORD_CPU);
    assert_int_equal(sample.ids.event, RECORD_EVENT);
    assert_int_equal(perf_record_time(head), 99);
    assert_int_equal(sample.period, 1000003);
    assert_int_equal(sample.n_chain, 3);
    assert_true(sample.chain[0] == PERF_CONTEXT_KERNEL && sample.chain[1] == chain[0]);
    assert_int_equal(sample.registers[8], 0x401000);
    assert_int_equal(sample.stack_bytes, 64);
}

/* Cut anywhere, a sample is refused or is the whole one: nothing behind its end is read. */
static void sample_cut(void **state)
{
    (void)state;
    struct record record;
    record_sample(&record, 10, 11, 0x401000, 1000003, chain, 99);
    size_t whole = record.n;
    for (size_t n = sizeof(struct perf_event_header); n < whole; n++) {
        struct perf_sample sample;
        uint8_t *copy = test_malloc(n);
        memcpy(copy, record.bytes, n);
        struct perf_event_header *head = (struct perf_event_header *)(void *)copy;
        head->size = (uint16_t)n;
        assert_false(perf_record_sample(head, true, true, &sample));
        perf_record_time(head);
        test_free(copy);
    }
}

/* The kernel says how much of the room it filled; more than there is cannot be. */
static void stack_sizes(void **state)
{
    (void)state;
    struct record record;
    struct perf_sample sample;
    uint64_t size = 24;
    record_sample(&record, 1, 1, 0x401000, 1, NULL, 1);
    memcpy(record.bytes + record.n - 8, &size, sizeof size);
    assert_true(perf_record_sample(record_end(&record), true, true, &sample));
    assert_int_equal(sample.stack_bytes, 24);
    assert_false(sample.stack_full);
    size = 1u << 30;
    memcpy(record.bytes + record.n - 8, &size, sizeof size);
    assert_true(perf_record_sample(record_end(&record), true, true, &sample));
    assert_int_equal(sample.stack_bytes, 64);
    assert_true(sample.stack_full);
}

static void mapping(void **state)
{
    (void)state;
    struct record record;
    struct perf_mapping mapping;
    const struct perf_event_header *head =
        record_mapping(&record, 7, 0x1000, 0x2000, 0x3000, "/usr/bin/x", 5);
    assert_true(perf_record_mapping(head, &mapping));
    assert_int_equal(mapping.ids.pid, 7);
    assert_int_equal(mapping.start, 0x1000);
    assert_int_equal(mapping.bytes, 0x2000);
    assert_int_equal(mapping.offset, 0x3000);
    assert_string_equal(mapping.path, "/usr/bin/x");
    assert_int_equal(perf_record_time(head), 5);
    /* A path without an end is no path. */
    memset(record.bytes + record.n - 40, 'x', 16);
    assert_false(perf_record_mapping(head, &mapping));
}

static void others(void **state)
{
    (void)state;
    struct record record;
    struct perf_task task;
    struct perf_name name;
    struct perf_ids ids;
    assert_true(perf_record_task(record_task(&record, PERF_RECORD_FORK, 2, 1, 4, 3, 77), &task));
    assert_int_equal(task.pid, 2);
    assert_int_equal(task.parent_pid, 1);
    assert_int_equal(task.tid, 4);
    assert_int_equal(task.parent_tid, 3);
    assert_int_equal(task.ids.time_ns, 77);
    assert_true(perf_record_name(record_name(&record, 2, 3, "worker", 1, 8), &name));
    assert_true(name.exec);
    assert_string_equal(name.name, "worker");
    assert_true(perf_record_ids(record_switch(&record, 2, 3, 1, 9), &ids));
    assert_int_equal(ids.tid, 3);
    assert_int_equal(ids.event, RECORD_EVENT);
    assert_int_equal(ids.cpu, RECORD_CPU);
    record_begin(&record, PERF_RECORD_LOST, 0);
    record_u64(&record, 1);
    record_u64(&record, 42);
    assert_int_equal(perf_record_lost(record_ids(&record, 1, 1, 1)), 42);
    record_begin(&record, PERF_RECORD_LOST, 0);
    assert_int_equal(perf_record_lost(record_end(&record)), 0);
    assert_int_equal(perf_record_time(record_end(&record)), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sample_in_kernel),
                                       cmocka_unit_test(sample_cut), cmocka_unit_test(stack_sizes),
                                       cmocka_unit_test(mapping), cmocka_unit_test(others)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
