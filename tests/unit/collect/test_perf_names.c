#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/err.h"
#include "collect/perf/perf_names.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

static struct perf_event_name parse(const char *text)
{
    struct perf_event_name event;
    struct err err;
    if (!perf_name_parse(text, &event, &err))
        fail_msg("%s: %s", text, err.text);
    return event;
}

static void refuse(const char *text)
{
    struct perf_event_name event = {.config = 77};
    struct err err;
    assert_false(perf_name_parse(text, &event, &err));
    assert_int_equal(event.config, 77);
    assert_non_null(strstr(err.text, "-e"));
}

static void names(void **state)
{
    (void)state;
    struct perf_event_name clock = parse("task-clock"), faults = parse("page-faults");
    assert_true(perf_name_is_clock(&clock));
    assert_false(perf_name_is_clock(&faults));
    assert_int_equal(faults.config, PERF_COUNT_SW_PAGE_FAULTS);
    assert_int_equal(parse("cycles").type, PERF_TYPE_HARDWARE);
    for (size_t i = 0; perf_name_known(i); i++)
        parse(perf_name_known(i));
}

static void modifiers(void **state)
{
    (void)state;
    struct perf_event_name user = parse("cycles:u"), kernel = parse("cycles:k"),
                           both = parse("cycles:uk");
    assert_true(user.exclude_kernel && !user.exclude_user);
    assert_true(kernel.exclude_user && !kernel.exclude_kernel);
    assert_true(!both.exclude_user && !both.exclude_kernel);
    assert_string_equal(user.text, "cycles:u");
    refuse("cycles:x");
    refuse("cycles:");
}

/* The numbers are those of the kernel's ABI: cache | operation << 8 | result << 16. */
static void caches(void **state)
{
    (void)state;
    assert_int_equal(parse("L1-dcache-load-misses").type, PERF_TYPE_HW_CACHE);
    assert_int_equal(parse("L1-dcache-load-misses").config, 0x10000);
    assert_int_equal(parse("L1-dcache-loads").config, 0);
    assert_int_equal(parse("LLC-store-misses").config, 0x10102);
    assert_int_equal(parse("dTLB-load-misses").config, 0x10003);
    assert_int_equal(parse("iTLB-loads").config, 0x4);
    assert_int_equal(parse("LLC-prefetches").config, 0x202);
    refuse("L1-dcache-walks");
    refuse("L1-dcache-");
}

static void raw(void **state)
{
    (void)state;
    assert_int_equal(parse("r01c2").config, 0x1c2);
    assert_int_equal(parse("r01c2:u").type, PERF_TYPE_RAW);
    refuse("r");
    refuse("rxyz");
    refuse("r11112222333344445");
}

static void unknown(void **state)
{
    (void)state;
    refuse("");
    refuse("no-such-event");
    refuse("no:such");
    refuse("../../etc:passwd");
    refuse("no-such-pmu/event=1/");
    refuse("/event=1/");
    refuse("../x/event=1/");
    char *longer = test_malloc(1000);
    memset(longer, 'a', 999);
    longer[999] = 0;
    refuse(longer);
    test_free(longer);
}

/* Commas between the slashes of a PMU are its own. */
static void lists(void **state)
{
    (void)state;
    struct err err;
    char name[PERF_NAME_ROOM];
    const char *list = "cpu-clock:u,cpu/event=0x3c,umask=0/u,sched:sched_switch";
    assert_true(perf_name_next(&list, name, &err));
    assert_string_equal(name, "cpu-clock:u");
    assert_true(perf_name_next(&list, name, &err));
    assert_string_equal(name, "cpu/event=0x3c,umask=0/u");
    assert_true(perf_name_next(&list, name, &err));
    assert_string_equal(name, "sched:sched_switch");
    assert_string_equal(list, "");
    static const char *const wrong[] = {"", ",cpu-clock", "cpu-clock,"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(perf_name_next(&(const char *){wrong[i]}, name, &err));
}

static bool shares(const char *a, const char *b)
{
    struct perf_event_name one, other;
    struct err err;
    assert_true(perf_name_parse(a, &one, &err) && perf_name_parse(b, &other, &err));
    assert_int_equal(perf_name_shares(&one, &other), perf_name_shares(&other, &one));
    return perf_name_shares(&one, &other);
}

/* Clocks and hardware interrupt each by itself. */
static void sharing(void **state)
{
    (void)state;
    assert_true(shares("page-faults", "faults"));
    assert_true(shares("cs", "context-switches:k"));
    assert_true(shares("page-faults:u", "faults:u"));
    assert_false(shares("page-faults:u", "page-faults:k"));
    assert_false(shares("page-faults", "minor-faults"));
    assert_false(shares("cpu-clock", "cpu-clock:u"));
    assert_false(shares("cycles", "cpu-cycles:u"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(names),   cmocka_unit_test(modifiers),
                                       cmocka_unit_test(caches),  cmocka_unit_test(raw),
                                       cmocka_unit_test(unknown), cmocka_unit_test(lists),
                                       cmocka_unit_test(sharing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
