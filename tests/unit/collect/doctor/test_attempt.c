/* Attempts: every way in which one can end is told. */
#include "collect/doctor/attempt.h"
#include "collect/doctor/tries.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

static int works(uint64_t *ret_value, const void *with)
{
    *ret_value = *(const uint64_t *)with;
    return 0;
}

static int refused(uint64_t *ret_value, const void *with)
{
    (void)ret_value, (void)with;
    return EACCES;
}

static int silent(uint64_t *ret_value, const void *with)
{
    (void)ret_value, (void)with;
    return ATTEMPT_SILENT;
}

static int dies(uint64_t *ret_value, const void *with)
{
    (void)ret_value, (void)with;
    raise(SIGSYS);
    return 0;
}

static int leaves(uint64_t *ret_value, const void *with)
{
    (void)ret_value, (void)with;
    _exit(3);
}

static void endings(void **state)
{
    (void)state;
    uint64_t with = 42;
    struct attempt_outcome outcome = attempt_run(works, &with);
    assert_int_equal(outcome.result, ATTEMPT_WORKS);
    assert_int_equal(outcome.value, 42);
    outcome = attempt_run(refused, NULL);
    assert_int_equal(outcome.result, ATTEMPT_REFUSED);
    assert_int_equal(outcome.why, EACCES);
    assert_int_equal(attempt_run(silent, NULL).result, ATTEMPT_MUTE);
    outcome = attempt_run(dies, NULL);
    assert_int_equal(outcome.result, ATTEMPT_KILLED);
    assert_int_equal(outcome.why, SIGSYS);
    assert_int_equal(attempt_run(leaves, NULL).result, ATTEMPT_UNTRIED);
}

/* An ignored or blocked signal of the caller's must not look like a clock that does not tick. */
static void signals_are_fresh(void **state)
{
    (void)state;
    sigset_t all, before;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    signal(SIGUSR1, SIG_IGN);
    struct attempt_outcome timer = try_run(TRY_timer);
    signal(SIGUSR1, SIG_DFL);
    sigprocmask(SIG_SETMASK, &before, NULL);
    assert_int_equal(timer.result, ATTEMPT_WORKS);
    assert_true(timer.value > 0 && timer.value < 1000000000);
}

static void no_such_event(void **state)
{
    (void)state;
    struct perf_event_attr attr = {.type = 0x7FFFFFFF, .size = sizeof attr};
    assert_int_not_equal(try_event(&attr, -1).result, ATTEMPT_WORKS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(endings),
        cmocka_unit_test(signals_are_fresh),
        cmocka_unit_test(no_such_event),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
