#include "collect/source.h"

#include "../process/fake.h"

#include <stdlib.h>
#include <unistd.h>

struct fixture {
    struct fake fake;
    struct profile profile;
    struct recording_options options;
    struct recording_session session;
    struct source source;
};

static void open_fixture(struct fixture *fixture, enum record_mode mode)
{
    fake_open(&fixture->fake);
    profile_init(&fixture->profile);
    fixture->profile.mode = mode == RECORD_SAMPLED ? PROFILE_SAMPLED : PROFILE_EXACT;
    fixture->options = (struct recording_options){.record = {.mode = mode}};
    fixture->session =
        (struct recording_session){.options = &fixture->options, .profile = &fixture->profile};
    source_init(&fixture->source, &fixture->session, 0, fixture->fake.channel, getpid());
}

static void close_fixture(struct fixture *fixture)
{
    source_release(&fixture->source);
    profile_release(&fixture->profile);
    fake_close(&fixture->fake);
}

/* 1000: two instructions that jump back to themselves. */
static void add_jump(struct fake *fake)
{
    const struct wire_segment jump = {.start = 0x1000,
                                      .target = 0x1000,
                                      .bytes = 4,
                                      .instructions = 2,
                                      .end = SEGMENT_JUMP,
                                      .last_bytes = 2};
    fake_map(fake, 0x1000, 0x2000, 0, "/no/module");
    fake_superblock(fake, 0, 0, 1, &jump);
}

static void walks_go_round_the_ring(void **state)
{
    (void)state;
    struct fixture fixture;
    open_fixture(&fixture, RECORD_SAMPLED);
    add_jump(&fixture.fake);
    static const uint32_t exits[10001];
    uint64_t walks = 0;
    while (fixture.fake.channel->ring_head < 3 * (uint64_t)CHANNEL_RING_BYTES) {
        for (int i = 0; i < 7; i++, walks++)
            fake_walk(&fixture.fake,
                      (struct event_walk){.pc = 0x1000, .instructions = 20002, .period_ns = 1000},
                      exits, 10001);
        source_read(&fixture.source);
        assert_int_equal(fixture.fake.channel->ring_tail, fixture.fake.channel->ring_head);
    }
    source_count(&fixture.source, UINT64_C(1) << 40, true, true);
    assert_int_equal(source_garbled(&fixture.source), 0);
    assert_int_equal(fixture.source.decode->windows, walks);
    assert_int_equal(fixture.source.decode->instructions, walks * 20002);
    assert_int_equal(fixture.profile.totals.time, walks * 1000 << UNIT_BITS);
    close_fixture(&fixture);
}

static void tell(struct fake *fake, struct tuple tuple, uint64_t count)
{
    struct {
        struct event_messages event;
        struct message message;
    } entry = {{EVENT_MESSAGES, sizeof entry, 1, 1}, {tuple, count}};
    fake_event(fake, &entry, sizeof entry);
}

/* Of a compressor's messages all windows are made: what they do not name does not count, whatever
 * they say. */
static void messages_stand_for_windows(void **state)
{
    (void)state;
    struct fixture fixture;
    open_fixture(&fixture, RECORD_SAMPLED);
    add_jump(&fixture.fake);
    for (int i = 0; i < 5; i++) {
        tell(&fixture.fake, (struct tuple){tuple_place(TUPLE_EXIT, 0), 0}, 256);
        tell(&fixture.fake, (struct tuple){tuple_place(TUPLE_EXIT, 77), 0}, 256);
        tell(&fixture.fake, (struct tuple){tuple_place(TUPLE_EXIT, UINT64_C(1) << 40), 0}, 1);
        tell(&fixture.fake, (struct tuple){tuple_place(TUPLE_EXIT, 0), 0}, UINT64_MAX);
        tell(&fixture.fake, (struct tuple){tuple_place(TUPLE_VALUE, 3), 0}, 256);
        tell(&fixture.fake, (struct tuple){tuple_place(TUPLE_LATENCY, UINT64_MAX), 0}, 256);
        tell(&fixture.fake, (struct tuple){UINT64_MAX, 0}, 256);
        struct event_walk walk = {
            .pc = 0x1000, .period_ns = 1000, .flags = WALK_COMPRESSED, .instructions = 500};
        fake_walk(&fixture.fake, walk, NULL, 0);
    }
    source_read(&fixture.source);
    source_count(&fixture.source, UINT64_C(1) << 40, true, true);
    assert_int_equal(fixture.source.decode->windows, 5);
    assert_int_equal(fixture.source.decode->instructions, 2500);
    assert_int_equal(source_garbled(&fixture.source), 5 * 6);
    assert_int_equal(fixture.source.decode->messages.stands_for[TUPLE_EXIT], 5 * 512);
    assert_int_equal(fixture.profile.totals.time, 5 * 1000 << UNIT_BITS);
    assert_int_equal(fixture.profile.ranges.n, 1);
    assert_int_equal(2 * fixture.profile.ranges.at[0].time, fixture.profile.totals.time);
    close_fixture(&fixture);
}

static void broken_rings_are_left_behind(void **state)
{
    (void)state;
    const struct event_walk bad[] = {
        {.kind = EVENT_WALK, .bytes = 0},
        {.kind = EVENT_WALK, .bytes = 12},
        {.kind = EVENT_WALK, .bytes = 8},
        {.kind = EVENT_WALK, .bytes = sizeof *bad, .n_exits = 1},
        {.kind = EVENT_WALK, .bytes = sizeof *bad, .n_exits = UINT32_MAX},
        {.kind = EVENT_WALK, .bytes = 1 << 24},
        {.kind = 99, .bytes = sizeof *bad},
        {.kind = EVENT_MESSAGES, .bytes = 8},
        {.kind = EVENT_MESSAGES, .bytes = sizeof *bad, .tsc = UINT64_MAX}, /* that many */
        {.kind = EVENT_PAD, .bytes = 1 << 24},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct fixture fixture;
        open_fixture(&fixture, RECORD_SAMPLED);
        add_jump(&fixture.fake);
        fake_event(&fixture.fake, &bad[i], sizeof bad[i]);
        source_read(&fixture.source);
        assert_true(source_garbled(&fixture.source) > 0);
        assert_int_equal(fixture.fake.channel->ring_tail, fixture.fake.channel->ring_head);
        const uint32_t exits[] = {0, 0};
        fake_walk(&fixture.fake,
                  (struct event_walk){.pc = 0x1000, .instructions = 20002, .period_ns = 1000},
                  exits, 2);
        source_read(&fixture.source);
        assert_int_equal(fixture.source.decode->windows, 1);
        close_fixture(&fixture);
    }
}

static void a_head_that_cannot_be_is_not_followed(void **state)
{
    (void)state;
    struct fixture fixture;
    open_fixture(&fixture, RECORD_SAMPLED);
    fixture.fake.channel->ring_head = UINT64_MAX;
    source_read(&fixture.source);
    assert_true(source_garbled(&fixture.source) > 0);
    fixture.fake.channel->ring_head = 8;
    source_read(&fixture.source);
    close_fixture(&fixture);
}

static void broken_maps_end_the_reading(void **state)
{
    (void)state;
    const struct wire_map bad[] = {
        {.bytes = 0},
        {.bytes = 8},
        {.bytes = sizeof *bad + 4},
        {.bytes = sizeof *bad + 8, .path_bytes = 9},
        {.bytes = sizeof *bad, .path_bytes = UINT32_MAX},
        {.bytes = 1 << 30},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct fixture fixture;
        open_fixture(&fixture, RECORD_SAMPLED);
        fake_map(&fixture.fake, 0x1000, 0x2000, 0, "/no/a");
        memcpy(fake_section(&fixture.fake, CHANNEL_MAPS_AT) + fixture.fake.channel->maps_bytes,
               &bad[i], sizeof bad[i]);
        fixture.fake.channel->maps_bytes += sizeof bad[i] + 8;
        source_read(&fixture.source);
        source_read(&fixture.source);
        assert_int_equal(source_garbled(&fixture.source), 1);
        assert_int_equal(fixture.source.mappings.n, 1);
        close_fixture(&fixture);
    }
}

/* A good channel with some of its bytes changed, again and again, in both modes. That it ends is
 * the test; the sanitizers of MODE=dbg see what it touches. */
static void damage(struct fake *fake, uint64_t *random)
{
    static const size_t sections[] = {CHANNEL_MAPS_AT, CHANNEL_UNITS_AT, CHANNEL_RING_AT};
    size_t at = sections[fake_random(random) % 3] + fake_random(random) % 600;
    static const uint32_t words[] = {0, 1, 7, 0xff, 0x7fffffff, 0xffffffff};
    uint32_t word = words[fake_random(random) % 6];
    memcpy(fake_section(fake, at), &word, 1 + fake_random(random) % 4);
    if (fake_random(random) % 8 == 0)
        fake->channel->units_bytes = fake_random(random) >> (fake_random(random) % 64);
    if (fake_random(random) % 8 == 0)
        fake->channel->maps_bytes = fake_random(random) >> (fake_random(random) % 64);
    if (fake_random(random) % 8 == 0)
        fake->channel->ring_head = fake_random(random) >> (fake_random(random) % 64);
    if (fake_random(random) % 8 == 0)
        fake->channel->counters = fake_random(random);
}

static void fill(struct fake *fake, uint64_t *random)
{
    add_jump(fake);
    const struct wire_segment cond[] = {
        {.start = 0x1100, .target = 0x1000, .bytes = 6, .instructions = 2, .last_bytes = 2},
        {.start = 0x1106, .bytes = 2, .instructions = 1, .end = SEGMENT_ICALL, .last_bytes = 2}};
    fake_superblock(fake, 1, 2, 2, cond);
    fake_pair(fake, 2, 5, 0x1100);
    fake_cut(fake, 1, 1, 0);
    for (int i = 0; i < 6; i++)
        fake_counters(fake)[i] = fake_random(random) % 1000;
    fake->channel->counters = 6;
    const uint32_t exits[] = {2, 2, 1, 0, 0};
    for (int i = 0; i < 4; i++)
        fake_walk(fake, (struct event_walk){.pc = 0x1000, .end_pc = 0x1000, .period_ns = 1000},
                  exits, 5);
}

static void no_damage_is_fatal(void **state)
{
    (void)state;
    uint64_t random = 0x2545F4914F6CDD1Du;
    for (int round = 0; round < 3000; round++) {
        struct fixture fixture;
        open_fixture(&fixture, round % 2 ? RECORD_SAMPLED : RECORD_EXACT_COUNTS);
        fill(&fixture.fake, &random);
        for (int i = 0; i < 3; i++) {
            damage(&fixture.fake, &random);
            source_read(&fixture.source);
            source_count(&fixture.source, UINT64_C(1) << 40, false, false);
        }
        source_count(&fixture.source, UINT64_C(1) << 40, true, true);
        close_fixture(&fixture);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(walks_go_round_the_ring),
        cmocka_unit_test(messages_stand_for_windows),
        cmocka_unit_test(broken_rings_are_left_behind),
        cmocka_unit_test(a_head_that_cannot_be_is_not_followed),
        cmocka_unit_test(broken_maps_end_the_reading),
        cmocka_unit_test(no_damage_is_fatal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
