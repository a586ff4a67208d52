/* Parts of windows for paths, written and read again, merged in any order; and bytes that make no
 * sense. */
#include "twice.h"

#include "profile/path_parts.h"
#include "wire/varint.h"

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
                (struct parts_batch){2, (uint32_t)p, some_number(), some_number(), some_number()};
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
        some_state = round;
        some_profile(&profile, PROFILE_SAMPLED, 1 + some_below(60));
        sheet_make(&profile.path_parts, (uint32_t)profile.modules.n, &course);
        course_compare(&profile.path_parts.at[0], &course);
        write_and_read(&profile, &again);
        assert_int_equal(again.path_parts.n, 1);
        sheets_compare(&again.path_parts.at[0], &profile.path_parts.at[0]);
        course_compare(&again.path_parts.at[0], &course);
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
        sheet_make(&profiles[i].path_parts, (uint32_t)profiles[i].modules.n, &course);
    }
    merge_in_any_order(profiles, sums);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(sums[i].path_parts.n, 2);
        course_compare(&sums[i].path_parts.at[i ? 0 : 1], &course);
    }
    for (int i = 0; i < 2; i++) {
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

/* Numbers of a chunk with one block of one segment and one batch of one part. */
enum {
    FIELD_BLOCKS,
    FIELD_EXIT,
    FIELD_SEGMENTS,
    FIELD_MODULE,
    FIELD_AT,
    FIELD_SHIFT,
    FIELD_BYTES,
    FIELD_INSTRUCTIONS,
    FIELD_END,
    FIELD_LAST,
    FIELD_BATCHES,
    FIELD_PARTS,
    FIELD_GROUP,
    FIELD_X_TIME,
    FIELD_X_COUNT,
    FIELD_N,
    FIELD_RAN,
    FIELD_WEIGHT,
    FIELD_NEXT,
    FIELD_BODY,
    FIELDS
};

static bool chunk_is_read(const uint64_t *fields, int n_fields)
{
    uint8_t mode[] = {12, 'm', 'o', 'd', 'e', '=', 's', 'a', 'm', 'p', 'l', 'e', 'd'};
    uint8_t modules[] = {2, '/', 'a', 0, 2, '/', 'b', 0}, numbers[FIELDS * VARINT_BYTES_MAX + 2];
    struct bytes file = {0}, header = {.at = mode, .n = sizeof mode};
    struct bytes list = {.at = modules, .n = sizeof modules}, payload = {.at = numbers};
    struct profile profile;
    struct err err;
    uint8_t *at = numbers;
    for (int i = 0; i < n_fields; i++)
        at = varint_put(at, fields[i]);
    for (int i = 0; i < 2 && n_fields == FIELDS; i++)
        *at++ = 0; /* the body: no exit as expected, then exit 0 */
    payload.n = (size_t)(at - numbers);
    chunk_put_start(&file);
    chunk_put(&file, CHUNK_HEADER, CHUNK_VERSION, &header, NULL, NULL);
    chunk_put(&file, CHUNK_MODULES, CHUNK_VERSION, &list, NULL, NULL);
    chunk_put(&file, CHUNK_PATH_PARTS, CHUNK_VERSION, &payload, NULL, NULL);
    chunk_put(&file, CHUNK_TOTALS, CHUNK_VERSION, &(struct bytes){0}, NULL, NULL);
    bool read = profile_read_bytes("it", file.at, file.n, &profile, &err);
    if (read)
        profile_release(&profile);
    else
        assert_int_equal(err.kind, ERR_FORMAT);
    vec_release(&file);
    return read;
}

/* What others would index with, or make room for, is refused when it is out of range. */
static void out_of_range(void **state)
{
    const uint64_t good[FIELDS] = {
        [FIELD_BLOCKS] = 1,  [FIELD_SEGMENTS] = 1, [FIELD_MODULE] = 1,
        [FIELD_AT] = 0x2000, [FIELD_BYTES] = 12,   [FIELD_INSTRUCTIONS] = 3,
        [FIELD_LAST] = 2,    [FIELD_BATCHES] = 1,  [FIELD_PARTS] = 1,
        [FIELD_N] = 1,       [FIELD_RAN] = 3,      [FIELD_BODY] = 2};
    const struct {
        int field;
        uint64_t value;
    } bad[] = {{FIELD_BLOCKS, 2},
               {FIELD_EXIT, varint_fold(PARTS_EXITS_MAX)},
               {FIELD_EXIT, varint_fold(PARTS_EXITS_MAX - 1)}, /* it has two */
               {FIELD_EXIT, varint_fold((uint64_t)-1)},
               {FIELD_SEGMENTS, UINT64_MAX},
               {FIELD_MODULE, 0},
               {FIELD_MODULE, 3},
               {FIELD_BYTES, 46},
               {FIELD_BYTES, 2},
               {FIELD_INSTRUCTIONS, UINT16_MAX + 1},
               {FIELD_END, UINT8_MAX + 1},
               {FIELD_LAST, 0},
               {FIELD_LAST, 16},
               {FIELD_PARTS, 2},
               {FIELD_GROUP, STACK_GROUPS},
               {FIELD_N, PARTS_PART_MAX + 1},
               {FIELD_NEXT, (uint64_t)UINT32_MAX + 1},
               {FIELD_BODY, 3}};
    (void)state;
    assert_true(chunk_is_read(good, FIELDS));
    assert_false(chunk_is_read((uint64_t[]){1, 0, 0, 0, 0}, 5)); /* a block without a segment */
    assert_true(chunk_is_read((uint64_t[]){0, 0, 0}, 3));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        uint64_t fields[FIELDS];
        memcpy(fields, good, sizeof fields);
        fields[bad[i].field] = bad[i].value;
        if (chunk_is_read(fields, FIELDS))
            fail_msg("number %d may be %llu", bad[i].field, (unsigned long long)bad[i].value);
    }
}

/* An exit that is as large as none may be; and one that is not. */
static void exits_have_a_limit(void **state)
{
    uint8_t bytes[2][5] = {{0, 0x80, 0x80, 0x80, 2}, {0, 0xff, 0xff, 0xff, 1}};
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct parts_reader reader;
        uint32_t exit;
        parts_reader_open(&reader, &(struct bytes){.at = bytes[i], .n = sizeof bytes[i]});
        assert_int_equal(parts_read(&reader, &exit, 1), i);
        parts_reader_close(&reader);
    }
}

/* A loop takes the room of one iteration. */
static void habits_take_no_room(void **state)
{
    enum { LOOP = 5, TIMES = 1000 };
    struct bytes body = {0};
    struct parts_habits habits = {0};
    static uint32_t exits[LOOP * TIMES];
    (void)state;
    for (uint32_t i = 0; i < LOOP * TIMES; i++)
        exits[i] = i % LOOP;
    parts_write(&body, &habits, exits, LOOP * TIMES);
    parts_write_end(&body, &habits);
    assert_in_range(body.n, 2 * LOOP, 2 * (LOOP + 1) + 3);
    parts_habits_release(&habits);
    vec_release(&body);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(back_and_forth),     cmocka_unit_test(in_any_order),
        cmocka_unit_test(any_bytes),          cmocka_unit_test(out_of_range),
        cmocka_unit_test(exits_have_a_limit), cmocka_unit_test(habits_take_no_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
