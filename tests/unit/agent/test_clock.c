/* The rate of the time stamp counter is known from the first moment on, whatever takes the CPU away
 * in the middle of measuring it. */
#include "agent/base/clock.h"

#include "agent/base/process.h"
#include "walk/base/sys.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

enum { ROUNDS = 500, EVERY_US = 250, AWAY_NS = 100000 };

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void on_alarm(int signal)
{
    (void)signal;
    for (uint64_t end = now_ns() + AWAY_NS; now_ns() < end;)
        continue;
}

static int by_size(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

static void interruptions_do_not_change_the_rate(void **state)
{
    (void)state;
    static struct channel channel;
    static struct directory directory;
    static uint64_t rates[ROUNDS];
    const struct itimerval often = {{0, EVERY_US}, {0, EVERY_US}};
    agent.channel = &channel;
    agent.directory = &directory;
    signal(SIGALRM, on_alarm);
    setitimer(ITIMER_REAL, &often, NULL);
    for (int i = 0; i < ROUNDS; i++) {
        directory.calibration.tsc_hz = 0; /* no other process has measured it */
        agent_clock_start();
        agent_clock_spin();
        rates[i] = channel.tsc_hz;
    }
    setitimer(ITIMER_REAL, &(struct itimerval){0}, NULL);
    qsort(rates, ROUNDS, sizeof *rates, by_size);
    uint64_t usual = rates[ROUNDS / 2];
    assert_in_range(rates[0], usual - usual / 20, usual);
    assert_in_range(rates[ROUNDS - 1], usual, usual + usual / 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(interruptions_do_not_change_the_rate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
