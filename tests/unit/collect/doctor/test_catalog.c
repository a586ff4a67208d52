/* The catalogue of events: names are complete and in order, on machines that are folders. */
#include "collect/doctor/catalog.h"
#include "collect/perf/perf_names.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static bool has(const struct catalog *catalog, const char *name, size_t *ret_at)
{
    for (*ret_at = 0; *ret_at < catalog->n; ++*ret_at)
        if (!strcmp(catalog->at[*ret_at].name, name))
            return true;
    *ret_at = 0;
    return false;
}

static void no_machine(void **state)
{
    (void)state;
    struct catalog catalog;
    catalog_make(&catalog, "/no/such/folder");
    size_t known = 0;
    while (perf_name_known(known))
        known++;
    assert_int_equal(catalog.n, known + 4 * 6 + 4 + 2 + 2);
    for (size_t i = 0; i < known; i++)
        assert_string_equal(catalog.at[i].name, perf_name_known(i));
    size_t at;
    assert_true(has(&catalog, "LLC-store-misses", &at));
    assert_string_equal(catalog.at[at].source, "cache");
    assert_int_equal(catalog.tracepoints_errno, ENOENT);
    catalog_release(&catalog);
}

static void folders(void **state)
{
    (void)state;
    char root[] = "/tmp/gait-catalog-XXXXXX", command[600];
    assert_non_null(mkdtemp(root));
    snprintf(command, sizeof command,
             "cd '%s' && mkdir -p sys/bus/event_source/devices/zz/events "
             "sys/bus/event_source/devices/uncore/events sys/bus/event_source/devices/none "
             "sys/kernel/tracing/events/sched/a sys/kernel/tracing/events/sched/b && "
             "touch sys/bus/event_source/devices/zz/events/one "
             "sys/bus/event_source/devices/zz/events/one.scale "
             "sys/bus/event_source/devices/uncore/events/reads "
             "sys/kernel/tracing/events/sched/a/id sys/kernel/tracing/events/sched/enable && "
             "echo 2-3 >sys/bus/event_source/devices/uncore/cpumask",
             root);
    assert_int_equal(system(command), 0);
    struct catalog catalog;
    catalog_make(&catalog, root);
    snprintf(command, sizeof command, "rm -r '%s'", root);
    assert_int_equal(system(command), 0);
    size_t one, reads, at;
    assert_true(has(&catalog, "zz/one/", &one));
    assert_string_equal(catalog.at[one].source, "zz");
    assert_false(catalog.at[one].everybody);
    assert_int_not_equal(catalog.at[one].outcome.result, ATTEMPT_WORKS); /* there is no zz here */
    assert_false(has(&catalog, "zz/one.scale/", &at));
    assert_true(has(&catalog, "uncore/reads/", &reads));
    assert_true(catalog.at[reads].everybody);
    assert_true(reads < one); /* by name */
    assert_int_equal(catalog.tracepoints, 1);
    assert_int_equal(catalog.tracepoints_errno, 0);
    catalog_release(&catalog);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_machine),
        cmocka_unit_test(folders),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
