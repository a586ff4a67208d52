/* What designs cost: storage, and messages that come too close, of streams whose answers are known;
 * and places that have converged, which are left out. */
#include "lab/streams/stream_cost.h"

#include <stddef.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include "compress/design.h"
#include "lab/streams/stream_error.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static struct design design_of(const char *text)
{
    struct design design;
    size_t at;
    assert_null(design_parse(&design, text, &at));
    return design;
}

static uint64_t bits(const char *text)
{
    struct design design = design_of(text);
    return design_bits(&design);
}

static void storage_is_that_of_the_paper(void **state)
{
    (void)state;
    assert_int_equal(bits("P256"), 8);
    assert_int_equal(bits("R256"), 0);
    assert_int_equal(bits("D256"), 9);
    assert_int_equal(bits("CR256"), 12);
    assert_int_equal(bits("H[P256]2048"), 2048 * 8);
    assert_int_equal(bits("H[P512]2048"), 2048 * 9);
    assert_int_equal(bits("T1[256]2048x1"), 2048 * 13);
    assert_int_equal(bits("T2[256]2048x2"), 2048 * 14);
    assert_int_equal(bits("P256+A16"), 8 + 16 * 136);
}

/* A file of n tuples of one place, whose value is what `value_of` says; and its end. */
static void stream_make(struct tuples *tuples, size_t n, uint64_t (*value_of)(size_t i))
{
    char path[] = "/tmp/gait-tuples-XXXXXX";
    struct tuple last[] = {{TUPLE_CYCLES, 3 * n}, {TUPLE_END, 4 * n}};
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    FILE *file = fdopen(fd, "w");
    fwrite("gait tuples 1\n\n", 16, 1, file);
    for (size_t i = 0; i < n; i++)
        fwrite(&(struct tuple){tuple_place(TUPLE_VALUE, 0x1000), value_of(i)}, sizeof(struct tuple),
               1, file);
    fwrite(last, sizeof last, 1, file);
    fclose(file);
    assert_true(tuples_read(tuples, path, 1 << TUPLE_VALUE, 0, NULL));
    unlink(path);
}

static uint64_t always_7(size_t i)
{
    (void)i;
    return 7;
}

static uint64_t in_turn(size_t i)
{
    return i / 256 % 2;
}

static void a_file_says_how_far_it_goes(void **state)
{
    (void)state;
    struct tuples tuples;
    stream_make(&tuples, 1000, always_7);
    assert_int_equal(tuples.n, 1000);
    assert_true(tuples.instructions == 4000 && tuples.cycles == 3000);
    tuples_release(&tuples);
}

static void messages_wait_if_they_come_too_close(void **state)
{
    (void)state;
    struct tuples tuples;
    struct design design = design_of("P4");
    stream_make(&tuples, 1000, always_7);
    struct stream_pace calm = stream_pace(&tuples, &design, 3);
    assert_int_equal(calm.messages, 250);
    assert_true(calm.apart == 4 && calm.close == 0 && calm.queue == 1);
    /* Each takes 2 tuples longer than there are between two: the last finds 498 waiting, which are
     * 83 whole messages, and is one itself. */
    struct stream_pace late = stream_pace(&tuples, &design, 6);
    assert_true(fabs(late.close - 249.0 / 250) < 1e-9);
    assert_true(late.queue == 84);
    tuples_release(&tuples);
}

static struct stream_trial trial(const struct tuples *tuples, const char *text, uint32_t run)
{
    struct design design = design_of(text);
    struct stream_trial of;
    stream_trials(tuples, 1 << TUPLE_VALUE, &design, run, &tuples->n, 1, &of);
    return of;
}

static void converged_places_are_left_out(void **state)
{
    (void)state;
    enum { WINDOW = 8192, N = 32 * WINDOW };
    struct tuples tuples;
    stream_make(&tuples, N, always_7);
    struct stream_trial all = trial(&tuples, "P256", 0), some = trial(&tuples, "P256,converge", 0);
    assert_int_equal(all.left_out, 0);
    assert_int_equal(all.messages, N / 256);
    /* All but two windows of 32, in which everything is looked at. */
    assert_int_equal(some.left_out, 30 * WINDOW);
    assert_int_equal(some.messages, 2 * WINDOW / 256);
    assert_true(all.error == 0 && some.error == 0);
    tuples_release(&tuples);
    /* Every message has another value than the one before. */
    stream_make(&tuples, N, in_turn);
    assert_int_equal(trial(&tuples, "P256,converge", 0).left_out, 0);
    tuples_release(&tuples);
}

static void other_runs_begin_elsewhere(void **state)
{
    (void)state;
    struct tuples tuples;
    stream_make(&tuples, 100000, in_turn);
    double same = trial(&tuples, "R64", 0).error - trial(&tuples, "R64", 0).error;
    double other = trial(&tuples, "R64", 1).error - trial(&tuples, "R64", 0).error;
    assert_true(same == 0 && other != 0 && fabs(other) < 0.1);
    tuples_release(&tuples);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(storage_is_that_of_the_paper),
        cmocka_unit_test(a_file_says_how_far_it_goes),
        cmocka_unit_test(messages_wait_if_they_come_too_close),
        cmocka_unit_test(converged_places_are_left_out),
        cmocka_unit_test(other_runs_begin_elsewhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
