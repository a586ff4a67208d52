/* A file of perf, made by hand: who had mapped what when a sample was taken, who called whom, which
 * event counts. */
#include "import/perf_data.h"

#include "base/err.h"
#include "profile/events.h"
#include "profile/profile.h"
#include "records/sample.h"
#include "perf_bytes.h"

#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <zstd.h>
#include <cmocka.h>

/* Ids of every record: thread, time, event. */
static void record_end(struct bytes_out *out, size_t at, bool sample, uint64_t time, uint64_t id)
{
    if (!sample) {
        put_u32(out, 7), put_u32(out, 7);
        put_u64(out, time);
        put_u64(out, id);
    }
    uint16_t bytes = (uint16_t)(out->n - at);
    memcpy(out->at + at + 6, &bytes, sizeof bytes);
}

#define TYPE                                                                                       \
    (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |                \
     PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN)

/* Two events, with ids 11 and 22; records begin at 8 * 13 + 16 + 2 * (64 + 16). */
static void head_put_of(struct bytes_out *out, uint64_t type, uint64_t read_format)
{
    put(out, "PERFILE2", 8);
    put_u64(out, 104), put_u64(out, 64 + 16);
    put_u64(out, 120), put_u64(out, (uint64_t)2 * (64 + 16));
    put_u64(out, 280), put_u64(out, 0);
    for (int i = 0; i < 6; i++)
        put_u64(out, 0);
    put_u64(out, 11), put_u64(out, 22);
    for (uint64_t i = 0; i < 2; i++) {
        put_u32(out, 4), put_u32(out, 64);
        put_u64(out, i), put_u64(out, 1000), put_u64(out, type), put_u64(out, read_format);
        put_u64(out, (uint64_t)1 << 18);
        put_u64(out, 0), put_u64(out, 0);
        put_u64(out, 104 + 8 * i), put_u64(out, 8);
    }
}

static void head_put(struct bytes_out *out)
{
    head_put_of(out, TYPE, 0);
}

static void map_put(struct bytes_out *out, uint64_t time, uint64_t start, uint64_t bytes,
                    uint64_t offset, const char *path)
{
    size_t at = record_begin(out, PERF_RECORD_MMAP, PERF_RECORD_MISC_USER);
    put_u32(out, 7), put_u32(out, 7);
    put_u64(out, start), put_u64(out, bytes), put_u64(out, offset);
    put_text(out, path);
    record_end(out, at, false, time, 11);
}

static void sample_put(struct bytes_out *out, uint64_t time, uint64_t id, uint64_t ip,
                       uint64_t period, const uint64_t *chain, uint64_t n)
{
    size_t at = record_begin(out, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
    put_u64(out, id), put_u64(out, ip);
    put_u32(out, 7), put_u32(out, 7);
    put_u64(out, time), put_u64(out, period);
    put_u64(out, n);
    put(out, chain, n * sizeof *chain);
    record_end(out, at, true, time, id);
}

/* Weight of what has that place innermost, with so many nodes above it. */
static uint64_t weight_at(const struct profile *profile, const char *path, uint64_t address,
                          uint16_t depth)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < profile->stacks.cells.n; i++) {
        struct stack_cell cell;
        memcpy(&cell, map_key(&profile->stacks.cells, i), sizeof cell);
        struct stack_key key = stacks_key(&profile->stacks, cell.node);
        if (key.module != MODULE_NONE && key.address == address &&
            profile->stacks.depths.at[cell.node] == depth &&
            strcmp(profile->modules.at[key.module].path, path) == 0)
            sum += profile->stacks.weights.at[i];
    }
    return sum;
}

static void file_make(struct bytes_out *out)
{
    uint64_t chain[] = {PERF_CONTEXT_USER, 0x10100, 0x10205, 0x10309};
    head_put(out);
    /* Written by another processor's turn: the sample of time 30 stands before the mapping of
     * time 20. */
    sample_put(out, 30, 11, 0x10100, 5, chain, 4);
    map_put(out, 10, 0x10000, 0x1000, 0x4000, "/nowhere/first");
    sample_put(out, 15, 11, 0x10100, 3, chain, 2);
    map_put(out, 20, 0x10000, 0x1000, 0x8000, "/nowhere/second");
    sample_put(out, 40, 22, 0x10100, 7, NULL, 0); /* of the other event */
    sample_put(out, 50, 11, 0x77777, 2, NULL, 0); /* of nobody */
    sample_put(out, 60, 33, 0x10100, 9, NULL, 0); /* of no event that there is */
}

/* Of all its samples; there must be one. */
static uint64_t weight_of_event(struct profile *profile, const char *name)
{
    struct err err;
    uint64_t sum = 0;
    assert_false(profile_choose_event(profile, "no such event", &err));
    assert_true(profile_choose_event(profile, name, &err));
    assert_int_equal(profile->totals.interrupts, 1);
    assert_string_equal(event_first(profile), name);
    for (uint32_t i = 0; i < profile->stacks.cells.n; i++)
        sum += profile->stacks.weights.at[i];
    return sum;
}

static void samples_are_where_they_were(void **state)
{
    (void)state;
    struct bytes_out out = {0};
    struct profile profile;
    struct err err;
    file_make(&out);
    profile_init(&profile);
    profile.mode = PROFILE_PLAIN;
    assert_true(perf_data_import(&profile, out.at, out.n, NULL, &err));
    assert_int_equal(weight_at(&profile, "/nowhere/first", 0x4100, 1), 3);
    /* Thread, two callers, the place. */
    assert_int_equal(weight_at(&profile, "/nowhere/second", 0x8100, 3), 5);
    assert_int_equal(weight_at(&profile, "[unknown]", 0x77777, 1), 2);
    assert_int_equal(profile.totals.interrupts, 3);
    assert_int_equal(profile.totals.time, 10);
    assert_int_equal(times_span(&profile.times).begin_ns, 0); /* 15 to 50 ns: one slice */
    assert_int_equal(times_span(&profile.times).end_ns, 1 << SLICE_BITS);
    assert_int_equal(profile.totals.losses[LOSS_unmapped], 1);
    assert_int_equal(profile.totals.losses[LOSS_garbled], 1);
    assert_string_equal(profile_fact_find(&profile, "event"), "type 4, config 0");
    assert_int_equal(weight_of_event(&profile, "type 4, config 0x1"), 7);
    profile_release(&profile);
    vec_release(&out);
}

/* A sample of the first event, with the counters of both; one of nobody's stands between them. */
static void group_put(struct bytes_out *out, uint64_t time, uint64_t first, uint64_t second)
{
    size_t at = record_begin(out, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
    put_u64(out, 11), put_u64(out, 0x10100);
    put_u32(out, 7), put_u32(out, 7);
    put_u64(out, time), put_u64(out, 1000);
    put_u64(out, 3); /* counters, and for how long they were on and counted */
    put_u64(out, time), put_u64(out, time);
    put_u64(out, first), put_u64(out, 11);
    put_u64(out, 5), put_u64(out, 99);
    put_u64(out, second), put_u64(out, 22);
    record_end(out, at, true, time, 11);
}

static void group_make(struct bytes_out *out)
{
    head_put_of(out,
                PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
                    PERF_SAMPLE_PERIOD | PERF_SAMPLE_READ,
                PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_ENABLED |
                    PERF_FORMAT_TOTAL_TIME_RUNNING);
    map_put(out, 10, 0x10000, 0x1000, 0x4000, "/nowhere/first");
    group_put(out, 20, 1000, 0);  /* no second event yet */
    group_put(out, 30, 2100, 40); /* 1,100 and 40 more */
    group_put(out, 40, 2100, 40); /* nothing more */
    group_put(out, 50, 2000, 39); /* less: damaged */
}

static void counters_of_a_group_are_samples_of_each(void **state)
{
    (void)state;
    struct bytes_out out = {0};
    struct profile profile;
    struct err err;
    group_make(&out);
    profile_init(&profile);
    profile.mode = PROFILE_PLAIN;
    assert_true(perf_data_import(&profile, out.at, out.n, NULL, &err));
    assert_int_equal(weight_at(&profile, "/nowhere/first", 0x4100, 1), 2100);
    assert_int_equal(profile.totals.losses[LOSS_garbled], 4); /* the counter of nobody */
    assert_int_equal(weight_of_event(&profile, "type 4, config 0x1"), 40);
    profile_release(&profile);
    vec_release(&out);
}

/* The same records, compressed as perf does it: one stream, in pieces that end anywhere. Every
 * second piece is of the padded kind. */
static void compressed_make(struct bytes_out *out, size_t each)
{
    struct bytes_out plain = {0};
    ZSTD_CCtx *stream = ZSTD_createCCtx();
    file_make(&plain);
    put(out, plain.at, 280); /* the head */
    for (size_t at = 280, turn = 0; at < plain.n; at += each, turn++) {
        uint8_t packed[4096];
        ZSTD_inBuffer from = {plain.at + at, plain.n - at < each ? plain.n - at : each, 0};
        ZSTD_outBuffer to = {packed, sizeof packed, 0};
        assert_int_equal(ZSTD_compressStream2(stream, &to, &from, ZSTD_e_flush), 0);
        size_t record = record_begin(out, turn % 2 ? 83 : 81, 0);
        if (turn % 2)
            put_u64(out, to.pos);
        put(out, packed, to.pos);
        while (turn % 2 && out->n % 8)
            *vec_push(out) = 0xAA;
        uint16_t bytes = (uint16_t)(out->n - record);
        memcpy(out->at + record + 6, &bytes, sizeof bytes);
    }
    ZSTD_freeCCtx(stream);
    vec_release(&plain);
}

static void compressed_records_are_unpacked(void **state)
{
    (void)state;
    for (size_t each = 1; each < 200; each += 7) {
        struct bytes_out out = {0};
        struct profile profile;
        struct err err;
        compressed_make(&out, each);
        profile_init(&profile);
        profile.mode = PROFILE_PLAIN;
        assert_true(perf_data_import(&profile, out.at, out.n, NULL, &err));
        assert_int_equal(weight_at(&profile, "/nowhere/first", 0x4100, 1), 3);
        assert_int_equal(weight_at(&profile, "/nowhere/second", 0x8100, 3), 5);
        assert_int_equal(weight_of_event(&profile, "type 4, config 0x1"), 7);
        profile_release(&profile);
        vec_release(&out);
    }
}

/* A few bytes that unpack to a gigabyte of zeros are refused, not unpacked. */
static void bombs_are_refused(void **state)
{
    enum { MIB = 1 << 20, MIBS = 1024, ROOM = 60000 };
    (void)state;
    struct bytes_out out = {0};
    struct profile profile;
    struct err err;
    uint8_t *zeros = mem_alloc(MIB), *packed = mem_alloc(ROOM);
    ZSTD_CCtx *stream = ZSTD_createCCtx();
    ZSTD_outBuffer to = {packed, ROOM, 0};
    for (int i = 0; i < MIBS; i++) {
        ZSTD_inBuffer from = {zeros, MIB, 0};
        while (from.pos < from.size)
            ZSTD_compressStream2(stream, &to, &from, ZSTD_e_continue);
    }
    ZSTD_inBuffer none = {zeros, 0, 0};
    assert_int_equal(ZSTD_compressStream2(stream, &to, &none, ZSTD_e_end), 0);
    head_put(&out);
    size_t record = record_begin(&out, 81, 0);
    put(&out, packed, to.pos);
    uint16_t bytes = (uint16_t)(out.n - record);
    memcpy(out.at + record + 6, &bytes, sizeof bytes);
    profile_init(&profile);
    assert_false(perf_data_import(&profile, out.at, out.n, NULL, &err));
    assert_non_null(strstr(err.text, "unpacks to more than"));
    profile_release(&profile);
    ZSTD_freeCCtx(stream);
    mem_free(zeros);
    mem_free(packed);
    vec_release(&out);
}

/* Facts are for people: beyond some hundred of them modules that no file explains are counted. */
static void modules_beyond_the_facts_are_counted(void **state)
{
    enum { MODULES = 300 };
    (void)state;
    struct bytes_out out = {0};
    struct profile profile;
    struct err err;
    head_put(&out);
    for (uint64_t i = 0; i < MODULES; i++) {
        char path[64];
        snprintf(path, sizeof path, "/nowhere/module%lu", (unsigned long)i);
        map_put(&out, 10, 0x10000 + i * 0x1000, 0x1000, 0, path);
        sample_put(&out, 20 + i, 11, 0x10000 + i * 0x1000, 1, NULL, 0);
    }
    profile_init(&profile);
    profile.mode = PROFILE_PLAIN;
    assert_true(perf_data_import(&profile, out.at, out.n, NULL, &err));
    uint64_t noted = 0;
    for (size_t i = 0; i < profile.facts.n; i++)
        noted += strcmp(profile.facts.at[i].key, "replaced") == 0;
    assert_true(noted > 0);
    assert_int_equal(noted + profile.totals.losses[LOSS_fact_lost], MODULES);
    profile_release(&profile);
    vec_release(&out);
}

/* Wherever it ends, and whatever byte is another: an error or a profile, nothing else. */
static void file_damage(void (*make)(struct bytes_out *out))
{
    struct bytes_out out = {0};
    struct profile profile;
    struct err err;
    make(&out);
    for (size_t n = 0; n < out.n; n++) {
        uint8_t *cut = mem_alloc(n + 1);
        memcpy(cut, out.at, n);
        profile_init(&profile);
        if (!perf_data_import(&profile, cut, n, NULL, &err))
            assert_int_equal(err.kind, ERR_FORMAT);
        profile_release(&profile);
        mem_free(cut);
    }
    for (size_t i = 0; i < out.n; i++) {
        uint8_t was = out.at[i];
        out.at[i] ^= (uint8_t)(1 + i % 255);
        profile_init(&profile);
        perf_data_import(&profile, out.at, out.n, NULL, &err);
        profile_release(&profile);
        out.at[i] = was;
    }
    vec_release(&out);
}

static void compressed_some(struct bytes_out *out)
{
    compressed_make(out, 50);
}

static void damage_is_survived(void **state)
{
    (void)state;
    file_damage(file_make);
    file_damage(compressed_some);
    file_damage(group_make);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_are_where_they_were),
        cmocka_unit_test(counters_of_a_group_are_samples_of_each),
        cmocka_unit_test(compressed_records_are_unpacked),
        cmocka_unit_test(bombs_are_refused),
        cmocka_unit_test(modules_beyond_the_facts_are_counted),
        cmocka_unit_test(damage_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
