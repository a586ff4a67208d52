#include "collect/windows/crew.h"

#include "profile/profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { MS = 1000000 };

static uint64_t weight(struct crew *crew, int32_t tid, uint64_t pc, uint64_t cpu_ns,
                       uint32_t period)
{
    struct event_walk walk = {.tid = tid, .pc = pc, .cpu_ns = cpu_ns, .period_ns = period};
    return crew_sample(crew, &walk).weight_ns;
}

static void samples_stand_for_the_time_of_their_thread(void **state)
{
    (void)state;
    struct crew crew;
    crew_init(&crew, true);
    assert_int_equal(weight(&crew, 1, 9, 3 * MS, 0), 3 * MS);
    assert_int_equal(weight(&crew, 2, 9, 700 * MS, 0), CREW_FIRST_NS); /* a delay is over */
    assert_int_equal(weight(&crew, 1, 0, 5 * MS, 0), 2 * MS);          /* in the kernel */
    assert_int_equal(weight(&crew, 1, 9, 9 * MS, 0), 4 * MS);
    assert_int_equal(weight(&crew, 2, 9, 701 * MS, 0), MS);
    assert_int_equal(weight(&crew, 2, 9, UINT64_MAX, 0), CREW_MOST_NS);
    assert_int_equal(weight(&crew, 1, 9, 9 * MS, 0), 0);
    assert_int_equal(weight(&crew, 1, 9, 2 * MS, 0), 2 * MS); /* another of that number */
    crew_release(&crew);
}

/* The kernel's time is between two samples of a trigger that passes over it. */
static void a_period_is_believed(void **state)
{
    (void)state;
    struct crew crew;
    crew_init(&crew, true);
    assert_int_equal(weight(&crew, 1, 9, 300 * MS, 2 * MS), 2 * MS);
    assert_int_equal(weight(&crew, 1, 9, 350 * MS, 2 * MS), 2 * MS);
    assert_int_equal(weight(&crew, 1, 9, 360 * MS, UINT32_MAX), CREW_MOST_NS);
    crew_release(&crew);
}

/* It stands for a part of what its walk's first window began, and adds no time. */
static void a_further_window_is_of_the_sample_before(void **state)
{
    (void)state;
    struct crew crew;
    crew_init(&crew, true);
    const struct event_walk further = {.tid = 1, .pc = 9, .cpu_ns = 3 * MS, .flags = WALK_FURTHER};
    assert_int_equal(weight(&crew, 1, 9, 3 * MS, 0), 3 * MS);
    struct crew_sample sample = crew_sample(&crew, &further);
    assert_int_equal(sample.weight_ns, 3 * MS);
    assert_int_equal(sample.since_ns, 0);
    assert_int_equal(crew.at[0].user_ns, 3 * MS);
    assert_int_equal(weight(&crew, 1, 9, 5 * MS, 0), 2 * MS);
    crew_release(&crew);
}

static struct wire_thread slot(int32_t tid, uint64_t start_tsc, uint64_t ran_ns, const char *name)
{
    struct wire_thread thread = {
        .tid = tid, .start_tsc = start_tsc, .start_cpu_ns = 50, .end_cpu_ns = 50 + ran_ns};
    memcpy(thread.name, name, strlen(name));
    return thread;
}

static void tell(struct crew *crew, struct wire_thread thread, struct profile *profile)
{
    crew_tell(crew, &thread, 7, profile);
}

static void assert_row(struct profile *profile, uint32_t tid, const char *name, uint64_t user_ns,
                       uint64_t kernel_ns)
{
    const struct thread_times *row = threads_find(&profile->threads, 7, tid, name);
    assert_non_null(row);
    assert_int_equal(row->user_ns, user_ns);
    assert_int_equal(row->kernel_ns, kernel_ns);
}

static void threads_are_told_once(void **state)
{
    (void)state;
    struct crew crew;
    struct profile profile;
    crew_init(&crew, true);
    profile_init(&profile);
    weight(&crew, 8, 9, 10 * MS, 4 * MS);
    tell(&crew, slot(8, 1, 10 * MS, "worker"), &profile);
    assert_row(&profile, 8, "worker", 4 * MS, 6 * MS);
    tell(&crew, slot(8, 1, 10 * MS, "worker"), &profile);
    weight(&crew, 8, 9, 11 * MS, 4 * MS); /* chance: more than it ran */
    tell(&crew, slot(8, 1, 11 * MS, "worker"), &profile);
    assert_row(&profile, 8, "worker", 5 * MS, 6 * MS);
    tell(&crew, slot(8, 1, 15 * MS, "0123456789abcdef"), &profile); /* no zero at its end */
    assert_row(&profile, 8, "0123456789abcdef", 3 * MS, 1 * MS);
    /* Its end is told by the ring, and its slot may still be there. */
    tell(&crew, slot(8, 1, 16 * MS, "worker"), &profile);
    crew_end(&crew, 8);
    tell(&crew, slot(8, 1, 16 * MS, "worker"), &profile);
    assert_row(&profile, 8, "worker", 5 * MS, 7 * MS);
    weight(&crew, 8, 9, MS, 0); /* another, of the same number */
    tell(&crew, slot(8, 2, MS, "next"), &profile);
    assert_row(&profile, 8, "next", MS, 0);
    assert_int_equal(profile.threads.n, 3);
    profile_release(&profile);
    crew_release(&crew);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_stand_for_the_time_of_their_thread),
        cmocka_unit_test(a_period_is_believed),
        cmocka_unit_test(a_further_window_is_of_the_sample_before),
        cmocka_unit_test(threads_are_told_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
