/* The agent's low numbers and the program's dup2 keep out of each other's way, and neither waits
 * for ever. */
#include "agent/base/descriptor.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static double program_waits(void)
{
    double start = seconds();
    descriptor_program_begin();
    descriptor_program_end();
    return seconds() - start;
}

/* The least of several: any of them may lose its CPU. */
static double program_waits_at_least(void)
{
    double least = 1e9;
    for (int i = 0; i < 5; i++) {
        double wait = program_waits();
        least = wait < least ? wait : least;
    }
    return least;
}

/* A process that shared our memory was killed while it held a low number: one wait is in vain,
 * later ones are not. A wait in vain sleeps 2,000 times 50 us. */
static void test_lost(void **state)
{
    const double vain = 0.1;
    (void)state;
    descriptor_low_begin();
    assert_true(program_waits() > vain);
    assert_true(program_waits_at_least() < vain / 2);
    descriptor_low_end(); /* it did go on */
    descriptor_low_begin();
    assert_true(program_waits() > vain);
    descriptor_low_end();
    assert_true(program_waits_at_least() < vain / 2);
}

/* The agent opens files inside a fork of the thread that forks: it does not wait for itself. */
static void test_own(void **state)
{
    double least = 1e9;
    (void)state;
    descriptor_program_begin();
    for (int i = 0; i < 5; i++) {
        double start = seconds();
        descriptor_shut(descriptor_open(AT_FDCWD, "/proc/self/status", O_RDONLY));
        double took = seconds() - start;
        least = took < least ? took : least;
    }
    descriptor_program_end();
    assert_true(least < 50 * 50e-6); /* the pauses of one wait */
}

static atomic_bool stop;
static atomic_int holders, meetings;

/* As one thread after the other that begins and ends: a low number is held nearly all the time. */
static void *hold(void *unused)
{
    while (!stop) {
        long fd = descriptor_open(AT_FDCWD, "/proc/self/status", O_RDONLY);
        holders++;
        for (volatile unsigned i = 0; i < 20000; i++)
            ;
        holders--;
        descriptor_shut(fd);
    }
    return unused;
}

static void test_crowd(void **state)
{
    enum { HOLDERS = 4, DUPS = 200 };
    pthread_t threads[HOLDERS];
    (void)state;
    for (int i = 0; i < HOLDERS; i++)
        pthread_create(&threads[i], NULL, hold, NULL);
    for (int i = 0; i < DUPS; i++) {
        descriptor_program_begin();
        meetings += holders != 0;
        descriptor_program_end();
    }
    stop = true;
    for (int i = 0; i < HOLDERS; i++)
        pthread_join(threads[i], NULL);
    assert_true(meetings <= 2); /* a dup2 that loses its CPU in the middle is not waited for */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_lost), cmocka_unit_test(test_own),
                                       cmocka_unit_test(test_crowd)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
