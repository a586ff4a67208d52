#include "decoding.h"

/* Counters of fake_loop, numbered from 1: entries, and of the first superblock its branch. */
enum { LOOP_ENTERED = 1, LOOP_LEFT = 2, CALLEE_ENTERED = 4, BACK_ENTERED = 6, COUNTERS = 8 };
/* Ten passages, the last of which leaves the loop. */
enum { PASSAGES = 10, PASSAGES_INSTRUCTIONS = 10 * 4 + 9 * 3 + 9 * 5 + 9 * 2 };

static void open_trails(struct fixture *fixture)
{
    fixture->options.record.tally = 1;
    open_fixture(fixture);
    fake_loop(&fixture->code.fake, 0, 1);
    fake_code_read_good(&fixture->code);
    fixture->code.fake.channel->counters = COUNTERS;
}

static uint32_t *counters(const struct fixture *fixture)
{
    return (uint32_t *)(void *)fake_section(&fixture->code.fake, CHANNEL_COUNTERS_AT);
}

static void count_passages(struct fixture *fixture, uint32_t times)
{
    counters(fixture)[LOOP_ENTERED] += times * PASSAGES;
    counters(fixture)[LOOP_LEFT] += times;
    counters(fixture)[CALLEE_ENTERED] += times * (PASSAGES - 1);
    counters(fixture)[BACK_ENTERED] += times * (PASSAGES - 1);
}

/* A sample that stands for so much time, in user mode if it has a pc, with a trail that was told
 * to be so long if it has one. */
static void sample(struct fixture *fixture, uint32_t ns, uint64_t pc, uint32_t told, uint32_t ticks)
{
    struct event_walk event = {.kind = EVENT_WALK,
                               .pc = pc,
                               .period_ns = ns,
                               .stop = LOSS_N,
                               .counted = told,
                               .counted_ticks = ticks};
    decode_walk(&fixture->decode, &(struct walk_entry){.walk = &event});
}

static void one_trail_by_hand(void **state)
{
    (void)state;
    static struct fixture fixture;
    const uint64_t time = 40, count = (uint64_t)40 * 2 << RATE_BITS; /* of one execution */
    open_trails(&fixture);
    count_passages(&fixture, 1);
    sample(&fixture, 10 * PASSAGES_INSTRUCTIONS, 0x1005, PASSAGES_INSTRUCTIONS,
           PASSAGES_INSTRUCTIONS / 2);
    decode_flush(&fixture.decode, true);
    assert_int_equal(range(&fixture, 0x1000, 0x1008, 4).count, 10 * count);
    assert_int_equal(range(&fixture, 0x100a, 0x100d, 3).count, 9 * count);
    assert_int_equal(range(&fixture, 0x2000, 0x200b, 5).time, 9 * time);
    assert_int_equal(edge(&fixture, 0x1008, 0x1100, EDGE_TAKEN).count, count);
    assert_int_equal(edge(&fixture, 0x1008, 0x100a, EDGE_FALL).count, 9 * count);
    assert_int_equal(edge(&fixture, 0x100d, 0x2000, EDGE_CALL).count, 9 * count);
    assert_int_equal(edge(&fixture, 0, 0x1012, EDGE_RETURN).count, 9 * count);
    assert_int_equal(edge(&fixture, 0x1014, 0x1000, EDGE_JUMP).count, 9 * count);
    assert_int_equal(fixture.code.profile.edges.n, 5);
    assert_int_equal(fixture.code.profile.totals.time, time * PASSAGES_INSTRUCTIONS);
    assert_int_equal(fixture.code.profile.totals.count, count * PASSAGES_INSTRUCTIONS);
    assert_int_equal(fixture.decode.trails.instructions, PASSAGES_INSTRUCTIONS);
    close_fixture(&fixture);
}

/* However long the kernel was busy between samples in user mode. */
static void trails_stand_for_user_time(void **state)
{
    (void)state;
    static struct fixture fixture;
    open_trails(&fixture);
    count_passages(&fixture, 1);
    sample(&fixture, 1000 * PASSAGES_INSTRUCTIONS, 0, 0, 0);
    sample(&fixture, 10 * PASSAGES_INSTRUCTIONS, 0x1005, PASSAGES_INSTRUCTIONS,
           PASSAGES_INSTRUCTIONS);
    decode_flush(&fixture.decode, true);
    assert_int_equal(range(&fixture, 0x1000, 0x1008, 4).time, 10 * 40);
    assert_int_equal(range(&fixture, 0x1000, 0x1008, 4).count, (uint64_t)10 * 40 << RATE_BITS);
    assert_int_equal(decode_complete_ns(&fixture.decode), 10 * PASSAGES_INSTRUCTIONS);
    close_fixture(&fixture);
}

/* Counters of a trail that goes on, or that the ring had no room for, have no ticks: they say what
 * runs, but not how fast. */
static void counters_may_be_ahead(void **state)
{
    (void)state;
    static struct fixture fixture;
    open_trails(&fixture);
    count_passages(&fixture, 7);
    sample(&fixture, 70 * PASSAGES_INSTRUCTIONS, 0x1005, PASSAGES_INSTRUCTIONS,
           PASSAGES_INSTRUCTIONS);
    decode_flush(&fixture.decode, true);
    assert_int_equal(fixture.code.profile.totals.time, (uint64_t)280 * PASSAGES_INSTRUCTIONS);
    assert_int_equal(fixture.code.profile.totals.count,
                     (uint64_t)280 * PASSAGES_INSTRUCTIONS << RATE_BITS);
    close_fixture(&fixture);
}

static void counters_go_round(void **state)
{
    (void)state;
    static struct fixture fixture;
    open_trails(&fixture);
    for (int i = 0; i < COUNTERS; i++)
        counters(&fixture)[i] = UINT32_MAX - 3;
    sample(&fixture, 1000, 0x1005, 10, 10);
    decode_flush(&fixture.decode, false);
    uint64_t before = fixture.decode.trails.instructions;
    count_passages(&fixture, 1);
    sample(&fixture, 1000, 0x1005, PASSAGES_INSTRUCTIONS, 10);
    decode_flush(&fixture.decode, true);
    assert_int_equal(fixture.decode.trails.instructions - before, PASSAGES_INSTRUCTIONS);
    close_fixture(&fixture);
}

/* What did not change since the last reading is not counted again. */
static void readings_begin_anew(void **state)
{
    (void)state;
    static struct fixture fixture;
    open_trails(&fixture);
    count_passages(&fixture, 1);
    sample(&fixture, PASSAGES_INSTRUCTIONS, 0x1005, PASSAGES_INSTRUCTIONS, 10);
    decode_flush(&fixture.decode, false);
    counters(&fixture)[LOOP_ENTERED] += 5;
    sample(&fixture, 5 * 7, 0x1005, 5 * 7, 10);
    struct sums before = edge(&fixture, 0x1008, 0x1100, EDGE_TAKEN);
    uint64_t ran = range(&fixture, 0x100a, 0x100d, 3).time;
    decode_flush(&fixture.decode, true);
    assert_int_equal(edge(&fixture, 0x1008, 0x1100, EDGE_TAKEN).count, before.count);
    assert_int_equal(range(&fixture, 0x100a, 0x100d, 3).time - ran, 5 * 4);
    close_fixture(&fixture);
}

/* The program goes on while counters are read: a branch may be ahead of its superblock. */
static void no_more_leaves_than_enters(void **state)
{
    (void)state;
    static struct fixture fixture;
    open_trails(&fixture);
    counters(&fixture)[LOOP_ENTERED] = 2;
    counters(&fixture)[LOOP_LEFT] = 3;
    sample(&fixture, 8, 0x1005, 8, 8);
    decode_flush(&fixture.decode, true);
    assert_int_equal(edge(&fixture, 0x1008, 0x1100, EDGE_TAKEN).time, 2 * 4);
    assert_int_equal(range(&fixture, 0x100a, 0x100d, 3).time, 0);
    close_fixture(&fixture);
}

/* The place behind the call is also jumped to, directly and not: the rest has returned there. */
static void returns_are_the_rest(void **state)
{
    (void)state;
    static struct fixture fixture;
    const struct wire_segment jump = {.start = 0x5000,
                                      .target = 0x1012,
                                      .bytes = 2,
                                      .instructions = 1,
                                      .end = SEGMENT_JUMP,
                                      .last_bytes = 2};
    const struct wire_segment site = {
        .start = 0x6000, .bytes = 2, .instructions = 1, .end = SEGMENT_IJUMP, .last_bytes = 2};
    open_trails(&fixture);
    fake_superblock(&fixture.code.fake, 4, 8, 1, &jump);
    fake_superblock(&fixture.code.fake, 5, 10, 1, &site);
    fake_pair(&fixture.code.fake, 5, 12, 0x1012);
    fake_code_read_good(&fixture.code);
    fixture.code.fake.channel->counters = 13;
    count_passages(&fixture, 1);
    counters(&fixture)[BACK_ENTERED] += 4 + 7;
    counters(&fixture)[8] = 4;
    counters(&fixture)[10] = counters(&fixture)[12] = 7;
    const uint32_t instructions = PASSAGES_INSTRUCTIONS + 2 * 11 + 4 + 7;
    sample(&fixture, instructions, 0x1005, instructions, instructions);
    decode_flush(&fixture.decode, true);
    assert_int_equal(edge(&fixture, 0, 0x1012, EDGE_RETURN).time, 9 * 4);
    assert_int_equal(edge(&fixture, 0x5000, 0x1012, EDGE_JUMP).time, 4 * 4);
    assert_int_equal(edge(&fixture, 0x6000, 0x1012, EDGE_IJUMP).time, 7 * 4);
    close_fixture(&fixture);
}

/* Executions that weigh less than a unit each: none of the time is lost in the long run, and of
 * what they got too early there is less than a unit each. */
static void time_adds_up(void **state)
{
    (void)state;
    static struct fixture fixture;
    enum { READINGS = 100, NS = 1001 };
    open_trails(&fixture);
    for (int i = 0; i < READINGS; i++) {
        count_passages(&fixture, 50);
        sample(&fixture, NS, 0x1005, 50 * PASSAGES_INSTRUCTIONS, 50 * PASSAGES_INSTRUCTIONS);
        decode_flush(&fixture.decode, false);
    }
    uint64_t all = (uint64_t)READINGS * NS << UNIT_BITS, got = fixture.code.profile.totals.time;
    assert_true(got > all - 50 * PASSAGES_INSTRUCTIONS && got < all + 50 * PASSAGES_INSTRUCTIONS);
    close_fixture(&fixture);
}

/* Nothing is told without ticks; the time waits for those that come. */
static void samples_wait_for_a_trail(void **state)
{
    (void)state;
    static struct fixture fixture;
    open_trails(&fixture);
    sample(&fixture, 5 * PASSAGES_INSTRUCTIONS, 0x1005, 0, 0);
    decode_flush(&fixture.decode, false);
    assert_int_equal(fixture.code.profile.totals.batches, 0);
    count_passages(&fixture, 1);
    sample(&fixture, 5 * PASSAGES_INSTRUCTIONS, 0x1005, PASSAGES_INSTRUCTIONS, 1);
    decode_flush(&fixture.decode, true);
    assert_int_equal(fixture.code.profile.totals.time, 40 * PASSAGES_INSTRUCTIONS);
    close_fixture(&fixture);
}

static void indirect_branches_have_targets(void **state)
{
    (void)state;
    static struct fixture fixture;
    const struct wire_segment site = {
        .start = 0x3000, .bytes = 4, .instructions = 2, .end = SEGMENT_IJUMP, .last_bytes = 2};
    open_trails(&fixture);
    fake_superblock(&fixture.code.fake, 4, 8, 1, &site);
    fake_pair(&fixture.code.fake, 4, 10, 0x1000);
    fake_pair(&fixture.code.fake, 4, 11, 0x2000);
    fake_code_read_good(&fixture.code);
    fixture.code.fake.channel->counters = 12;
    counters(&fixture)[8] = 5;
    counters(&fixture)[10] = 2;
    counters(&fixture)[11] = 3;
    sample(&fixture, 10, 0x3000, 10, 10);
    decode_flush(&fixture.decode, true);
    assert_int_equal(range(&fixture, 0x3000, 0x3002, 2).time, 5 * 4);
    assert_int_equal(edge(&fixture, 0x3002, 0x1000, EDGE_IJUMP).time, 2 * 4);
    assert_int_equal(edge(&fixture, 0x3002, 0x2000, EDGE_IJUMP).time, 3 * 4);
    close_fixture(&fixture);
}

static void a_counter_has_one_owner(void **state)
{
    (void)state;
    static struct fixture fixture;
    const struct wire_segment other = {
        .start = 0x4000, .bytes = 4, .instructions = 2, .end = SEGMENT_RETURN, .last_bytes = 1};
    open_trails(&fixture);
    fake_superblock(&fixture.code.fake, 4, LOOP_ENTERED, 1, &other);
    fake_code_read_good(&fixture.code);
    count_passages(&fixture, 1);
    sample(&fixture, 1000, 0x1005, PASSAGES_INSTRUCTIONS, 100);
    decode_flush(&fixture.decode, true);
    assert_int_equal(range(&fixture, 0x4000, 0x4003, 2).count, 0);
    assert_true(range(&fixture, 0x1000, 0x1008, 4).count > 0);
    close_fixture(&fixture);
}

/* Whatever the program writes there, nothing outside is read and no weight exceeds its time. */
static void counters_are_not_believed(void **state)
{
    (void)state;
    static struct fixture fixture;
    const struct wire_segment far = {
        .start = 0x4000, .bytes = 4, .instructions = 2, .end = SEGMENT_RETURN, .last_bytes = 1};
    open_trails(&fixture);
    fake_superblock(&fixture.code.fake, 4, UINT32_MAX, 1, &far);
    fake_code_read(&fixture.code);
    fixture.code.fake.channel->counters = UINT64_MAX;
    for (int i = 0; i < COUNTERS; i++)
        counters(&fixture)[i] = UINT32_MAX / 2 + (uint32_t)i;
    sample(&fixture, 1 << 30, 0x1005, UINT32_MAX, 1);
    decode_flush(&fixture.decode, true);
    assert_true(fixture.code.profile.totals.time <= (uint64_t)1 << 30 << UNIT_BITS);
    assert_true(fixture.code.profile.totals.count <= (uint64_t)RATE_MAX << 30 << UNIT_BITS);
    assert_int_equal(range(&fixture, 0x4000, 0x4003, 2).time, 0);
    close_fixture(&fixture);
}

/* Nor are counters of indirect branches: all of them together are no more than what ran. */
static void branches_are_no_more_than_instructions(void **state)
{
    (void)state;
    static struct fixture fixture;
    const struct wire_segment site = {
        .start = 0x3000, .bytes = 4, .instructions = 2, .end = SEGMENT_IJUMP, .last_bytes = 2};
    open_trails(&fixture);
    fake_superblock(&fixture.code.fake, 4, 8, 1, &site);
    fake_pair(&fixture.code.fake, 4, 10, 0x1000);
    fake_pair(&fixture.code.fake, 4, 11, 0x1000);
    fake_code_read_good(&fixture.code);
    fixture.code.fake.channel->counters = 12;
    counters(&fixture)[8] = 5;
    counters(&fixture)[10] = counters(&fixture)[11] = 1000000;
    sample(&fixture, 10, 0x3000, 10, 10);
    decode_flush(&fixture.decode, true);
    assert_true(edge(&fixture, 0x3002, 0x1000, EDGE_IJUMP).count <=
                fixture.code.profile.totals.count);
    close_fixture(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_trail_by_hand),
        cmocka_unit_test(trails_stand_for_user_time),
        cmocka_unit_test(counters_may_be_ahead),
        cmocka_unit_test(counters_go_round),
        cmocka_unit_test(readings_begin_anew),
        cmocka_unit_test(no_more_leaves_than_enters),
        cmocka_unit_test(returns_are_the_rest),
        cmocka_unit_test(time_adds_up),
        cmocka_unit_test(samples_wait_for_a_trail),
        cmocka_unit_test(indirect_branches_have_targets),
        cmocka_unit_test(a_counter_has_one_owner),
        cmocka_unit_test(counters_are_not_believed),
        cmocka_unit_test(branches_are_no_more_than_instructions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
