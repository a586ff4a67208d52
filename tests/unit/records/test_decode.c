/* What decoders make of registers and packets, by hand; that parts have the values that perf prints
 * is tests/truth/hardware.sh. */
#include "records/ibs.h"
#include "records/pebs.h"
#include "records/spe.h"

#include "base/err.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#define BIT(n) ((uint64_t)1 << (n))

static const struct ibs_machine zen2 = {0x17, 0x31}, zen3 = {0x19, 0x01};

static size_t ibs_put(uint8_t *to, uint32_t caps, const uint64_t *words, size_t n)
{
    memcpy(to, &caps, sizeof caps);
    memcpy(to + sizeof caps, words, n * sizeof *words);
    return sizeof caps + n * sizeof *words;
}

static uint64_t between(const struct sample *sample, enum sample_field from, enum sample_field to)
{
    assert_true(sample_knows(sample, from) && sample_knows(sample, to));
    assert_true(sample->at[to] >= sample->at[from]);
    return sample->at[to] - sample->at[from];
}

/* A load that missed: dispatched, complete 90 cycles later, retired after 100; 80 cycles for the
 * line. */
static const uint64_t load[7] = {0,
                                 0x401000,
                                 10 | 100 << 16,
                                 3 | BIT(4),
                                 BIT(0) | BIT(2) | BIT(7) | BIT(17) | 4 << 22 | (uint64_t)5 << 26 |
                                     BIT(20) | (uint64_t)80 << 32 | (uint64_t)7 << 48,
                                 0x7000,
                                 0x9000};

static void load_that_missed(void **state)
{
    (void)state;
    uint8_t raw[128];
    struct sample sample = {0};
    struct err err;
    assert_true(ibs_op_decode(raw, ibs_put(raw, 0x1f, load, 7), &zen2, &sample, &err));
    assert_int_equal(sample.at[SAMPLE_PC], 0x401000);
    assert_int_equal(between(&sample, SAMPLE_MAP, SAMPLE_DONE), 90);
    assert_int_equal(between(&sample, SAMPLE_DONE, SAMPLE_RETIRE), 10);
    assert_false(sample_knows(&sample, SAMPLE_ISSUE)); /* IBS does not tell */
    assert_false(sample_knows(&sample, SAMPLE_FETCH));
    assert_int_equal(sample.at[SAMPLE_MISS], 80);
    assert_int_equal(sample.at[SAMPLE_TRANSLATE], 7);
    assert_int_equal(sample.at[SAMPLE_OPEN_MISSES], 5);
    assert_int_equal(sample.at[SAMPLE_BYTES], 8);
    assert_int_equal(sample.at[SAMPLE_DATA], 0x7000);
    assert_false(sample_knows(&sample, SAMPLE_PHYSICAL)); /* its valid bit is not set */
    assert_int_equal(sample.at[SAMPLE_SOURCE], SOURCE_FAR_MEMORY);
    assert_true(sample_happened(&sample, EVENT_L1_MISS));
    assert_true(sample_happened(&sample, EVENT_RETIRED));
    assert_true(sample_event_known(&sample, EVENT_STORE));
    assert_false(sample_happened(&sample, EVENT_STORE));
    /* It is no branch: nothing is said of where it went. */
    assert_true(sample_event_known(&sample, EVENT_BRANCH));
    assert_false(sample_event_known(&sample, EVENT_TAKEN));
}

/* Early Zen 3 tells nonsense of software prefetches: what it says is not measured. */
static void what_lies_is_not_measured(void **state)
{
    (void)state;
    uint8_t raw[128];
    uint64_t words[7];
    struct sample sample = {0};
    struct err err;
    memcpy(words, load, sizeof words);
    words[4] |= BIT(21);
    size_t n = ibs_put(raw, 0x1f, words, 7);
    assert_true(ibs_op_decode(raw, n, &zen3, &sample, &err));
    assert_false(sample_event_known(&sample, EVENT_L2_MISS));
    assert_false(sample_knows(&sample, SAMPLE_SOURCE));
    assert_false(sample_knows(&sample, SAMPLE_OPEN_MISSES));
    assert_true(sample_event_known(&sample, EVENT_L1_MISS));
    sample = (struct sample){0};
    assert_true(ibs_op_decode(raw, n, &zen2, &sample, &err));
    assert_true(sample_event_known(&sample, EVENT_L2_MISS));
}

static void registers_that_are_missing(void **state)
{
    (void)state;
    uint8_t raw[128];
    struct sample sample = {0};
    struct err err;
    for (size_t n = 0; n < 4 + 7 * 8; n++) {
        ibs_put(raw, 0x1f, load, 7);
        assert_false(ibs_op_decode(raw, n, &zen2, &sample, &err));
        assert_int_equal(err.kind, ERR_FORMAT);
    }
    /* Capabilities promise a branch target, which is not there. */
    assert_false(ibs_op_decode(raw, ibs_put(raw, 0x3f, load, 7), &zen2, &sample, &err));
    uint64_t fetch[3] = {BIT(49) | (uint64_t)33 << 32, 0x401000, 0};
    assert_false(ibs_fetch_decode(raw, ibs_put(raw, 0x21f, fetch, 3), &zen2, &sample, &err));
    sample = (struct sample){0};
    assert_true(ibs_fetch_decode(raw, ibs_put(raw, 0x1f, fetch, 3), &zen2, &sample, &err));
    assert_int_equal(sample.at[SAMPLE_FETCHING], 33);
    /* It was not completed: it cannot have retired. */
    assert_true(sample_event_known(&sample, EVENT_RETIRED));
    assert_false(sample_happened(&sample, EVENT_RETIRED));
}

static void packets_make_records(void **state)
{
    (void)state;
    static const uint8_t bytes[] = {
        0xb0, 0x00, 0x10, 0x40, 0,    0,    0, 0, 0x80,       /* PC 0x401000, EL0 */
        0x4a, 0x01,                                           /* a conditional branch */
        0x52, 0x82, 0x00,                                     /* retired, mispredicted, taken */
        0x99, 0x04, 0x00, 0x98, 0x0c, 0x00,                   /* 4 cycles to issue, 12 in all */
        0x00, 0x00, 0x71, 9,    0,    0,    0, 0, 0,    0, 0, /* padding, a time */
        0xff,                                                 /* no packet */
        0xb0, 0x00, 0x20, 0x08, 0,    0,    0, 0, 0xc0,       /* of the kernel */
        0x01, 0x98, 0x01, /* its end; and a packet that is cut off */
    };
    struct spe_reader reader = {.at = bytes, .end = bytes + sizeof bytes};
    struct sample sample;
    assert_true(spe_read(&reader, &sample));
    assert_int_equal(sample.at[SAMPLE_PC], 0x401000);
    assert_int_equal(between(&sample, SAMPLE_MAP, SAMPLE_ISSUE), 4);
    assert_int_equal(between(&sample, SAMPLE_ISSUE, SAMPLE_DONE), 8);
    assert_true(sample_happened(&sample, EVENT_TAKEN));
    assert_true(sample_happened(&sample, EVENT_MISPREDICTED));
    assert_true(sample_happened(&sample, EVENT_CONDITIONAL));
    assert_int_equal(sample.at[SAMPLE_TICKS], 9);
    assert_false(sample_knows(&sample, SAMPLE_RETIRE));
    assert_true(spe_read(&reader, &sample));
    assert_int_equal(sample.at[SAMPLE_PC], 0xff00000000082000);
    assert_false(sample_event_known(&sample, EVENT_RETIRED));
    assert_false(spe_read(&reader, &sample));
    assert_int_equal(reader.bad_bytes, 3);
    assert_true(reader.at == reader.end);
}

static void weights_and_sources(void **state)
{
    (void)state;
    /* A load, hit in L3, TLB hit in one level or the other, not locked; 96 cycles, 100 for the
     * instruction. */
    struct pebs pebs = {.has_weight = true,
                        .split = true,
                        .has_source = true,
                        .weight = 96 | (uint64_t)100 << 32,
                        .source = 2 | (uint64_t)(2 | 0x40) << 5 | (uint64_t)(2 | 8 | 16) << 26};
    struct sample sample = {0};
    pebs_decode(&pebs, &sample);
    assert_int_equal(sample.at[SAMPLE_MEMORY], 96);
    assert_int_equal(sample.at[SAMPLE_INSTRUCTION], 100);
    assert_false(sample_knows(&sample, SAMPLE_RETIRE_GAP)); /* this machine does not tell */
    assert_int_equal(sample.at[SAMPLE_SOURCE], SOURCE_L3);
    assert_true(sample_happened(&sample, EVENT_L2_MISS));
    assert_true(sample_event_known(&sample, EVENT_L3_MISS));
    assert_false(sample_happened(&sample, EVENT_L3_MISS));
    assert_false(sample_event_known(&sample, EVENT_TLB_MISS));
    assert_true(sample_event_known(&sample, EVENT_TLB_WALK));
    assert_false(sample_event_known(&sample, EVENT_LOCKED));
    /* Memory of another node; the TLB missed and was walked. */
    pebs.source = 2 | (uint64_t)0xd << 33 | BIT(37) | (uint64_t)(4 | 16) << 26;
    sample = (struct sample){0};
    pebs_decode(&pebs, &sample);
    assert_int_equal(sample.at[SAMPLE_SOURCE], SOURCE_FAR_MEMORY);
    assert_true(sample_happened(&sample, EVENT_REMOTE));
    assert_true(sample_happened(&sample, EVENT_TLB_MISS));
    assert_true(sample_happened(&sample, EVENT_TLB_WALK));
}

static void names_lead_back(void **state)
{
    (void)state;
    for (int i = 0; i < SAMPLE_N; i++) {
        const char *name = sample_field_name((enum sample_field)i);
        assert_int_equal(sample_field_find(name, strlen(name)), i);
    }
    for (int i = 0; i < EVENTS_N; i++) {
        const char *name = sample_event_name((enum sample_event)i);
        assert_int_equal(sample_event_find(name, strlen(name)), i);
        /* One namespace in expressions. */
        assert_int_equal(sample_field_find(name, strlen(name)), SAMPLE_N);
    }
    assert_int_equal(sample_field_find("pcs", 3), SAMPLE_N);
    assert_int_equal(sample_field_find("pcs", 2), SAMPLE_PC);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(load_that_missed),           cmocka_unit_test(what_lies_is_not_measured),
        cmocka_unit_test(registers_that_are_missing), cmocka_unit_test(packets_make_records),
        cmocka_unit_test(weights_and_sources),        cmocka_unit_test(names_lead_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
