#include "process/units.h"

#include "fake_payload.h"

static void superblocks_come_as_published(void **state)
{
    (void)state;
    struct fake_code fixture;
    fake_code_open(&fixture, mapped);
    fake_superblock(&fixture.fake, 5, 0, 2, two);
    fake_code_read(&fixture);
    assert_int_equal(fixture.units.superblocks.n, 1);
    fake_superblock(&fixture.fake, 9, 0, 1, two);
    fake_code_read(&fixture);
    assert_int_equal(fixture.units.superblocks.n, 2);
    assert_int_equal(fixture.units.garbled, 0);
    assert_int_equal(units_owner(&fixture.units, 4), UNIT_NONE);
    assert_int_equal(units_owner(&fixture.units, 5), 0);
    assert_int_equal(units_owner(&fixture.units, 6), 0);
    assert_int_equal(units_owner(&fixture.units, 7), UNIT_NONE);
    assert_int_equal(units_owner(&fixture.units, 9), 1);
    assert_int_equal(units_owner(&fixture.units, 10), 1); /* fell through */
    assert_int_equal(units_owner(&fixture.units, 11), UNIT_NONE);
    const struct unit_segment *segment = &fixture.units.segments.at[0];
    assert_int_equal(segment->at.address.v, 0x100);
    assert_int_equal(segment->to.address.v, 0x200);
    assert_int_equal(segment_last(segment).address.v, 0x108);
    assert_int_equal(segment_next(segment).address.v, 0x10a);
    fake_code_close(&fixture);
}

/* Each of these differs from a good superblock in one thing. */
static void contradictions_are_left_out(void **state)
{
    (void)state;
    struct fake_code fixture;
    fake_code_open(&fixture, mapped);
    uint64_t bad = 0;
    struct wire_segment changed[2];
#define BAD(change)                                                                                \
    memcpy(changed, two, sizeof two);                                                              \
    change;                                                                                        \
    fake_superblock(&fixture.fake, 100, 0, 2, changed);                                            \
    bad++
    BAD(changed[0].end = SEGMENT_STOP + 1);
    BAD(changed[0].end = SEGMENT_CALL); /* does not go on */
    BAD(changed[0].target = 0);         /* a branch to nowhere */
    BAD(changed[0].bytes = 11);         /* the next one does not follow */
    BAD(changed[0].instructions = 0);   /* no branch in it */
    BAD(changed[0].instructions = 10);  /* more than fit */
    BAD(changed[1].bytes = 100);        /* instructions longer than there are */
    BAD(changed[0].last_bytes = 0);
    BAD(changed[0].last_bytes = 16);
    BAD(changed[1].start = 0x100b);
#undef BAD
    fake_superblock(&fixture.fake, UNITS_EXITS_MAX - 1, 0, 2, two);
    bad++;
    fake_superblock(&fixture.fake, UINT32_MAX, 0, 2, two);
    bad++;
    fake_superblock(&fixture.fake, 10, 0, 2, two);
    fake_superblock(&fixture.fake, 11, 0, 2, two); /* one id twice */
    bad++;
    struct wire_superblock none = {.kind = UNIT_SUPERBLOCK, .bytes = sizeof none};
    fake_unit(&fixture.fake, &none, sizeof none);
    bad++;
    none.kind = 77;
    fake_unit(&fixture.fake, &none, sizeof none);
    bad++;
    fake_code_read(&fixture);
    assert_int_equal(fixture.units.garbled, bad);
    assert_int_equal(fixture.units.superblocks.n, 1);
    assert_false(fixture.units.broken);
    fake_code_close(&fixture);
}

static void pairs_and_cuts_need_their_superblock(void **state)
{
    (void)state;
    struct fake_code fixture;
    fake_code_open(&fixture, mapped);
    struct wire_segment call = {
        .start = 0x2000, .bytes = 2, .instructions = 1, .end = SEGMENT_ICALL, .last_bytes = 2};
    fake_superblock(&fixture.fake, 0, 0, 2, two);
    fake_superblock(&fixture.fake, 2, 3, 1, &call);
    fake_pair(&fixture.fake, 2, 5, 0x1000);
    fake_cut(&fixture.fake, 0, 1, 1);
    fake_code_read(&fixture);
    assert_int_equal(fixture.units.garbled, 0);
    assert_int_equal(fixture.units.pairs.n, 1);
    assert_int_equal(fixture.units.cuts.n, 1);
    fake_pair(&fixture.fake, 1, 5, 0x1000); /* a return has no pairs */
    fake_pair(&fixture.fake, 77, 5, 0x1000);
    fake_cut(&fixture.fake, 1, 0, 1); /* not a first exit */
    fake_cut(&fixture.fake, 0, 2, 0); /* no such segment */
    fake_cut(&fixture.fake, 0, 1, 3); /* more instructions than it has */
    fake_code_read(&fixture);
    assert_int_equal(fixture.units.garbled, 5);
    assert_int_equal(fixture.units.pairs.n, 1);
    assert_int_equal(fixture.units.cuts.n, 1);
    fake_code_close(&fixture);
}

static void a_senseless_length_ends_the_reading(void **state)
{
    (void)state;
    const uint32_t lengths[] = {0, 4, 12, 1 << 20, UINT32_MAX - 7};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        struct fake_code fixture;
        fake_code_open(&fixture, mapped);
        fake_superblock(&fixture.fake, 0, 0, 2, two);
        uint32_t unit[2] = {UNIT_SUPERBLOCK, lengths[i]};
        fake_unit(&fixture.fake, unit, sizeof unit);
        fake_superblock(&fixture.fake, 10, 0, 2, two);
        fake_code_read(&fixture);
        fake_code_read(&fixture);
        assert_true(fixture.units.broken);
        assert_int_equal(fixture.units.garbled, 1);
        assert_int_equal(fixture.units.superblocks.n, 1);
        fake_code_close(&fixture);
    }
}

static void an_empty_split_is_no_instruction(void **state)
{
    (void)state;
    struct fake_code fixture;
    fake_code_open(&fixture, mapped);
    struct wire_segment segments[] = {two[0],
                                      {.start = 0x100a, .target = 0x100a, .end = SEGMENT_SPLIT}};
    fake_superblock(&fixture.fake, 0, 0, 2, segments);
    fake_code_read(&fixture);
    assert_int_equal(fixture.units.garbled, 0);
    enum edge_kind kind;
    assert_false(segment_edge(&fixture.units.segments.at[1], &kind));
    assert_true(segment_edge(&fixture.units.segments.at[0], &kind));
    assert_int_equal(kind, EDGE_TAKEN);
    fake_code_close(&fixture);
}

/* Another module comes to lie at the same addresses: what was translated before still lies in the
 * first. */
static void units_lie_in_mappings_of_their_moment(void **state)
{
    (void)state;
    struct fake_code fixture;
    fake_code_open(&fixture, mapped);
    struct wire_maps_mark mark = {UNIT_MAPS, sizeof mark, 123};
    fake_superblock(&fixture.fake, 5, 0, 2, two);
    fake_unit(&fixture.fake, &mark, sizeof mark);
    fake_superblock(&fixture.fake, 9, 0, 1, two);
    const unsigned char *section = fake_section(&fixture.fake, CHANNEL_UNITS_AT);
    uint64_t bytes = fixture.fake.channel->units_bytes;
    assert_true(units_read(&fixture.units, section, bytes));
    assert_int_equal(fixture.units.maps_wanted, 123);
    struct wire_map map = {.start = 0x1000, .end = 0x9000, .offset = 0x700};
    mappings_add(&fixture.mappings, &map, "/no/other");
    assert_false(units_read(&fixture.units, section, bytes));
    assert_int_equal(fixture.units.garbled, 0);
    assert_int_equal(fixture.units.segments.at[0].at.address.v, 0x100);
    assert_int_equal(fixture.units.segments.at[2].at.address.v, 0x700);
    assert_int_not_equal(fixture.units.segments.at[0].at.module,
                         fixture.units.segments.at[2].at.module);
    fake_code_close(&fixture);
}

static void bad_items_are_left_out(void **state)
{
    (void)state;
    struct fake_code fixture;
    fake_code_open(&fixture, mapped);
    struct with_payload bad[5];
    for (uint32_t i = 0; i < 5; i++)
        bad[i] = good_payload(5 + 2 * i);
    bad[0].items[0].kind = PAYLOAD_KINDS;
    bad[1].items[0].words = 2;
    bad[2].items[2].instruction = 6; /* there are six */
    bad[3].items[2].offset = 3;
    bad[4].header.n_payload = 4;
    for (uint32_t i = 0; i < 5; i++)
        fake_unit(&fixture.fake, &bad[i], sizeof bad[i]);
    fake_code_read(&fixture);
    assert_int_equal(fixture.units.garbled, 5);
    assert_int_equal(fixture.units.superblocks.n, 0);
    fake_code_close(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(superblocks_come_as_published),
        cmocka_unit_test(units_lie_in_mappings_of_their_moment),
        cmocka_unit_test(bad_items_are_left_out),
        cmocka_unit_test(contradictions_are_left_out),
        cmocka_unit_test(pairs_and_cuts_need_their_superblock),
        cmocka_unit_test(a_senseless_length_ends_the_reading),
        cmocka_unit_test(an_empty_split_is_no_instruction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
