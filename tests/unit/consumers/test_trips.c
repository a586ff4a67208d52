#include "consumers/trips.h"

#include "../process/fake_code.h"

struct fixture {
    struct fake_code code;
    struct batch batch;
    struct trips trips;
    struct trip_walk walk;
};

static void open_fixture(struct fixture *fixture)
{
    *fixture = (struct fixture){0};
    fake_code_open(&fixture->code,
                   (struct wire_map){.start = 0x1000, .end = 0x100000, .offset = 0x1000});
    fixture->code.profile.mode = PROFILE_SAMPLED;
    batch_init(&fixture->batch);
    trips_init(&fixture->trips, &fixture->code.units, &fixture->batch);
}

static void close_fixture(struct fixture *fixture)
{
    trip_walk_release(&fixture->walk);
    trips_release(&fixture->trips);
    batch_release(&fixture->batch);
    fake_code_close(&fixture->code);
}

static struct wire_segment segment(uint64_t start, uint32_t bytes, enum segment_end end,
                                   uint64_t target)
{
    return (struct wire_segment){.start = start,
                                 .target = target,
                                 .bytes = bytes,
                                 .instructions = (uint16_t)(1 + (bytes + 12) / 15),
                                 .end = (uint8_t)end,
                                 .last_bytes = 2};
}

static void stream(struct fixture *fixture, const uint32_t *exits, size_t n, uint64_t end)
{
    struct place place = {0, {end}};
    trips_begin(&fixture->walk, 10);
    trips_exits(&fixture->trips, &fixture->walk, exits, n);
    trips_end(&fixture->trips, &fixture->walk, end ? &place : NULL);
}
#define STREAM(fixture, end, ...)                                                                  \
    stream(fixture, (const uint32_t[]){__VA_ARGS__},                                               \
           sizeof(const uint32_t[]){__VA_ARGS__} / sizeof(uint32_t), end)

/* Runs of so many iterations since the last question; all that were asked for are forgotten. */
static uint64_t runs(struct fixture *fixture, uint64_t head, uint64_t n, enum trip_how how)
{
    struct trip_key key = {.module = 0, .how = how, .head = {head}, .n = n};
    uint32_t index = map_find(&fixture->batch.trips.keys, &key);
    if (index == MAP_NONE)
        return 0;
    struct batch_cell cell = fixture->batch.trips.cells.at[index];
    fixture->batch.trips.cells.at[index] = (struct batch_cell){0};
    assert_int_equal(cell.count % 10, 0);
    assert_int_equal(trip_bin(cell.time / (cell.count ? cell.count : 1)), cell.count ? n : 0);
    return cell.count / 10;
}

static void assert_no_more(const struct fixture *fixture)
{
    for (size_t i = 0; i < fixture->batch.trips.cells.n; i++)
        assert_int_equal(fixture->batch.trips.cells.at[i].count, 0);
}

/* A loop that is fallen into, with what is before it and behind it.
 *   1000: ..., 1008: head, ..., 1020: jcc 1008;  1022: ..., ret */
enum { IN_AGAIN, IN_OUT, AGAIN, OUT, BEHIND };
static void add_loop(struct fixture *fixture)
{
    struct wire_segment in = segment(0x1000, 0x22, SEGMENT_COND, 0x1008);
    struct wire_segment body = segment(0x1008, 0x1a, SEGMENT_COND, 0x1008);
    struct wire_segment behind = segment(0x1022, 8, SEGMENT_RETURN, 0);
    fake_superblock(&fixture->code.fake, IN_AGAIN, 0, 1, &in);
    fake_superblock(&fixture->code.fake, AGAIN, 0, 1, &body);
    fake_superblock(&fixture->code.fake, BEHIND, 0, 1, &behind);
    fake_code_read_good(&fixture->code);
}

static void test_whole_and_cut(void **state)
{
    (void)state;
    struct fixture fixture;
    open_fixture(&fixture);
    add_loop(&fixture);
    STREAM(&fixture, 0, IN_AGAIN, AGAIN, AGAIN, OUT, BEHIND);
    assert_int_equal(runs(&fixture, 0x1008, 4, TRIP_WHOLE), 1);
    STREAM(&fixture, 0, IN_OUT, BEHIND);
    assert_int_equal(runs(&fixture, 0x1008, 1, TRIP_WHOLE), 1);
    /* Where the last exit went says whether the loop has ended. */
    STREAM(&fixture, 0x1022, IN_AGAIN, OUT);
    assert_int_equal(runs(&fixture, 0x1008, 2, TRIP_WHOLE), 1);
    STREAM(&fixture, 0x1008, IN_AGAIN, AGAIN);
    assert_int_equal(runs(&fixture, 0x1008, 3, TRIP_OPEN), 1);
    STREAM(&fixture, 0, IN_AGAIN, AGAIN);
    assert_int_equal(runs(&fixture, 0x1008, 2, TRIP_OPEN), 1);
    STREAM(&fixture, 0, AGAIN, AGAIN, OUT, BEHIND);
    assert_int_equal(runs(&fixture, 0x1008, 3, TRIP_LATE), 1);
    STREAM(&fixture, 0x1008, AGAIN, AGAIN);
    assert_int_equal(runs(&fixture, 0x1008, 3, TRIP_INSIDE), 1);
    STREAM(&fixture, 0, BEHIND, BEHIND);
    assert_no_more(&fixture);
    close_fixture(&fixture);
}

static void test_long(void **state)
{
    (void)state;
    struct fixture fixture;
    uint32_t exits[1002];
    open_fixture(&fixture);
    add_loop(&fixture);
    exits[0] = IN_AGAIN;
    for (int i = 1; i < 999; i++)
        exits[i] = AGAIN;
    exits[999] = OUT;
    exits[1000] = BEHIND;
    stream(&fixture, exits, 1001, 0);
    assert_int_equal(trip_bin(1000), 992);
    assert_int_equal(runs(&fixture, 0x1008, 992, TRIP_WHOLE), 1);
    assert_no_more(&fixture);
    close_fixture(&fixture);
}

/* What a compiler makes without optimising: a jump to the test, which stands behind the body.
 *   2000: jmp 2010;  2004: body, 2010: test, 2018: jcc 2004;  201a: ret */
static void test_entered_in_the_middle(void **state)
{
    (void)state;
    struct fixture fixture;
    enum { JUMPED, ENTERED, LEFT_AT_ONCE, ROUND, LEFT, RET };
    const struct wire_segment in[] = {segment(0x2000, 4, SEGMENT_JUMP, 0x2010),
                                      segment(0x2010, 10, SEGMENT_COND, 0x2004)};
    struct wire_segment body = segment(0x2004, 0x16, SEGMENT_COND, 0x2004);
    struct wire_segment end = segment(0x201a, 4, SEGMENT_RETURN, 0);
    open_fixture(&fixture);
    fake_superblock(&fixture.code.fake, JUMPED, 0, 2, in);
    fake_superblock(&fixture.code.fake, ROUND, 0, 1, &body);
    fake_superblock(&fixture.code.fake, RET, 0, 1, &end);
    fake_code_read_good(&fixture.code);
    /* As often as the test runs. */
    STREAM(&fixture, 0, ENTERED, ROUND, LEFT, RET);
    assert_int_equal(runs(&fixture, 0x2004, 3, TRIP_WHOLE), 1);
    STREAM(&fixture, 0, LEFT_AT_ONCE, RET);
    assert_int_equal(runs(&fixture, 0x2004, 1, TRIP_WHOLE), 1);
    assert_no_more(&fixture);
    close_fixture(&fixture);
}

/* Two loops, one in the other, whose body calls its own function.
 *   3000: outer head, 3008: inner head, 3010: call 3000;  3012: jcc 3008;  3016: jcc 3000;  3018:
 * ret */
enum { CALL, CALL_INNER, INNER, INNER_OUT, OUTER, OUTER_OUT, RETURN };
static void add_nest(struct fixture *fixture)
{
    struct wire_segment from_outer = segment(0x3000, 0x12, SEGMENT_CALL, 0x3000);
    struct wire_segment from_inner = segment(0x3008, 0xa, SEGMENT_CALL, 0x3000);
    struct wire_segment inner = segment(0x3012, 4, SEGMENT_COND, 0x3008);
    struct wire_segment outer = segment(0x3016, 2, SEGMENT_COND, 0x3000);
    struct wire_segment end = segment(0x3018, 4, SEGMENT_RETURN, 0);
    fake_superblock(&fixture->code.fake, CALL, 0, 1, &from_outer);
    fake_superblock(&fixture->code.fake, CALL_INNER, 0, 1, &from_inner);
    fake_superblock(&fixture->code.fake, INNER, 0, 1, &inner);
    fake_superblock(&fixture->code.fake, OUTER, 0, 1, &outer);
    fake_superblock(&fixture->code.fake, RETURN, 0, 1, &end);
    fake_code_read_good(&fixture->code);
}

static void test_nested_and_recursive(void **state)
{
    (void)state;
    struct fixture fixture;
    open_fixture(&fixture);
    add_nest(&fixture);
    /* Called from the loops of its own frame, it goes twice round the inner and once the outer one.
     */
#define INSIDE CALL, RETURN, INNER, CALL_INNER, RETURN, INNER_OUT, OUTER_OUT, RETURN
    STREAM(&fixture, 0, CALL, INSIDE, INNER, CALL_INNER, INSIDE, INNER, CALL_INNER, INSIDE,
           INNER_OUT, OUTER, CALL, INSIDE, INNER_OUT, OUTER_OUT, RETURN);
#undef INSIDE
    assert_int_equal(runs(&fixture, 0x3008, 3, TRIP_WHOLE), 1);
    assert_int_equal(runs(&fixture, 0x3008, 1, TRIP_WHOLE), 1);
    assert_int_equal(runs(&fixture, 0x3008, 2, TRIP_WHOLE), 4);
    assert_int_equal(runs(&fixture, 0x3000, 1, TRIP_WHOLE), 4);
    assert_int_equal(runs(&fixture, 0x3000, 2, TRIP_LATE), 1);
    assert_no_more(&fixture);
    close_fixture(&fixture);
}

/* A superblock goes on across a jump back to a loop in which it does not start.
 *   4000: head, 4008: inner head, 4010: jcc 4008;  4012: jcc 4030, 4016: jmp 4000;  4030: ret */
static void test_followed_back(void **state)
{
    (void)state;
    struct fixture fixture;
    enum { START, START_OUT, ROUND, LEAVE, JUMPED, BACK_AGAIN, BACK_OUT, END };
    struct wire_segment start = segment(0x4000, 0x12, SEGMENT_COND, 0x4008);
    const struct wire_segment body[] = {
        segment(0x4008, 0xa, SEGMENT_COND, 0x4008), segment(0x4012, 4, SEGMENT_COND, 0x4030),
        segment(0x4016, 2, SEGMENT_JUMP, 0x4000), segment(0x4000, 0x12, SEGMENT_COND, 0x4008)};
    struct wire_segment end = segment(0x4030, 4, SEGMENT_RETURN, 0);
    open_fixture(&fixture);
    fake_superblock(&fixture.code.fake, START, 0, 1, &start);
    fake_superblock(&fixture.code.fake, ROUND, 0, 4, body);
    fake_superblock(&fixture.code.fake, END, 0, 1, &end);
    fake_code_read_good(&fixture.code);
    /* Twice the inner loop, and again from the followed jump; then out. */
    STREAM(&fixture, 0, START, BACK_AGAIN, ROUND, LEAVE, END);
    assert_int_equal(runs(&fixture, 0x4008, 2, TRIP_WHOLE), 1);
    assert_int_equal(runs(&fixture, 0x4008, 3, TRIP_WHOLE), 1);
    assert_int_equal(runs(&fixture, 0x4000, 2, TRIP_LATE), 1);
    assert_no_more(&fixture);
    close_fixture(&fixture);
}

/* A stream may come in pieces, and what closes a loop may become known between them. */
static void test_pieces(void **state)
{
    (void)state;
    struct fixture fixture;
    const uint32_t first[] = {IN_AGAIN, AGAIN}, second[] = {AGAIN, OUT, BEHIND};
    open_fixture(&fixture);
    add_loop(&fixture);
    trips_begin(&fixture.walk, 10);
    trips_exits(&fixture.trips, &fixture.walk, first, 2);
    struct wire_segment other = segment(0x5000, 0x20, SEGMENT_COND, 0x5000);
    fake_superblock(&fixture.code.fake, BEHIND + 1, 0, 1, &other);
    fake_code_read_good(&fixture.code);
    trips_exits(&fixture.trips, &fixture.walk, second, 3);
    trips_end(&fixture.trips, &fixture.walk, NULL);
    assert_int_equal(runs(&fixture, 0x1008, 4, TRIP_WHOLE), 1);
    assert_no_more(&fixture);
    close_fixture(&fixture);
}

static void test_bins(void **state)
{
    (void)state;
    uint64_t before = 0;
    for (uint64_t n = 1; n < 1 << 20; n++) {
        uint64_t bin = trip_bin(n);
        assert_true(bin <= n && n <= trip_bin_last(bin) && trip_bin(bin) == bin);
        assert_true(bin == before || bin == trip_bin_last(before ? before : 1) + (before != 0));
        assert_true(n >= 64 || bin == n);
        assert_true((n - bin) * 16 <= n);
        before = bin;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole_and_cut),
        cmocka_unit_test(test_long),
        cmocka_unit_test(test_entered_in_the_middle),
        cmocka_unit_test(test_nested_and_recursive),
        cmocka_unit_test(test_followed_back),
        cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_bins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
