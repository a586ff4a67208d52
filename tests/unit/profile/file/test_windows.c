/* Courses of windows, written and read again; and bodies that make no sense. */
#include "twice.h"

#include "profile/windows.h"

/* Runs and addresses by chance; what was written is kept, to be compared. */
enum { STEPS = 300 };
struct course {
    uint32_t n, run[STEPS], n_addresses[STEPS];
    uint16_t instructions[STEPS][4];
    uint64_t addresses[STEPS][4];
};

static void window_make(struct windows *windows, uint32_t modules, bool addressed,
                        struct course *course)
{
    struct window_body body = {{0}};
    struct window *window = vec_push(windows);
    *window = (struct window){.tsc = some_below(1000),
                              .weight_ns = some_below(1u << 30),
                              .tid = some_below(5),
                              .addressed = addressed,
                              .first_run = windows->runs.n,
                              .n_runs = 1 + some_below(20),
                              .first_byte = windows->bytes.n};
    for (size_t i = 0; i < window->n_runs; i++)
        *vec_push(&windows->runs) = (struct window_run){(uint32_t)some_below(modules), 40, 10,
                                                        some_below(UINT64_C(1) << 40)};
    window->first_span = windows->spans.n;
    window->n_spans = addressed ? some_below(4) : 0;
    for (size_t i = 0; i < window->n_spans; i++)
        *vec_push(&windows->spans) = (struct window_span){.module = (uint32_t)some_below(modules),
                                                          .start = 4096 * i,
                                                          .end = 4096 * (i + 1),
                                                          .shift = 0 - 4096 * i};
    course->n = (uint32_t)some_below(STEPS);
    for (uint32_t i = 0; i < course->n; i++) {
        course->run[i] = (uint32_t)some_below(window->n_runs);
        course->n_addresses[i] = addressed ? (uint32_t)some_below(5) : 0;
        for (uint32_t k = 0; k < course->n_addresses[i]; k++) {
            course->instructions[i][k] = (uint16_t)(2 * k + some_below(2));
            course->addresses[i][k] = some_below(2) ? some_below(UINT64_C(1) << 47) : UINT64_MAX;
        }
        window_write(windows, &body, course->run[i], course->instructions[i], course->addresses[i],
                     course->n_addresses[i]);
    }
}

static void course_compare(const struct windows *windows, size_t index, const struct course *course)
{
    static struct window_reader reader;
    const struct window_run *run;
    window_open(&reader, windows, index);
    for (uint32_t i = 0; i < course->n; i++) {
        assert_true(window_read(&reader, &run));
        assert_ptr_equal(run, &windows->runs.at[windows->at[index].first_run + course->run[i]]);
        assert_int_equal(reader.n, course->n_addresses[i]);
        for (uint32_t k = 0; k < reader.n; k++) {
            assert_int_equal(reader.instructions[k], course->instructions[i][k]);
            assert_true(reader.addresses[k] == course->addresses[i][k]);
        }
    }
    assert_false(window_read(&reader, &run));
    assert_false(reader.broken);
}

static void back_and_forth(void **state)
{
    static struct course course;
    (void)state;
    for (uint64_t round = 0; round < 40; round++) {
        struct profile profile, again;
        some_state = round;
        some_profile(&profile, PROFILE_SAMPLED, 1 + some_below(60));
        for (int i = 0; i < 5; i++) {
            window_make(&profile.windows, (uint32_t)profile.modules.n, round % 2, &course);
            course_compare(&profile.windows, profile.windows.n - 1, &course);
        }
        write_and_read(&profile, &again);
        assert_int_equal(again.windows.n, profile.windows.n);
        assert_int_equal(again.windows.bytes.n, profile.windows.bytes.n);
        assert_int_equal(again.windows.spans.n, profile.windows.spans.n);
        profile_release(&again);
        profile_release(&profile);
    }
}

static void in_any_order(void **state)
{
    static struct course course;
    struct profile profiles[2], sums[2];
    (void)state;
    for (int i = 0; i < 2; i++) {
        some_state = 7 + (uint64_t)i;
        some_profile(&profiles[i], PROFILE_SAMPLED, 30);
        window_make(&profiles[i].windows, (uint32_t)profiles[i].modules.n, true, &course);
    }
    merge_in_any_order(profiles, sums);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(sums[i].windows.n, 2);
        course_compare(&sums[i].windows, i ? 0 : 1, &course);
    }
    for (int i = 0; i < 2; i++) {
        profile_release(&sums[i]);
        profile_release(&profiles[i]);
    }
}

/* A body of any bytes ends, and names nothing that is not there. */
static void any_bytes(void **state)
{
    static struct window_reader reader;
    const struct window_run *run;
    struct windows windows = {0};
    (void)state;
    for (int i = 0; i < 4; i++)
        *vec_push(&windows.runs) = (struct window_run){0, 30, 10, 100};
    *vec_push(&windows) = (struct window){.n_runs = 4, .addressed = 1};
    for (uint64_t round = 0; round < 2000; round++) {
        some_state = round;
        windows.bytes.n = 0;
        for (int i = 0; i < 40; i++)
            *vec_push(&windows.bytes) = (uint8_t)some_below(round % 2 ? 256 : 6);
        windows.at[0].n_bytes = 40;
        window_open(&reader, &windows, 0);
        while (window_read(&reader, &run)) {
            assert_true(run >= windows.runs.at && run < windows.runs.at + 4);
            assert_true(reader.n <= WINDOW_ADDRESSES);
            for (uint32_t k = 0; k < reader.n; k++)
                assert_true(reader.instructions[k] < 10);
        }
        assert_true(reader.at <= reader.end);
    }
    windows_release(&windows);
}

/* Written before windows said where modules lay: what follows the runs is the body. */
static void without_spans(void **state)
{
    uint8_t mode[] = {12, 'm', 'o', 'd', 'e', '=', 's', 'a', 'm', 'p', 'l', 'e', 'd'};
    uint8_t window[] = {1, 2, 3, 0, 0, 2, 7, 8};
    const struct bytes header = {.at = mode, .n = sizeof mode};
    const struct bytes payload = {.at = window, .n = sizeof window};
    struct bytes file = {0};
    struct profile profile;
    struct err err;
    (void)state;
    chunk_put_start(&file);
    chunk_put(&file, CHUNK_HEADER, CHUNK_VERSION, &header, NULL, NULL);
    chunk_put(&file, CHUNK_WINDOWS, CHUNK_VERSION, &payload, NULL, NULL);
    chunk_put(&file, CHUNK_TOTALS, CHUNK_VERSION, &(struct bytes){0}, NULL, NULL);
    assert_true(profile_read_bytes("it", file.at, file.n, &profile, &err));
    assert_int_equal(profile.windows.n, 1);
    assert_int_equal(profile.windows.at[0].tid, 3);
    assert_int_equal(profile.windows.at[0].n_spans, 0);
    assert_int_equal(profile.windows.bytes.n, 2);
    assert_memory_equal(profile.windows.bytes.at, window + 6, 2);
    profile_release(&profile);
    vec_release(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(back_and_forth),
        cmocka_unit_test(in_any_order),
        cmocka_unit_test(any_bytes),
        cmocka_unit_test(without_spans),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
