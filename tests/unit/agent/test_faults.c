/* Page faults: counted as they happen, and deducted from what took place meanwhile. */
#include "agent/base/faults.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <sys/mman.h>

enum { PAGES = 256, BYTES = PAGES * 4096 };

static void counts_what_is_touched(void **state)
{
    (void)state;
    uint8_t *memory = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(memory, MAP_FAILED);
    madvise(memory, BYTES, MADV_NOHUGEPAGE);
    uint64_t before = agent_faults();
    uint64_t ticks = agent_faults_measure(memory, BYTES);
    assert_in_range(agent_faults() - before, PAGES, PAGES + 16);
    assert_in_range(ticks, 100, 1000000);
    before = agent_faults();
    assert_true(agent_faults_measure(memory, BYTES) < ticks);
    assert_in_range(agent_faults() - before, 0, 16);
    munmap(memory, BYTES);
}

static void deducts_no_more_than_there_is(void **state)
{
    (void)state;
    assert_int_equal(agent_faults_deduct(100000, 0, 3000), 100000);
    assert_int_equal(agent_faults_deduct(100000, 10, 3000), 70000);
    assert_int_equal(agent_faults_deduct(100000, 40, 3000), 12500);
    assert_int_equal(agent_faults_deduct(100000, UINT64_MAX, UINT64_MAX), 12500);
    assert_int_equal(agent_faults_deduct(0, 3, 3000), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(counts_what_is_touched),
                                       cmocka_unit_test(deducts_no_more_than_there_is)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
