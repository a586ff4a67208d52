#include "decoding.h"

/* Unless it says otherwise, a sample stands for so much. */
enum { WINDOW_NS = 1 << 22, WINDOW = WINDOW_NS << UNIT_BITS };

static void walk(struct fixture *fixture, struct event_walk event, const uint32_t *exits,
                 uint32_t n)
{
    event.kind = EVENT_WALK;
    if (!event.cpu_ns)
        event.period_ns = WINDOW_NS;
    event.n_exits = n;
    decode_walk(&fixture->decode, &(struct walk_entry){.walk = &event, .exits = exits});
}

static void one_window_by_hand(void **state)
{
    (void)state;
    static struct fixture fixture;
    open_fixture(&fixture);
    add_loop(&fixture);
    const uint32_t exits[] = {CALLED, RETURNED, AGAIN, LEFT_LOOP};
    walk(&fixture,
         (struct event_walk){.pc = 0x1005,
                             .end_pc = 0x1100,
                             .instructions = 18,
                             .trail = 3000,
                             .trail_ticks = 1500,
                             .flags = WALK_COMPLETE | WALK_TIMED},
         exits, 4);
    decode_flush(&fixture.decode, true);
    const uint64_t u = 932068;         /* 2^24 / 18, rounded */
    const uint64_t rate = 2 * 1 << 12; /* two instructions a tick */
    assert_int_equal(range(&fixture, 0x1000, 0x1008, 4).time, 2 * u);
    assert_int_equal(range(&fixture, 0x1000, 0x1008, 4).count, 2 * u * rate);
    assert_int_equal(range(&fixture, 0x100a, 0x100d, 3).time, u);
    assert_int_equal(range(&fixture, 0x2000, 0x200b, 5).time, u);
    assert_int_equal(range(&fixture, 0x1012, 0x1014, 2).time, u);
    assert_int_equal(edge(&fixture, 0x1008, 0x1100, EDGE_TAKEN).time, u);
    assert_int_equal(edge(&fixture, 0x1008, 0x1100, EDGE_TAKEN).count, u * rate);
    assert_int_equal(edge(&fixture, 0x1008, 0x100a, EDGE_FALL).count, u * rate);
    assert_int_equal(edge(&fixture, 0x1008, 0x100a, EDGE_FALL).time, 2 * u * rate); /* both ways */
    assert_int_equal(edge(&fixture, 0x100d, 0x2000, EDGE_CALL).time, u);
    assert_int_equal(edge(&fixture, 0, 0x1012, EDGE_RETURN).time, u);
    assert_int_equal(edge(&fixture, 0x1014, 0x1000, EDGE_JUMP).time, u);
    assert_int_equal(fixture.code.profile.edges.n, 5);
    assert_int_equal(fixture.code.profile.ranges.n, 4);
    assert_int_equal(time_at(&fixture, 0x1005), WINDOW_NS);
    assert_int_equal(fixture.code.profile.totals.time, WINDOW);
    assert_int_equal(fixture.code.profile.totals.count, rate * WINDOW);
    assert_int_equal(fixture.code.profile.totals.batches, 1);
    assert_int_equal(fixture.decode.windows, 1);
    assert_int_equal(fixture.decode.instructions, 18);
    assert_int_equal(fixture.decode.weighing.miscounted, 0);
    close_fixture(&fixture);
}

/* The walk came to its second window of three, and no further. */
static void windows_of_a_walk_share_its_sample(void **state)
{
    (void)state;
    static struct fixture fixture;
    open_fixture(&fixture);
    add_loop(&fixture);
    const uint32_t exits[] = {CALLED, RETURNED, AGAIN, LEFT_LOOP};
    struct event_walk event = {
        .pc = 0x1005, .end_pc = 0x1100, .instructions = 18, .flags = WALK_COMPLETE};
    event.share = 1, event.shares = 3;
    walk(&fixture, event, exits, 4);
    event.share = 2, event.flags |= WALK_FURTHER;
    event.pc = 0x1000;
    walk(&fixture, event, exits, 4);
    decode_flush(&fixture.decode, true);
    assert_int_equal(fixture.decode.windows, 2);
    assert_in_range(fixture.code.profile.totals.time, WINDOW - 8, WINDOW);
    assert_int_equal(fixture.code.profile.totals.samples, 1);
    assert_int_equal(time_at(&fixture, 0x1005), WINDOW_NS);
    assert_int_equal(time_at(&fixture, 0x1000), 0);
    assert_in_range(fixture.decode.complete_ns, WINDOW_NS - 1, WINDOW_NS);
    close_fixture(&fixture);
}

/* Two instructions a tick by the trail, but the window took ten ticks an instruction. */
static void slow_windows_are_not_made_fast_by_their_trail(void **state)
{
    (void)state;
    static struct fixture fixture;
    open_fixture(&fixture);
    add_loop(&fixture);
    fixture.decode.weighing.tsc_hz = 2000000000;
    const uint32_t exits[] = {CALLED, RETURNED, AGAIN, LEFT_LOOP};
    walk(&fixture,
         (struct event_walk){.pc = 0x1005,
                             .end_pc = 0x1100,
                             .instructions = 18,
                             .slow_ns = 90,
                             .trail = 3000,
                             .trail_ticks = 1500,
                             .flags = WALK_COMPLETE | WALK_TIMED},
         exits, 4);
    decode_flush(&fixture.decode, true);
    const uint64_t rate = (1 << RATE_BITS) / 10;
    assert_int_equal(fixture.code.profile.totals.time, WINDOW);
    assert_int_equal(fixture.code.profile.totals.count, rate * WINDOW);
    close_fixture(&fixture);
}

/* A consumer like any other. */
struct last_window {
    struct window_consumer consumer;
    uint32_t counted, batches;
    uint64_t stands_for_ns;
};
static struct last_window seen_last;

static void last_window_see(struct window_consumer *consumer, const struct weighed_window *window)
{
    struct last_window *last = (struct last_window *)consumer;
    last->counted = window->counted.n_exits;
    last->stands_for_ns = window->stands_for_ns;
}

static void last_window_flush(struct window_consumer *consumer, const struct batch_end *end)
{
    (void)end;
    ((struct last_window *)consumer)->batches++;
}

static void last_window_release(struct window_consumer *consumer)
{
    seen_last = *(struct last_window *)consumer;
    mem_free(consumer);
}

static struct last_window *last_window_listen(struct fixture *fixture)
{
    static const struct window_consumer_kind kind = {
        .window = last_window_see, .flush = last_window_flush, .release = last_window_release};
    struct last_window *last = mem_alloc(sizeof *last);
    last->consumer.kind = &kind;
    decode_listen(&fixture->decode, &last->consumer);
    return last;
}

/* Most windows end at a system call, soon: of a longer one only the beginning counts, and the whole
 * stands for as much time. */
static void what_lies_far_from_the_interrupt_does_not_count(void **state)
{
    (void)state;
    static struct fixture fixture;
    open_fixture(&fixture);
    add_loop(&fixture);
    const struct last_window *last = last_window_listen(&fixture);
    static uint32_t exits[3 * 1000];
    for (uint32_t i = 0; i < 3000; i++)
        exits[i] = (uint32_t[]){CALLED, RETURNED, AGAIN}[i % 3];
    struct event_walk event = {.pc = 0x1005, .instructions = 14, .flags = WALK_SHORT};
    for (int i = 0; i < 100; i++)
        walk(&fixture, event, exits, 3);
    decode_flush(&fixture.decode, true);
    uint64_t before = fixture.code.profile.totals.time;
    uint64_t returned = edge(&fixture, 0, 0x1012, EDGE_RETURN).time;
    event.instructions = 14 * 1000, event.flags = WALK_COMPLETE;
    walk(&fixture, event, exits, 3000);
    assert_int_equal(last->stands_for_ns, WINDOW_NS);
    assert_in_range(last->counted, 3 * REACH_LEAST / 14, 3 * REACH_LEAST / 14 + 3);
    decode_flush(&fixture.decode, true);
    assert_int_equal(decode_garbled(&fixture.decode), 0);
    assert_int_equal(fixture.decode.weighing.miscounted, 0);
    assert_int_equal(fixture.code.profile.totals.time - before, WINDOW);
    /* Five rounds of 14, the last of which ends before it returns, or a little more. */
    assert_in_range(edge(&fixture, 0, 0x1012, EDGE_RETURN).time - returned, WINDOW / 20,
                    WINDOW / 13);
    close_fixture(&fixture);
    assert_int_equal(seen_last.batches, 2);
}

static void where_the_last_exit_went(void **state)
{
    (void)state;
    static struct fixture fixture;
    open_fixture(&fixture);
    add_loop(&fixture);
    const uint32_t exits[] = {RETURNED};
    walk(&fixture, (struct event_walk){.end_pc = 0x1012}, exits, 1);
    decode_flush(&fixture.decode, true);
    const uint64_t u = 3355443; /* 2^24 / 5 */
    assert_int_equal(edge(&fixture, 0, 0x1012, EDGE_RETURN).time, u);
    assert_int_equal(edge(&fixture, 0, 0x1012, EDGE_RETURN).count, u << RATE_BITS);
    assert_int_equal(fixture.code.profile.edges.n, 1);
    close_fixture(&fixture);
}

/* 3000: jmp *table, to 3100 and 3200, which jump back; 3100 calls through a pointer. */
static void indirect_targets_are_told_apart(void **state)
{
    (void)state;
    static struct fixture fixture;
    open_fixture(&fixture);
    const struct wire_segment segments[] = {
        {.start = 0x3000, .bytes = 2, .instructions = 1, .end = SEGMENT_IJUMP, .last_bytes = 2},
        {.start = 0x3100, .bytes = 2, .instructions = 1, .end = SEGMENT_ICALL, .last_bytes = 2},
        {.start = 0x3200,
         .target = 0x3000,
         .bytes = 2,
         .instructions = 1,
         .end = SEGMENT_JUMP,
         .last_bytes = 2},
    };
    for (uint32_t i = 0; i < 3; i++)
        fake_superblock(&fixture.code.fake, i, 0, 1, &segments[i]);
    fake_code_read_good(&fixture.code);
    const uint32_t exits[] = {0, 2, 0, 1, 2, 0, 2, 0}; /* 8 instructions */
    walk(&fixture, (struct event_walk){.end_pc = 0x3100}, exits, 8);
    walk(&fixture, (struct event_walk){.end_pc = 0x3100}, exits, 8);
    decode_flush(&fixture.decode, true);
    const uint64_t u = 2 * WINDOW / 8;
    assert_int_equal(edge(&fixture, 0x3000, 0x3200, EDGE_IJUMP).time, 2 * u);
    assert_int_equal(edge(&fixture, 0x3000, 0x3100, EDGE_IJUMP).time, 2 * u);
    assert_int_equal(edge(&fixture, 0x3100, 0x3200, EDGE_ICALL).time, u);
    assert_int_equal(edge(&fixture, 0x3200, 0x3000, EDGE_JUMP).time, 3 * u);
    assert_int_equal(fixture.code.profile.edges.n, 4);
    close_fixture(&fixture);
}

static void followed_jumps_and_fallen_ends(void **state)
{
    (void)state;
    static struct fixture fixture;
    open_fixture(&fixture);
    const struct wire_segment segments[] = {
        {.start = 0x4000,
         .target = 0x4100,
         .bytes = 4,
         .instructions = 2,
         .end = SEGMENT_JUMP,
         .last_bytes = 2},
        {.start = 0x4100, .target = 0x4000, .bytes = 6, .instructions = 2, .last_bytes = 2},
    };
    const struct wire_segment stop = {.start = 0x4106, .target = 0x4106, .end = SEGMENT_STOP};
    fake_superblock(&fixture.code.fake, 0, 0, 2, segments);
    fake_superblock(&fixture.code.fake, 3, 0, 1, &stop);
    fake_code_read_good(&fixture.code);
    const uint32_t exits[] = {1, 1, 1, 2, 3}; /* three times round, then out and refused */
    walk(&fixture, (struct event_walk){.end_pc = 0x4106}, exits, 5);
    decode_flush(&fixture.decode, true);
    const uint64_t u3 = 3 * WINDOW / 16, u1 = WINDOW / 16;
    assert_int_equal(range(&fixture, 0x4000, 0x4002, 2).time, u3 + u1);
    assert_int_equal(range(&fixture, 0x4100, 0x4104, 2).time, u3 + u1);
    assert_int_equal(edge(&fixture, 0x4002, 0x4100, EDGE_JUMP).time, u3 + u1);
    assert_int_equal(edge(&fixture, 0x4104, 0x4000, EDGE_TAKEN).time, u3);
    assert_int_equal(edge(&fixture, 0x4104, 0x4106, EDGE_FALL).count, u1 << RATE_BITS);
    assert_int_equal(edge(&fixture, 0x4104, 0x4106, EDGE_FALL).time, (u3 + u1) << RATE_BITS);
    assert_int_equal(fixture.code.profile.edges.n, 3);
    assert_int_equal(fixture.code.profile.ranges.n, 2);
    close_fixture(&fixture);
}

static void windows_get_the_mean_rate_of_their_place(void **state)
{
    (void)state;
    static struct fixture fixture;
    open_fixture(&fixture);
    add_loop(&fixture);
    const uint32_t exits[] = {AGAIN};
    struct event_walk event = {.flags = WALK_TIMED, .trail = 1000, .trail_ticks = 500};
    walk(&fixture, event, exits, 1);
    event.trail_ticks = 1000;
    walk(&fixture, event, exits, 1);
    decode_flush(&fixture.decode, true);
    uint64_t before = fixture.code.profile.totals.count;
    assert_int_equal(before, (uint64_t)7 * WINDOW << (RATE_BITS - 1)); /* 2, then (2 + 1) / 2 */
    event.flags = 0;
    walk(&fixture, event, exits, 1);
    decode_flush(&fixture.decode, true);
    assert_int_equal(fixture.code.profile.totals.count - before,
                     (uint64_t)3 * WINDOW << (RATE_BITS - 1));
    event = (struct event_walk){.flags = WALK_TIMED, .trail = UINT32_MAX, .trail_ticks = 1};
    before = fixture.code.profile.totals.count;
    walk(&fixture, event, exits, 1);
    decode_flush(&fixture.decode, true);
    /* No more than 16 is believed. */
    uint64_t last = fixture.code.profile.totals.count - before;
    assert_in_range(last, ((uint64_t)19 * WINDOW << RATE_BITS) / 3 - WINDOW,
                    ((uint64_t)19 * WINDOW << RATE_BITS) / 3);
    close_fixture(&fixture);
}

/* Of CPU time and of time as it passes: what comes later. */
static void batches_are_a_quarter_second_long(void **state)
{
    (void)state;
    static struct fixture fixture;
    open_fixture(&fixture);
    add_loop(&fixture);
    fixture.decode.weighing.tsc_hz = 1000;
    const uint32_t exits[] = {AGAIN};
    const struct {
        int32_t tid;
        uint64_t tsc, cpu_ms, batches;
    } walks[] = {
        {1, 1000, 5, 0},   {1, 1100, 105, 0}, {1, 1249, 254, 0}, {1, 1250, 255, 1}, /* one thread */
        {2, 1260, 10, 1},  {2, 1499, 250, 1}, {1, 1499, 500, 1}, {1, 1510, 501, 2}, /* two */
        {1, 2500, 601, 2}, {2, 3500, 350, 2}, {1, 9000, 651, 2}, {1, 9900, 652, 3}, /* seldom */
        {1, 9800, 653, 3},
    };
    for (size_t i = 0; i < sizeof walks / sizeof *walks; i++) {
        walk(&fixture,
             (struct event_walk){
                 .tid = walks[i].tid, .tsc = walks[i].tsc, .cpu_ns = walks[i].cpu_ms * 1000000},
             exits, 1);
        assert_int_equal(fixture.code.profile.totals.batches, walks[i].batches);
    }
    decode_flush(&fixture.decode, true);
    decode_flush(&fixture.decode, true);
    assert_int_equal(fixture.code.profile.totals.batches, 4);
    uint64_t ms = (uint64_t)1000000 << UNIT_BITS;
    assert_int_equal(fixture.code.profile.totals.time, (653 + 350) * ms);
    close_fixture(&fixture);
}

/* A thread that is sampled ten times as often as another weighs no more for it. */
static void threads_weigh_what_they_ran(void **state)
{
    (void)state;
    static struct fixture fixture;
    open_fixture(&fixture);
    add_loop(&fixture);
    const uint32_t often[] = {AGAIN}, seldom[] = {RETURNED};
    for (uint64_t i = 1; i <= 100; i++) {
        walk(&fixture, (struct event_walk){.tid = 7, .pc = 0x1012, .cpu_ns = i * 1000000}, often,
             1);
        if (i % 10 == 0)
            walk(&fixture, (struct event_walk){.tid = 8, .pc = 0x2000, .cpu_ns = i * 1000000},
                 seldom, 1);
    }
    decode_flush(&fixture.decode, true);
    uint64_t ms = (uint64_t)1000000 << UNIT_BITS;
    assert_int_equal(fixture.code.profile.totals.time, 200 * ms);
    assert_int_equal(range(&fixture, 0x1012, 0x1014, 2).time, 100 * ms / 2);
    assert_int_equal(range(&fixture, 0x2000, 0x200b, 5).time, 100 * ms / 5);
    assert_int_equal(time_at(&fixture, 0x1012), 100000000);
    assert_int_equal(time_at(&fixture, 0x2000), 100000000);
    assert_int_equal(fixture.code.profile.totals.samples, 110);
    const struct stacks *stacks = &fixture.code.profile.stacks;
    struct stack_key roots[] = {
        {STACK_NONE, MODULE_NONE, stack_thread((uint32_t)getpid(), 7)},
        {STACK_NONE, MODULE_NONE, stack_thread((uint32_t)getpid(), 8)},
    };
    for (size_t i = 0; i < 2; i++)
        assert_int_not_equal(map_find(&stacks->nodes, &roots[i]), MAP_NONE);
    /* As many equal samples would tell as much: 200^2 / (100 * 1 + 10 * 10^2). */
    const struct totals *totals = &fixture.code.profile.totals;
    assert_true((u128)totals->sampled_ns * totals->sampled_ns / totals->sampled_xx == 36);
    close_fixture(&fixture);
}

static void walks_that_contradict_the_units_are_left_out(void **state)
{
    (void)state;
    static struct fixture fixture;
    open_fixture(&fixture);
    add_loop(&fixture);
    const uint32_t bad[][4] = {
        {CALLED, RETURNED, AGAIN, 4},          /* no such exit */
        {CALLED, RETURNED, AGAIN, UINT32_MAX}, /* nor this */
        {CALLED, AGAIN, LEFT_LOOP, CALLED},    /* a call that arrives elsewhere */
        {RETURNED, AGAIN, CALLED, CALLED},
    };
    for (size_t i = 0; i < 4; i++)
        walk(&fixture, (struct event_walk){.end_pc = 0x1100}, bad[i], 4);
    decode_flush(&fixture.decode, true);
    assert_int_equal(decode_garbled(&fixture.decode), 4);
    assert_int_equal(fixture.decode.windows, 0);
    assert_int_equal(fixture.code.profile.edges.n, 0);
    assert_int_equal(fixture.code.profile.totals.time, 0);
    const uint32_t good[] = {AGAIN, CALLED, RETURNED};
    walk(&fixture, (struct event_walk){.end_pc = 0x1012}, good, 3);
    decode_flush(&fixture.decode, true);
    const uint64_t u = 1198373; /* 2^24 / 14: nothing is left of the walks before */
    assert_int_equal(edge(&fixture, 0x1014, 0x1000, EDGE_JUMP).time, u);
    assert_int_equal(range(&fixture, 0x1000, 0x1008, 4).time, u);
    close_fixture(&fixture);
}

/* Each place gets the time since the interrupt before, whether that was walked or not. */
static void interrupts_tell_where_time_goes(void **state)
{
    (void)state;
    static struct fixture fixture;
    open_fixture(&fixture);
    walk(&fixture, (struct event_walk){.pc = 0x1234, .cpu_ns = 60000000}, NULL, 0);
    walk(&fixture, (struct event_walk){.pc = 0x1234, .cpu_ns = 63000000}, NULL, 0);
    walk(&fixture, (struct event_walk){.pc = 0, .cpu_ns = 64000000}, NULL, 0);
    walk(&fixture, (struct event_walk){.pc = 0xfff0000000, .cpu_ns = 66000000}, NULL, 0);
    decode_flush(&fixture.decode, true);
    assert_int_equal(fixture.code.profile.stacks.nodes.n, 3);
    assert_int_equal(time_at(&fixture, 0x1234), 10000000 + 3000000);
    assert_int_equal(fixture.code.profile.totals.samples, 3);
    assert_int_equal(fixture.code.profile.totals.sampled_ns, 15000000);
    assert_int_equal(fixture.decode.interrupts.unmapped, 1);
    assert_int_equal(fixture.decode.windows, 0);
    close_fixture(&fixture);
}

/* Random loops of conditional superblocks: in every window all instructions weigh one window,
 * within half a unit for each that was rounded, and what enters a segment leaves it. */
enum { RING_N = 64 };

static void add_random_ring(struct fixture *fixture, uint64_t *random)
{
    for (uint32_t i = 0; i < RING_N; i++) {
        uint64_t start = 0x10000 + i * 0x100, next = 0x10000 + (i + 1) % RING_N * 0x100;
        struct wire_segment segments[3];
        uint64_t at = start;
        for (uint32_t s = 0; s < 3; s++) {
            uint32_t n = 1 + (uint32_t)(fake_random(random) % 20);
            segments[s] = (struct wire_segment){.start = at,
                                                .target = next,
                                                .bytes = n * 3,
                                                .instructions = (uint16_t)n,
                                                .end = s < 2 ? SEGMENT_COND : SEGMENT_JUMP,
                                                .last_bytes = 3};
            at += n * 3;
        }
        fake_superblock(&fixture->code.fake, i * 3, 0, 3, segments);
    }
    fake_code_read_good(&fixture->code);
}

static void weights_are_conserved(void **state)
{
    (void)state;
    uint64_t random = 88172645463325252u;
    static struct fixture fixture;
    open_fixture(&fixture);
    add_random_ring(&fixture, &random);
    static uint32_t exits[5000];
    uint64_t windows = 300, error_allowed = 0;
    for (uint64_t w = 0; w < windows; w++) {
        uint32_t n = 1 + (uint32_t)(fake_random(&random) % 5000);
        for (uint32_t i = 0; i < n; i++)
            exits[i] = (uint32_t)(i % RING_N * 3 + fake_random(&random) % 3);
        walk(&fixture, (struct event_walk){.period_ns = WINDOW_NS, .cpu_ns = w * 1000000}, exits,
             n);
        error_allowed += 3 * RING_N / 2 * 60;
    }
    decode_flush(&fixture.decode, true);
    assert_int_equal(fixture.decode.windows, windows);
    uint64_t sum = 0, in = 0, out = 0;
    for (uint32_t i = 0; i < fixture.code.profile.ranges.n; i++) {
        const struct range_key *key = map_key(&fixture.code.profile.ranges.keys, i);
        sum += fixture.code.profile.ranges.at[i].time * key->instructions;
        in += fixture.code.profile.ranges.at[i].count;
    }
    for (uint32_t i = 0; i < fixture.code.profile.edges.n; i++)
        out += fixture.code.profile.edges.at[i].count;
    uint64_t whole = windows * WINDOW;
    assert_true((sum > whole ? sum - whole : whole - sum) <= error_allowed);
    assert_int_equal(in, out);
    close_fixture(&fixture);
}

/* What went from `start` to `last`, called from before `behind`; 0: from nowhere that is known. */
static uint64_t passage(const struct fixture *fixture, uint64_t behind, uint64_t start,
                        uint64_t last)
{
    const struct stacks *passages = &fixture->code.profile.passages;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < passages->cells.n; i++) {
        const struct stack_cell *cell = map_key(&passages->cells, i);
        struct stack_key at = stacks_key(passages, cell->node);
        const uint64_t wanted[] = {last, start, behind ? behind - 1 : 0};
        uint32_t same = 0;
        while (same < 3 && at.address == wanted[same] && at.parent != STACK_NONE) {
            at = stacks_key(passages, at.parent);
            same++;
        }
        bool found = behind ? same == 3 : same == 2 && at.parent == STACK_NONE;
        sum += found ? passages->weights.at[i] : 0;
    }
    return sum;
}

static void runs_have_the_calls_of_their_window(void **state)
{
    (void)state;
    static struct fixture fixture;
    struct walk_stacks stacks;
    open_fixture_with(&fixture, &stacks);
    add_loop(&fixture);
    /* The lead: in the called function, of whose caller nothing is known, and back. Then twice
     * round. */
    const uint32_t exits[] = {RETURNED, AGAIN, CALLED, RETURNED, AGAIN, CALLED, RETURNED, AGAIN};
    struct event_walk event = {.kind = EVENT_WALK,
                               .pc = 0x2002,
                               .end_pc = 0x1000,
                               .period_ns = WINDOW_NS,
                               .n_lead = 2,
                               .n_exits = 6};
    decode_walk(&fixture.decode, &(struct walk_entry){.walk = &event, .exits = exits + 2});
    assert_int_equal(passage(&fixture, 0, 0x1000, 0x100d), 0); /* not before the batch ends */
    decode_flush(&fixture.decode, true);
    uint64_t each = passage(&fixture, 0, 0x1000, 0x100d);
    assert_true(each > 0);
    assert_int_equal(passage(&fixture, 0x1012, 0x2000, 0x200b), each);
    assert_int_equal(passage(&fixture, 0, 0x1012, 0x1014), each);
    assert_int_equal(passage(&fixture, 0, 0x2000, 0x200b), 0);
    /* Of 14 instructions each time round, two times are the window. */
    assert_int_equal(each / 2, ((uint64_t)WINDOW + 14) / 28 << RATE_BITS);
    /* The profile was written and emptied: the same window is counted anew. */
    profile_clear(&fixture.code.profile);
    decode_forget(&fixture.decode);
    event.tsc += 1000000;
    decode_walk(&fixture.decode, &(struct walk_entry){.walk = &event, .exits = exits + 2});
    for (int i = 0; i < 4; i++)
        decode_flush(&fixture.decode, false);
    assert_int_equal(passage(&fixture, 0, 0x1000, 0x100d), each);
    assert_int_equal(passage(&fixture, 0x1012, 0x2000, 0x200b), each);
    walk_stacks_release(&stacks);
    close_fixture(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_have_the_calls_of_their_window),
        cmocka_unit_test(one_window_by_hand),
        cmocka_unit_test(windows_of_a_walk_share_its_sample),
        cmocka_unit_test(slow_windows_are_not_made_fast_by_their_trail),
        cmocka_unit_test(what_lies_far_from_the_interrupt_does_not_count),
        cmocka_unit_test(where_the_last_exit_went),
        cmocka_unit_test(indirect_targets_are_told_apart),
        cmocka_unit_test(followed_jumps_and_fallen_ends),
        cmocka_unit_test(windows_get_the_mean_rate_of_their_place),
        cmocka_unit_test(batches_are_a_quarter_second_long),
        cmocka_unit_test(threads_weigh_what_they_ran),
        cmocka_unit_test(walks_that_contradict_the_units_are_left_out),
        cmocka_unit_test(interrupts_tell_where_time_goes),
        cmocka_unit_test(weights_are_conserved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
