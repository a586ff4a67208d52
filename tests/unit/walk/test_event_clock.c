#include "walk/count/event_clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

static struct perf_event_mmap_page page;
static uint64_t counters[8]; /* what rdpmc gives */
static int reads, changes;   /* the first `changes` reads are disturbed */

static uint64_t counter_read(uint32_t counter)
{
    assert_true(counter < 8);
    reads++;
    if (changes) { /* the kernel moved the event to the next counter meanwhile */
        changes--;
        page.lock += 2;
        page.index++;
        page.offset += 1000;
        return 0xdead;
    }
    return counters[counter];
}

static void page_set(uint32_t index, int64_t offset, uint16_t width)
{
    memset(&page, 0, sizeof page);
    page.lock = 4;
    page.cap_user_rdpmc = 1;
    page.index = index;
    page.offset = offset;
    page.pmc_width = width;
    reads = changes = 0;
}

static uint64_t count(void)
{
    uint64_t n = 0;
    assert_true(event_page_read(&page, counter_read, &n));
    return n;
}

/* Index n is counter n - 1; the kernel sets counters to a negative number of their width. */
static void a_count_is_offset_and_counter(void **state)
{
    (void)state;
    page_set(3, 100, 48);
    counters[2] = 42;
    assert_int_equal(count(), 142);
    page_set(1, (INT64_C(1) << 47) + 7, 48);
    counters[0] = UINT64_C(1) << 47; /* -2^47 in 48 bits */
    assert_int_equal(count(), 7);
    counters[0]++;
    assert_int_equal(count(), 8);
    page_set(2, 5, 64);
    counters[1] = UINT64_MAX; /* -1 */
    assert_int_equal(count(), 4);
    page_set(2, 0, 40); /* bits above the width are none */
    counters[1] = UINT64_C(0xabc0000000001);
    assert_int_equal(count(), 1);
}

static void it_is_read_again_if_the_kernel_changed_it(void **state)
{
    (void)state;
    page_set(1, 0, 48);
    counters[2] = 9;
    changes = 2;
    assert_int_equal(count(), 2009);
    assert_int_equal(reads, 3);
}

static void nothing_is_made_up(void **state)
{
    uint64_t n = 77;
    (void)state;
    page_set(0, 500, 48); /* on no counter */
    assert_false(event_page_read(&page, counter_read, &n));
    page_set(1, 500, 48);
    page.cap_user_rdpmc = 0;
    assert_false(event_page_read(&page, counter_read, &n));
    page_set(1, 500, 0); /* a kernel that does not say how wide it is */
    assert_false(event_page_read(&page, counter_read, &n));
    page_set(1, 500, 70);
    assert_false(event_page_read(&page, counter_read, &n));
    assert_int_equal(n, 77);
    assert_int_equal(reads, 0);
}

/* 8 counters: one that is moved on for ever runs out of them, so index stays. */
static uint64_t always_moving(uint32_t counter)
{
    (void)counter;
    reads++;
    page.lock++;
    return 1;
}

static void it_ends(void **state)
{
    uint64_t n = 77;
    (void)state;
    page_set(1, 500, 48);
    assert_false(event_page_read(&page, always_moving, &n));
    assert_int_equal(n, 77);
    assert_true(reads < 1000);
}

static void time_does_not_go_back(void **state)
{
    (void)state;
    assert_int_equal(event_clock_since(10, 4), 6);
    assert_int_equal(event_clock_since(4, 10), 0); /* another counter, that begins at 0 */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_count_is_offset_and_counter),
        cmocka_unit_test(it_is_read_again_if_the_kernel_changed_it),
        cmocka_unit_test(nothing_is_made_up),
        cmocka_unit_test(it_ends),
        cmocka_unit_test(time_does_not_go_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
