/* Parts of windows for paths, written and read again, merged in any order; and bytes that make no
 * sense. */
#include "some_profile.h"

#include "profile/file/encode.h"
#include "profile/path_parts.h"

enum { PARTS = 6, EXITS = 400, BLOCKS = 30 };

struct course {
    uint32_t n[PARTS], exits[PARTS][EXITS];
};

/* Loops, with now and then another exit: as windows are. */
static void course_make(struct course *course)
{
    for (int p = 0; p < PARTS; p++) {
        uint32_t exit = (uint32_t)some_below(BLOCKS);
        course->n[p] = (uint32_t)some_below(EXITS);
        for (uint32_t i = 0; i < course->n[p]; i++) {
            exit = some_below(9) ? (exit * 7 + 3) % BLOCKS : (uint32_t)some_below(1000);
            course->exits[p][i] = exit;
        }
    }
}

static void blocks_make(struct path_sheet *sheet, uint32_t modules)
{
    uint32_t exit = 0;
    for (int i = 0; i < BLOCKS; i++) {
        uint32_t n = 1 + (uint32_t)some_below(4);
        *vec_push(&sheet->blocks) = (struct parts_block){exit, n};
        exit += n + (uint32_t)some_below(3);
        for (uint32_t k = 0; k < n; k++)
            *vec_push(&sheet->segments) =
                (struct parts_segment){.start = some_below(UINT64_C(1) << 47),
                                       .at = some_below(UINT64_C(1) << 30),
                                       .module = (uint32_t)some_below(modules),
                                       .bytes = 12,
                                       .instructions = 3,
                                       .end = (uint8_t)some_below(5),
                                       .last_bytes = 2};
    }
}

static void sheet_make(struct path_parts *parts, uint32_t modules, struct course *course)
{
    struct path_sheet *sheet = vec_push(parts);
    struct parts_habits habits = {0};
    course_make(course);
    blocks_make(sheet, modules);
    for (int p = 0; p < PARTS; p++) {
        *vec_push(&sheet->parts) = (struct window_part){.n = course->n[p],
                                                        .instructions = 3 * course->n[p],
                                                        .weight = some_number(),
                                                        .end = (uint32_t)some_below(BLOCKS)};
        parts_write(&sheet->body, &habits, course->exits[p], course->n[p]);
        if (p % 2)
            *vec_push(&sheet->batches) =
                (struct parts_batch){2, (uint32_t)p, some_number(), some_number()};
    }
    parts_write_end(&sheet->body, &habits);
    parts_habits_release(&habits);
}

static void course_compare(const struct path_sheet *sheet, const struct course *course)
{
    struct parts_reader reader;
    uint32_t exits[EXITS], one;
    parts_reader_open(&reader, &sheet->body);
    for (int p = 0; p < PARTS; p++) {
        assert_true(parts_read(&reader, exits, course->n[p]));
        assert_memory_equal(exits, course->exits[p], course->n[p] * sizeof *exits);
    }
    assert_false(parts_read(&reader, &one, 1));
    parts_reader_close(&reader);
}

static void sheets_compare(const struct path_sheet *a, const struct path_sheet *b)
{
    assert_int_equal(a->segments.n, b->segments.n);
    assert_int_equal(a->blocks.n, b->blocks.n);
    assert_int_equal(a->parts.n, b->parts.n);
    assert_int_equal(a->batches.n, b->batches.n);
    assert_memory_equal(a->blocks.at, b->blocks.at, a->blocks.n * sizeof *a->blocks.at);
    assert_memory_equal(a->parts.at, b->parts.at, a->parts.n * sizeof *a->parts.at);
    assert_memory_equal(a->batches.at, b->batches.at, a->batches.n * sizeof *a->batches.at);
    for (size_t i = 0; i < a->segments.n; i++) {
        assert_int_equal(a->segments.at[i].start, b->segments.at[i].start);
        assert_int_equal(a->segments.at[i].at, b->segments.at[i].at);
        assert_int_equal(a->segments.at[i].end, b->segments.at[i].end);
    }
}

static void back_and_forth(void **state)
{
    static struct course course;
    (void)state;
    for (uint64_t round = 0; round < 40; round++) {
        struct profile profile, again;
        struct encoder first = {0}, second = {0};
        struct err err;
        some_state = round;
        some_profile(&profile, PROFILE_SAMPLED, 1 + some_below(60));
        sheet_make(&profile.path_parts, (uint32_t)profile.modules.n, &course);
        course_compare(&profile.path_parts.at[0], &course);
        encode_whole(&first, &profile, NULL);
        assert_true(profile_read_bytes("it", first.out.at, first.out.n, &again, &err));
        assert_int_equal(again.path_parts.n, 1);
        sheets_compare(&again.path_parts.at[0], &profile.path_parts.at[0]);
        course_compare(&again.path_parts.at[0], &course);
        encode_whole(&second, &again, NULL);
        assert_int_equal(first.out.n, second.out.n);
        assert_memory_equal(first.out.at, second.out.at, first.out.n);
        encoder_release(&first);
        encoder_release(&second);
        profile_release(&again);
        profile_release(&profile);
    }
}

static void in_any_order(void **state)
{
    static struct course course;
    struct profile profiles[2], sums[2];
    struct encoder bytes[2] = {0};
    struct err err;
    (void)state;
    for (int i = 0; i < 2; i++) {
        some_state = 7 + (uint64_t)i;
        some_profile(&profiles[i], PROFILE_SAMPLED, 30);
        sheet_make(&profiles[i].path_parts, (uint32_t)profiles[i].modules.n, &course);
    }
    for (int i = 0; i < 2; i++) {
        profile_init(&sums[i]);
        sums[i].mode = PROFILE_SAMPLED;
        assert_true(profile_merge(&sums[i], &profiles[i], &err));
        assert_true(profile_merge(&sums[i], &profiles[!i], &err));
        assert_int_equal(sums[i].path_parts.n, 2);
        course_compare(&sums[i].path_parts.at[i ? 0 : 1], &course);
        encode_whole(&bytes[i], &sums[i], NULL);
    }
    assert_int_equal(bytes[0].out.n, bytes[1].out.n);
    assert_memory_equal(bytes[0].out.at, bytes[1].out.at, bytes[0].out.n);
    for (int i = 0; i < 2; i++) {
        encoder_release(&bytes[i]);
        profile_release(&sums[i]);
        profile_release(&profiles[i]);
    }
}

/* A body of any bytes ends, and names no exit that may not be. */
static void any_bytes(void **state)
{
    struct bytes body = {0};
    (void)state;
    for (uint64_t round = 0; round < 2000; round++) {
        struct parts_reader reader;
        uint32_t exit, n = 0;
        some_state = round;
        body.n = 0;
        for (int i = 0; i < 40; i++)
            *vec_push(&body) = (uint8_t)some_below(round % 2 ? 256 : 6);
        parts_reader_open(&reader, &body);
        while (n++ < 10000 && parts_read(&reader, &exit, 1))
            assert_true(exit < PARTS_EXITS_MAX);
        assert_true(reader.at <= reader.end);
        parts_reader_close(&reader);
    }
    vec_release(&body);
}

/* Every byte of a sheet changed: it is read or refused, and what is read is in bounds. */
static void damaged(void **state)
{
    static struct course course;
    struct profile profile;
    struct encoder whole = {0};
    uint8_t mode[] = {12, 'm', 'o', 'd', 'e', '=', 's', 'a', 'm', 'p', 'l', 'e', 'd'};
    const uint8_t modules[] = {2, '/', 'a', 0, 2, '/', 'b', 0};
    struct numbering in_file = {0};
    (void)state;
    some_state = 3;
    profile_init(&profile);
    sheet_make(&profile.path_parts, 2, &course);
    *vec_push(&in_file) = 0;
    *vec_push(&in_file) = 1;
    encode_counts(&whole, &profile, &in_file);
    size_t n = whole.out.n, refused = 0;
    struct chunk chunk = {0};
    struct err err;
    struct chunk_source source = {.fd = -1, .memory = whole.out.at, .size = n};
    assert_int_equal(chunk_read(&source, 0, &chunk, &err), CHUNK_WHOLE);
    assert_int_equal(chunk.type, CHUNK_PATH_PARTS);
    for (size_t i = 0; i < chunk.stored.n; i++) {
        struct bytes file = {0}, header = {.at = mode, .n = sizeof mode}, list = {0};
        struct profile read;
        uint8_t kept = chunk.stored.at[i];
        chunk.stored.at[i] = (uint8_t)some_bits();
        bytes_add(&list, modules, sizeof modules);
        chunk_put_start(&file);
        chunk_put(&file, CHUNK_HEADER, CHUNK_VERSION, &header, NULL);
        chunk_put(&file, CHUNK_MODULES, CHUNK_VERSION, &list, NULL);
        chunk_put(&file, CHUNK_PATH_PARTS, CHUNK_VERSION, &chunk.stored, NULL);
        chunk_put(&file, CHUNK_TOTALS, CHUNK_VERSION, &(struct bytes){0}, NULL);
        if (profile_read_bytes("it", file.at, file.n, &read, &err)) {
            for (size_t k = 0; k < read.path_parts.n; k++)
                for (size_t b = 0; b < read.path_parts.at[k].batches.n; b++)
                    assert_true(read.path_parts.at[k].batches.at[b].group < STACK_GROUPS);
            profile_release(&read);
        } else {
            refused++;
        }
        chunk.stored.at[i] = kept;
        vec_release(&file);
        vec_release(&list);
    }
    assert_true(refused > 0);
    chunk_release(&chunk);
    encoder_release(&whole);
    vec_release(&in_file);
    profile_release(&profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(back_and_forth),
        cmocka_unit_test(in_any_order),
        cmocka_unit_test(any_bytes),
        cmocka_unit_test(damaged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
