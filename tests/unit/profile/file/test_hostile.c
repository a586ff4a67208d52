/* Files that were cut, damaged or made to harm: each gives an error or the intact part before. */
#include "some_profile.h"

#include "profile/file/chunk.h"
#include "profile/file/encode.h"
#include "base/crc.h"
#include "wire/varint.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>
#include <zstd.h>

enum { APPENDS = 3 };

/* A small file made of appends, and what must be read of it up to each. */
static struct bytes file;
static size_t ends[APPENDS + 1]; /* of the header, and of each append */
static struct profile states[APPENDS + 1];

static void fill_delta(struct profile *delta, int i)
{
    some_profile(delta, PROFILE_SAMPLED, 2 + (uint64_t)i);
    delta->command = NULL;
    delta->start_unix_ns = 0;
    delta->complete = false;
}

/* What the writer does, with the sizes noted. The chunks of HEADER alone come first. */
static int make_file(void **state)
{
    (void)state;
    struct err err;
    struct encoder encoder = {0};
    for (int i = 0; i <= APPENDS; i++) {
        profile_init(&states[i]);
        states[i].mode = PROFILE_SAMPLED;
        states[i].command = arena_string(&states[i].arena, "lua fib.lua");
        profile_fact(&states[i], "cpu", "one");
    }
    chunk_put_start(&encoder.out);
    const char *facts[] = {"mode=sampled", "command=lua fib.lua", "cpu=one"};
    for (size_t i = 0; i < 3; i++) {
        uint8_t n = (uint8_t)strlen(facts[i]);
        bytes_add(&encoder.payload, &n, 1);
        bytes_add(&encoder.payload, facts[i], n);
    }
    chunk_put(&encoder.out, CHUNK_HEADER, CHUNK_VERSION, &encoder.payload, NULL, NULL);
    encoder.payload.n = 0;
    ends[0] = encoder.out.n;
    uint32_t modules = 0;
    for (int i = 1; i <= APPENDS; i++) {
        struct profile delta;
        struct numbering in_file = {0};
        fill_delta(&delta, i);
        encode_facts(&encoder, &delta);
        for (size_t m = 0; m < delta.modules.n; m++) {
            encode_module(&encoder, &delta.modules.at[m]);
            *vec_push(&in_file) = modules++;
        }
        encode_modules_end(&encoder);
        encode_counts(&encoder, &delta, &in_file);
        ends[i] = encoder.out.n;
        for (int later = i; later <= APPENDS; later++)
            profile_merge(&states[later], &delta, &err);
        vec_release(&in_file);
        profile_release(&delta);
    }
    file = encoder.out;
    encoder.out = (struct bytes){0};
    encoder_release(&encoder);
    return 0;
}

static int release_file(void **state)
{
    (void)state;
    vec_release(&file);
    for (int i = 0; i <= APPENDS; i++)
        profile_release(&states[i]);
    return 0;
}

/* The copy ends where its memory ends, so that the sanitizer sees one byte too many. */
static void assert_reads_as(const uint8_t *bytes, size_t n, int appends, bool warned)
{
    struct err err = {0};
    struct profile back;
    uint8_t *exact = mem_alloc(n);
    memcpy(exact, bytes, n);
    if (appends < 0) {
        assert_false(profile_read_bytes("f", exact, n, &back, &err));
        assert_int_equal(err.kind, ERR_FORMAT);
        assert_int_equal(strncmp(err.text, "f: ", 3), 0);
    } else {
        if (!profile_read_bytes("f", exact, n, &back, &err))
            fail_msg("%s", err.text);
        assert_same_profile(&states[appends], &back);
        assert_int_equal(back.warning != NULL, warned);
        profile_release(&back);
    }
    mem_free(exact);
}

static int appends_before(size_t offset)
{
    int appends = -1;
    while (appends < APPENDS && ends[appends + 1] <= offset)
        appends++;
    return appends;
}

static void a_file_cut_anywhere_keeps_its_whole_appends(void **state)
{
    (void)state;
    for (size_t n = 0; n <= file.n; n++) {
        int appends = appends_before(n);
        assert_reads_as(file.at, n, appends, appends >= 0 && n > ends[appends]);
    }
}

static void a_file_damaged_anywhere_keeps_what_precedes(void **state)
{
    (void)state;
    static const uint8_t flips[] = {1, 2, 4, 8, 16, 32, 64, 128, 0xff};
    for (size_t at = 0; at < file.n; at++)
        for (size_t i = 0; i < sizeof flips; i++) {
            file.at[at] ^= flips[i];
            assert_reads_as(file.at, file.n, appends_before(at), true);
            file.at[at] ^= flips[i];
        }
}

/* ---- files with right checksums and wrong content */

static void put_chunk(struct bytes *out, uint32_t type, uint8_t version, uint8_t flags,
                      const void *payload, size_t n)
{
    uint8_t header[CHUNK_HEADER_BYTES] = {(uint8_t)n,
                                          (uint8_t)(n >> 8),
                                          (uint8_t)(n >> 16),
                                          (uint8_t)(n >> 24),
                                          (uint8_t)type,
                                          (uint8_t)(type >> 8),
                                          version,
                                          flags};
    uint32_t crc = crc32c(crc32c(0, header, 8), payload, n);
    for (int i = 0; i < 4; i++)
        header[8 + i] = (uint8_t)(crc >> 8 * i);
    bytes_add(out, header, sizeof header);
    bytes_add(out, payload, n);
}

static void start(struct bytes *out)
{
    *out = (struct bytes){0};
    chunk_put_start(out);
    put_chunk(out, CHUNK_HEADER, 1, 0, "\x0amode=exact", 11);
    put_chunk(out, CHUNK_MODULES, 1, 0, "\x02/m\x00", 4);
}

static void assert_refused(struct bytes *bytes, const char *text)
{
    struct err err = {0};
    struct profile back;
    put_chunk(bytes, CHUNK_TOTALS, 1, 0, "", 0);
    assert_false(profile_read_bytes("f", bytes->at, bytes->n, &back, &err));
    assert_int_equal(err.kind, ERR_FORMAT);
    assert_string_equal(err.text, text);
    vec_release(bytes);
}

static void assert_payload_refused(uint32_t type, const char *payload, size_t n, const char *text)
{
    struct bytes bytes;
    start(&bytes);
    put_chunk(&bytes, type, type == CHUNK_WINDOWS ? CHUNK_SPANS_VERSION : 1, 0, payload, n);
    assert_refused(&bytes, text);
}
#define REFUSED(type, payload, text) assert_payload_refused(type, payload, sizeof payload - 1, text)

static void bad_content_is_an_error_that_says_where(void **state)
{
    (void)state;
    REFUSED(CHUNK_TRIPS, "\x02\x0a\x00\x00\x02\x07",
            "f: byte 51: TRIPS chunk, byte 4 of its payload: runs of 0 iterations");
    REFUSED(CHUNK_TRIPS, "\x02\x0a\x82\x01\x00\x02\x07",
            "f: byte 51: TRIPS chunk, byte 5 of its payload: runs of 65 iterations");
    REFUSED(CHUNK_PATHS, "\x02\x0a\x02\x1c\x02\x07",
            "f: byte 51: PATHS chunk, byte 4 of its payload: path of kind 14");
    REFUSED(CHUNK_LATENCIES, "\x02\x0a\x08\x00\x02\x07",
            "f: byte 51: LATENCIES chunk, byte 4 of its payload: latency of kind 4");
    REFUSED(CHUNK_MODELLED, "\x02\x0a\x16\x00\x02\x07",
            "f: byte 51: MODELLED chunk, byte 4 of its payload: modelled row of kind 11");
    REFUSED(CHUNK_WINDOWS, "\x01\x01\x01\x00\x01\x02\x0a\x04\x02\x00",
            "f: byte 51: WINDOWS chunk, byte 6 of its payload: module 2 of 1");
    REFUSED(CHUNK_WINDOWS, "\x01\x01\x01\x00\x00\x01\x02\x05\x05\x02\x00",
            "f: byte 51: WINDOWS chunk, byte 7 of its payload: module 2 of 1");
    REFUSED(CHUNK_WINDOWS, "\x01\x01\x01\x00\x01\x01\x0a\x04\x05\x00",
            "f: byte 51: WINDOWS chunk, byte 9 of its payload: a run of 5 instructions in 4 bytes");
    REFUSED(CHUNK_WINDOWS, "\x01\x01\x01\x02\x00\x00",
            "f: byte 51: WINDOWS chunk, byte 5 of its payload: a window of kind 2");
    REFUSED(CHUNK_WINDOWS, "\x01\x01\x01\x00\x00\x00\x05\x01",
            "f: byte 51: WINDOWS chunk, byte 7 of its payload: 5 bytes wanted, 1 left");
    REFUSED(CHUNK_WASTE, "\x02\x0a\x02\x0a\x00\x00\x00\x00\x12\x02\x07",
            "f: byte 51: WASTE chunk, byte 9 of its payload: waste of kind 9");
    REFUSED(CHUNK_WASTE, "\x02\x0a\x02\x0a\x04\x00\x00\x00\x02\x02\x07",
            "f: byte 51: WASTE chunk, byte 9 of its payload: module 2 of 1");
    REFUSED(CHUNK_CALLED, "\x02\x0a\x02\x0a\x00\x00\x00\x00\x10\x02\x07",
            "f: byte 51: CALLED chunk, byte 9 of its payload: conflict of kind 8");
    REFUSED(CHUNK_CALLED, "\x02\x0a\x02\x0a\x04\x00\x00\x00\x02\x02\x07",
            "f: byte 51: CALLED chunk, byte 9 of its payload: module 2 of 1");
    REFUSED(CHUNK_TURNS, "\x02\x0a\x06\x00\x02\x07",
            "f: byte 51: TURNS chunk, byte 4 of its payload: directions of 0 branches");
    REFUSED(CHUNK_TURNS, "\x02\x0a\x06\x82\x01\x02\x07",
            "f: byte 51: TURNS chunk, byte 5 of its payload: directions of 65 branches");
    REFUSED(CHUNK_CONFLICTS, "\x02\x0a\x02\x0a\x10\x02\x07",
            "f: byte 51: CONFLICTS chunk, byte 5 of its payload: conflict of kind 8");
    REFUSED(CHUNK_CONFLICTS, "\x02\x0a\x00\x0a\x02\x02\x07",
            "f: byte 51: CONFLICTS chunk, byte 5 of its payload: module 0 of 1");
    REFUSED(CHUNK_CONFLICTS, "\x02\x0a\x02\x0a\x80\x18\x02\x07",
            "f: byte 51: CONFLICTS chunk, byte 6 of its payload: conflict of kind 1536");
    REFUSED(CHUNK_TRIPS, "\x02\x0a\x02\x08\x02\x07",
            "f: byte 51: TRIPS chunk, byte 4 of its payload: runs of kind 4");
    REFUSED(CHUNK_RANGES, "\x04\x0a\x0a\x02\x02\x07",
            "f: byte 51: RANGES chunk, byte 4 of its payload: module 2 of 1");
    REFUSED(CHUNK_RANGES, "\x00\x0a\x0a\x02\x02\x07",
            "f: byte 51: RANGES chunk, byte 4 of its payload: module 0 of 1");
    REFUSED(CHUNK_RANGES, "\x02\x0a\x0a\x02\x40\x07",
            "f: byte 51: RANGES chunk, byte 5 of its payload: unknown sums 0x40");
    REFUSED(CHUNK_RANGES, "\x02\x0a\x0a\x02\x02",
            "f: byte 51: RANGES chunk, byte 5 of its payload: bad number");
    REFUSED(CHUNK_RANGES, "\x02\x8a",
            "f: byte 51: RANGES chunk, byte 1 of its payload: bad number");
    REFUSED(CHUNK_RANGES, "\x02\x8a\x00\x00",
            "f: byte 51: RANGES chunk, byte 1 of its payload: bad number");
    REFUSED(CHUNK_EDGES, "\x02\x00\x02\x00\x12\x00",
            "f: byte 51: EDGES chunk, byte 5 of its payload: edge of kind 9");
    REFUSED(CHUNK_EDGES, "\x00\x00\x00\x00\x00\x00",
            "f: byte 51: EDGES chunk, byte 5 of its payload: module 0 of 1");
    REFUSED(CHUNK_RANGES, "\x02\x00\x00\x80\x80\x80\x80\x20\x00",
            "f: byte 51: RANGES chunk, byte 8 of its payload: range of 4294967296 instructions");
    REFUSED(CHUNK_MODULES, "\x7f/m",
            "f: byte 51: MODULES chunk, byte 1 of its payload: 127 bytes wanted, 2 left");
    REFUSED(CHUNK_MODULES, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01/m",
            "f: byte 51: MODULES chunk, byte 10 of its payload: 18446744073709551615 bytes wanted, "
            "2 left");
    REFUSED(CHUNK_MODULES, "\x02/\x00\x00",
            "f: byte 51: MODULES chunk, byte 3 of its payload: a zero byte in a text");
    REFUSED(CHUNK_MODULES,
            "\x01/\x15"
            "012345678901234567890",
            "f: byte 51: MODULES chunk, byte 3 of its payload: build-id of 21 bytes");
    REFUSED(CHUNK_HEADER, "\x0cmode=sampled",
            "f: byte 51: HEADER chunk, byte 13 of its payload: two modes");
    REFUSED(CHUNK_HEADER, "\x0cmode=dreamed",
            "f: byte 51: HEADER chunk, byte 13 of its payload: unknown mode 'dreamed'");
    REFUSED(CHUNK_HEADER, "\x0cstart_ns=1x2",
            "f: byte 51: HEADER chunk, byte 13 of its payload: start_ns is no number");
    REFUSED(CHUNK_HEADER, "\x02=1",
            "f: byte 51: HEADER chunk, byte 3 of its payload: a fact is not key=value");
    REFUSED(CHUNK_LOSSES, "\003cut", "f: byte 51: LOSSES chunk, byte 4 of its payload: bad number");
    REFUSED(CHUNK_TOTALS, "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x02",
            "f: byte 51: TOTALS chunk, byte 10 of its payload: a total of more than 64 bits");
}

static void wrong_stacks_threads_and_names_are_errors(void **state)
{
    (void)state;
    REFUSED(CHUNK_STACKS, "\x01\x02\x0a\x00",
            "f: byte 51: STACKS chunk, byte 3 of its payload: depth 1 below depth -1");
    REFUSED(CHUNK_STACKS, "\x00\x00\x0a\x00\x02\x02\x0a\x00",
            "f: byte 51: STACKS chunk, byte 7 of its payload: depth 2 below depth 0");
    REFUSED(CHUNK_STACKS, "\x00\x02\x0a\x00",
            "f: byte 51: STACKS chunk, byte 3 of its payload: a thread in module 1");
    REFUSED(CHUNK_STACKS, "\x00\x00\x0a\x00\x01\x00\x00\x00",
            "f: byte 51: STACKS chunk, byte 7 of its payload: module 0 of 1");
    REFUSED(CHUNK_STACKS, "\x00\x00\x0a\x00\x01\x04\x00\x00",
            "f: byte 51: STACKS chunk, byte 7 of its payload: module 2 of 1");
    REFUSED(CHUNK_STACKS, "\x00\x00\x0a\x80\x80\x80\x80\x10\x01",
            "f: byte 51: STACKS chunk, byte 8 of its payload: unknown groups 0x100000000");
    REFUSED(CHUNK_STACKS, "\x00\x00\x0a\x03\x01",
            "f: byte 51: STACKS chunk, byte 5 of its payload: bad number");
    REFUSED(CHUNK_THREADS, "\x80\x80\x80\x80\x10\x01\x00",
            "f: byte 51: THREADS chunk, byte 5 of its payload: process 4294967296");
    REFUSED(CHUNK_THREADS, "\x01\x80\x80\x80\x80\x10\x00",
            "f: byte 51: THREADS chunk, byte 6 of its payload: thread 4294967296");
    REFUSED(CHUNK_THREADS, "\x01\x02\x01x\x05",
            "f: byte 51: THREADS chunk, byte 5 of its payload: bad number");
    REFUSED(CHUNK_NAMES, "\x00\x00\x05\x01x",
            "f: byte 51: NAMES chunk, byte 2 of its payload: module 0 of 1");
    REFUSED(CHUNK_NAMES, "\x02\x00\x05\x02x",
            "f: byte 51: NAMES chunk, byte 4 of its payload: 2 bytes wanted, 1 left");
}

/* Each chunk's tree stands alone, whatever the chunk before it held. */
static void too_deep_a_stack_is_an_error(void **state)
{
    (void)state;
    struct bytes payload = {0};
    bytes_add(&payload, "\x00\x00\x0a\x00", 4);
    for (uint32_t depth = 1; depth <= STACK_DEPTH_MAX; depth++) {
        uint8_t entry[8] = {0}, *end = varint_put(entry, depth);
        *end++ = depth == 1 ? 2 : 0;
        bytes_add(&payload, entry, (size_t)(end - entry) + 2);
    }
    assert_payload_refused(
        CHUNK_STACKS, (const char *)payload.at, payload.n,
        "f: byte 51: STACKS chunk, byte 20356 of its payload: more than 4095 frames");
    vec_release(&payload);
    struct bytes bytes;
    start(&bytes);
    put_chunk(&bytes, CHUNK_STACKS, 1, 0, "\x00\x00\x0a\x01\x05", 5);
    put_chunk(&bytes, CHUNK_STACKS, 1, 0, "\x01\x02\x0a\x00", 4);
    assert_refused(&bytes,
                   "f: byte 68: STACKS chunk, byte 3 of its payload: depth 1 below depth -1");
}

/* Rows that come in any order and more than once cost and mean the same. */
static void threads_and_names_may_come_in_any_order(void **state)
{
    (void)state;
    struct err err = {0};
    struct profile back;
    struct bytes bytes;
    start(&bytes);
    for (int i = 0; i < 20000; i++) {
        uint8_t row[32] = {0}, *end = varint_put(varint_put(row, 7), (uint64_t)(20000 - i) / 2);
        *end++ = 1, *end++ = 'x', *end++ = 1, *end++ = 2, *end++ = 3, *end++ = 4;
        put_chunk(&bytes, CHUNK_THREADS, 1, 0, row, (size_t)(end - row));
        end = varint_put(row + 1, varint_fold((uint64_t)(20000 - i) / 2));
        row[0] = 2;
        *end++ = 9, *end++ = 1, *end++ = (uint8_t)('a' + i % 2);
        put_chunk(&bytes, CHUNK_NAMES, 1, 0, row, (size_t)(end - row));
    }
    put_chunk(&bytes, CHUNK_TOTALS, 1, 0, "", 0);
    if (!profile_read_bytes("f", bytes.at, bytes.n, &back, &err))
        fail_msg("%s", err.text);
    assert_int_equal(back.threads.n, 10001);
    assert_int_equal(back.names.n, 10001);
    for (size_t i = 1; i < 10000; i++) {
        assert_int_equal(back.threads.at[i].tid, i);
        assert_int_equal(back.threads.at[i].switches, 8);
        assert_int_equal(back.names.at[i].start, i);
        assert_string_equal(back.names.at[i].text, "a");
    }
    profile_release(&back);
    vec_release(&bytes);
}

static void assert_batch_refused(const char *payload, size_t n, const char *text)
{
    struct bytes bytes;
    start(&bytes);
    put_chunk(&bytes, CHUNK_RANGES, 2, 0, payload, n);
    assert_refused(&bytes, text);
}
#define BATCH_REFUSED(payload, text) assert_batch_refused(payload, sizeof payload - 1, text)

static void wrong_batches_are_errors(void **state)
{
    (void)state;
    BATCH_REFUSED("", "f: byte 51: RANGES chunk, byte 0 of its payload: bad number");
    BATCH_REFUSED("\x01", "f: byte 51: RANGES chunk, byte 1 of its payload: bad number");
    BATCH_REFUSED("\x01\x01\x02", "f: byte 51: RANGES chunk, byte 3 of its payload: key 1 of 0");
    BATCH_REFUSED("\x01\x01\x01",
                  "f: byte 51: RANGES chunk, byte 3 of its payload: key 18446744073709551615 of 0");
    BATCH_REFUSED("\x01\x01\x00\x02",
                  "f: byte 51: RANGES chunk, byte 4 of its payload: bad number");
    BATCH_REFUSED("\x01\x01\x00\x04\x02\x02\x02\x01\x01",
                  "f: byte 51: RANGES chunk, byte 7 of its payload: module 2 of 1");
    BATCH_REFUSED("\x01\x01\x00\x02\x02\x02\x02\x01",
                  "f: byte 51: RANGES chunk, byte 8 of its payload: bad number");
    BATCH_REFUSED("\x01\x01\x00\x02\x02\x02\x02\x01\x01\x04\x01\x01",
                  "f: byte 51: RANGES chunk, byte 10 of its payload: key 2 of 1");
}

/* Sums of batches stop at the maximum like all others, and a key may be introduced twice. */
static void odd_batches_are_read(void **state)
{
    (void)state;
    static const char most[] = "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01";
    struct err err = {0};
    struct profile back;
    struct bytes bytes, payload = {0};
    bytes_add(&payload, most, 10);
    bytes_add(&payload, most, 10);
    for (int i = 0; i < 2; i++) {
        bytes_add(&payload, i ? "\x02\x00\x00\x00\x00" : "\x00\x02\x0a\x0a\x02", 5);
        bytes_add(&payload, most, 10);
        bytes_add(&payload, "\x03", 1);
    }
    start(&bytes);
    put_chunk(&bytes, CHUNK_RANGES, 2, 0, payload.at, payload.n);
    put_chunk(&bytes, CHUNK_RANGES, 2, 0, "\x01\x02\x02\x01\x01", 5);
    put_chunk(&bytes, CHUNK_TOTALS, 1, 0, "", 0);
    if (!profile_read_bytes("f", bytes.at, bytes.n, &back, &err))
        fail_msg("%s", err.text);
    assert_int_equal(back.ranges.n, 1);
    const struct range_key range = {.instructions = 1, .start = {5}, .last = {5}};
    const struct sums *sums = table_find(&back.ranges, &range);
    assert_non_null(sums);
    assert_true(sums->time == UINT64_MAX && sums->count == 7);
    assert_true(sums->time_yy == ~(u128)0 && sums->time_xy == ~(u128)0);
    assert_true(sums->count_yy == 19 && sums->count_xy == (u128)6 * UINT64_MAX + 2);
    profile_release(&back);
    vec_release(&payload);
    vec_release(&bytes);
}

static void an_end_has_no_payload(void **state)
{
    (void)state;
    REFUSED(CHUNK_END, "x", "f: byte 51: END chunk, byte 0 of its payload: it has one");
}

static void what_is_too_many_is_an_error(void **state)
{
    (void)state;
    struct bytes payload = {0};
    for (uint32_t i = 0; i <= 1 << 16; i++)
        bytes_add(&payload, "\x02/m\x00", 4);
    assert_payload_refused(
        CHUNK_MODULES, (const char *)payload.at, payload.n,
        "f: byte 51: MODULES chunk, byte 262144 of its payload: more than 65536 modules");
    payload.n = 0;
    for (uint32_t i = 0; i <= 1 << 12; i++) {
        char fact[16];
        snprintf(fact, sizeof fact, "\x06k=%04x", i);
        bytes_add(&payload, fact, 7);
    }
    assert_payload_refused(
        CHUNK_HEADER, (const char *)payload.at, payload.n,
        "f: byte 51: HEADER chunk, byte 28679 of its payload: more than 4096 facts");
    vec_release(&payload);
}

static void a_newer_writer_is_told_apart_from_damage(void **state)
{
    (void)state;
    struct bytes bytes;
    start(&bytes);
    put_chunk(&bytes, CHUNK_EDGES, 3, 0, "", 0);
    assert_refused(&bytes, "f: byte 51: EDGES chunk of version 3: a newer gait wrote it, this one "
                           "reads version 2");
    start(&bytes);
    put_chunk(&bytes, CHUNK_LOSSES, 2, 0, "", 0);
    assert_refused(&bytes, "f: byte 51: LOSSES chunk of version 2: a newer gait wrote it, this one "
                           "reads version 1");
    start(&bytes);
    put_chunk(&bytes, CHUNK_EDGES, 1, 6, "", 0);
    assert_refused(&bytes, "f: byte 51: EDGES chunk: unknown flags 0x6");
    start(&bytes);
    bytes.at[8] = 2;
    assert_refused(&bytes, "f: file version 2: this gait reads version 1");
    bytes = (struct bytes){0};
    chunk_put_start(&bytes);
    put_chunk(&bytes, CHUNK_MODULES, 1, 0, "", 0);
    assert_refused(&bytes, "f: byte 12: the first chunk is no HEADER");
    bytes = (struct bytes){0};
    chunk_put_start(&bytes);
    put_chunk(&bytes, CHUNK_HEADER, 1, 0, "", 0);
    assert_refused(&bytes, "f: byte 12: HEADER chunk, byte 0 of its payload: no mode");
}

static void unknown_types_and_totals_are_skipped(void **state)
{
    (void)state;
    struct err err = {0};
    struct profile back;
    struct bytes bytes;
    start(&bytes);
    put_chunk(&bytes, 77, 9, 0xf0, "who knows", 9);
    put_chunk(&bytes, 5, 2, 0, "once used", 9);
    put_chunk(&bytes, CHUNK_RANGES, 1, 0, "\x02\x0a\x0a\x02\x02\x07", 6);
    put_chunk(&bytes, CHUNK_TOTALS, 1, 0,
              "\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f", 15);
    put_chunk(&bytes, CHUNK_END, 1, 0, "", 0);
    assert_true(profile_read_bytes("f", bytes.at, bytes.n, &back, &err));
    assert_true(back.complete);
    assert_string_equal(back.warning,
                        "f: 2 chunks of unknown type skipped: another version of gait wrote it");
    struct range_key key = {.instructions = 1, .start = {5}, .last = {5}};
    assert_int_equal(table_find(&back.ranges, &key)->count, 7);
    assert_int_equal(back.totals.batches, 1);
    assert_int_equal(back.totals.tool_ns, 13);
    assert_int_equal(back.totals.off_ns, 14);
    profile_release(&back);
    bytes_add(&bytes, "behind", 6);
    assert_true(profile_read_bytes("f", bytes.at, bytes.n, &back, &err));
    assert_string_equal(back.warning, "f: 6 bytes behind the end are not used");
    profile_release(&back);
    vec_release(&bytes);
}

/* ---- compressed payloads */

static size_t put_zstd(struct bytes *out, uint32_t type, const void *raw, size_t n, size_t keep)
{
    size_t room = ZSTD_compressBound(n);
    void *packed = mem_alloc(room);
    size_t length = ZSTD_compress(packed, room, raw, n, 3);
    assert_false(ZSTD_isError(length));
    length = keep < length ? keep : length;
    put_chunk(out, type, 1, CHUNK_ZSTD, packed, length);
    mem_free(packed);
    return length;
}

static void compressed_payloads_are_bounded(void **state)
{
    (void)state;
    struct bytes bytes;
    size_t n = 64 << 20;
    char *zeros = mem_alloc(n);
    const size_t claims[] = {n, 1000};
    for (size_t i = 0; i < 2; i++) {
        char text[128];
        start(&bytes);
        size_t length = put_zstd(&bytes, CHUNK_RANGES, zeros, claims[i], n);
        snprintf(text, sizeof text, "f: byte 51: RANGES chunk: %zu bytes claim to unpack to %zu",
                 length, claims[i]);
        assert_refused(&bytes, text);
    }
    start(&bytes);
    put_zstd(&bytes, CHUNK_RANGES, "\x02\x0a\x0a\x02\x02\x07", 6, 12);
    assert_refused(&bytes, "f: byte 51: RANGES chunk: damaged zstd frame");
    start(&bytes);
    put_chunk(&bytes, CHUNK_RANGES, 1, CHUNK_ZSTD, "not zstd", 8);
    assert_refused(&bytes, "f: byte 51: RANGES chunk: no zstd frame of known size");
    start(&bytes);
    put_chunk(&bytes, CHUNK_RANGES, 1, CHUNK_ZSTD, "", 0);
    assert_refused(&bytes, "f: byte 51: RANGES chunk: no zstd frame of known size");
    mem_free(zeros);
}

/* Leaves 8 MiB of address space; returns the old limit. */
static struct rlimit limit_memory(void)
{
    struct rlimit old, tight;
    unsigned long pages = 0;
    FILE *statm = fopen("/proc/self/statm", "r");
    assert_non_null(statm);
    assert_int_equal(fscanf(statm, "%lu", &pages), 1);
    fclose(statm);
    assert_int_equal(getrlimit(RLIMIT_AS, &old), 0);
    tight = old;
    tight.rlim_cur = pages * (unsigned long)sysconf(_SC_PAGESIZE) + (8 << 20);
    assert_int_equal(setrlimit(RLIMIT_AS, &tight), 0);
    return old;
}

/* A claim that were believed would end the process, by the limit. */
static void claimed_lengths_cost_nothing(void **state)
{
    (void)state;
    static const char *const lengths[] = {"\xff\xff\xff\xff", "\xff\xff\xff\x00",
                                          "\x00\x00\x00\x01"};
#ifndef __SANITIZE_ADDRESS__ /* which needs terabytes for itself */
    struct rlimit old = limit_memory();
#else
    (void)limit_memory;
#endif
    for (size_t i = 0; i < 3; i++) {
        struct err err = {0};
        struct profile back;
        struct bytes bytes;
        start(&bytes);
        bytes_add(&bytes, lengths[i], 4);
        bytes_add(&bytes, "\x03\x00\x01\x00\x00\x00\x00\x00xyz", 11);
        assert_true(profile_read_bytes("f", bytes.at, bytes.n, &back, &err));
        assert_non_null(back.warning);
        profile_release(&back);
        vec_release(&bytes);
    }
#ifndef __SANITIZE_ADDRESS__
    assert_int_equal(setrlimit(RLIMIT_AS, &old), 0);
#endif
}

/* ---- other files */

static void what_is_no_profile_is_refused(void **state)
{
    (void)state;
    struct err err = {0};
    struct profile back;
    assert_false(profile_read("/nonexistent/p", &back, &err));
    assert_int_equal(err.kind, ERR_MISSING);
    assert_string_equal(err.text, "/nonexistent/p: no such file");
    assert_false(profile_read("/", &back, &err));
    assert_string_equal(err.text, "/: not a regular file");
    assert_false(profile_read("/dev/zero", &back, &err));
    assert_string_equal(err.text, "/dev/zero: not a regular file");
    assert_false(profile_read("/proc/self/exe", &back, &err));
    assert_string_equal(err.text, "/proc/self/exe: not a gait profile");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_cut_anywhere_keeps_its_whole_appends),
        cmocka_unit_test(a_file_damaged_anywhere_keeps_what_precedes),
        cmocka_unit_test(bad_content_is_an_error_that_says_where),
        cmocka_unit_test(wrong_stacks_threads_and_names_are_errors),
        cmocka_unit_test(too_deep_a_stack_is_an_error),
        cmocka_unit_test(threads_and_names_may_come_in_any_order),
        cmocka_unit_test(wrong_batches_are_errors),
        cmocka_unit_test(odd_batches_are_read),
        cmocka_unit_test(an_end_has_no_payload),
        cmocka_unit_test(what_is_too_many_is_an_error),
        cmocka_unit_test(a_newer_writer_is_told_apart_from_damage),
        cmocka_unit_test(unknown_types_and_totals_are_skipped),
        cmocka_unit_test(compressed_payloads_are_bounded),
        cmocka_unit_test(claimed_lengths_cost_nothing),
        cmocka_unit_test(what_is_no_profile_is_refused),
    };
    return cmocka_run_group_tests(tests, make_file, release_file);
}
