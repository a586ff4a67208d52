#include "collect/windows/tally.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static uint64_t random_state = 1;

static uint32_t below(uint32_t n)
{
    random_state += 0x9E3779B97F4A7C15u;
    uint64_t z = (random_state ^ random_state >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return (uint32_t)((z ^ z >> 31) % n);
}

/* Superblocks at 0x1000 * (b + 1) with three exits each, ids with gaps: the first two go to fixed
 * superblocks, the third is indirect, in every fourth superblock a return. */
enum { BLOCKS = 50, STRIDE = 5, EXITS = BLOCKS * STRIDE };

static uint32_t to_block[EXITS]; /* BLOCKS: indirect */
static uint32_t length[EXITS];

static void make(struct tally *tally)
{
    tally_init(tally);
    for (uint32_t b = 0; b < BLOCKS; b++)
        for (uint32_t j = 0; j < 3; j++) {
            uint32_t id = b * STRIDE + j;
            to_block[id] = j < 2 ? below(BLOCKS) : BLOCKS;
            length[id] = 1 + j + below(20);
            tally_exit_add(tally, id, b, 0x1000 * (b + 1), j < 2 ? 0x1000 * (to_block[id] + 1) : 0,
                           length[id], b % 4 == 0);
        }
}

static uint32_t walk(uint32_t *exits, uint32_t n)
{
    uint32_t block = below(BLOCKS);
    for (uint32_t i = 0; i < n; i++) {
        exits[i] = block * STRIDE + below(3);
        block = to_block[exits[i]] < BLOCKS ? to_block[exits[i]] : below(BLOCKS);
    }
    return n;
}

/* Slow and plain. */
struct reference {
    struct tally_flow exits[EXITS], ways[EXITS + 1][BLOCKS]; /* the last row: any return */
};

static void add(struct tally_flow *flow, uint64_t seen, const struct tally_weight *weight)
{
    uint64_t units = seen ? tally_units(weight, seen) : 0;
    flow->time += units;
    flow->count += units * weight->rate;
}

static void refer(struct reference *reference, const uint32_t *exits, uint32_t n,
                  struct tally_weight *weight)
{
    static uint32_t seen[EXITS], went[EXITS + 1][BLOCKS];
    memset(seen, 0, sizeof seen);
    memset(went, 0, sizeof went);
    weight->instructions = 0;
    for (uint32_t i = 0; i < n; i++) {
        seen[exits[i]]++;
        weight->instructions += length[exits[i]];
        if (i && to_block[exits[i - 1]] == BLOCKS) {
            bool returned = exits[i - 1] / STRIDE % 4 == 0;
            went[returned ? EXITS : exits[i - 1]][exits[i] / STRIDE]++;
        }
    }
    for (uint32_t e = 0; e < EXITS; e++)
        add(&reference->exits[e], seen[e], weight);
    for (uint32_t e = 0; e <= EXITS; e++)
        for (uint32_t b = 0; b < BLOCKS; b++)
            add(&reference->ways[e][b], went[e][b], weight);
}

static void assert_same(struct tally_flow a, struct tally_flow b)
{
    assert_int_equal(a.time, b.time);
    assert_int_equal(a.count, b.count);
}

static bool is_set(const struct tally_bits *bits, uint32_t index)
{
    return bits->at[index / 64] >> index % 64 & 1;
}

static void assert_tally_is(const struct tally *tally, struct reference *reference)
{
    for (uint32_t e = 0; e < tally->exits.n; e++) {
        assert_same(tally->exits.at[e].flow, reference->exits[e]);
        if (reference->exits[e].time)
            assert_true(is_set(&tally->blocks_touched, e / STRIDE));
    }
    for (uint32_t w = 0; w < tally->ways.n; w++) {
        const struct tally_way *way = &tally->ways.at[w];
        uint32_t from = way->exit == TALLY_ANYWHERE ? EXITS : way->exit;
        assert_same(way->flow, reference->ways[from][way->block]);
        assert_true(is_set(&tally->ways_touched, w));
        reference->ways[from][way->block] = (struct tally_flow){0};
    }
    for (uint32_t e = 0; e <= EXITS; e++)
        for (uint32_t b = 0; b < BLOCKS; b++)
            assert_int_equal(reference->ways[e][b].time, 0);
}

/* Short windows and long ones, for which the quick division would not be exact. */
static void windows_are_counted_and_weighed(void **state)
{
    (void)state;
    enum { LONGEST = 60000 };
    uint32_t *exits = malloc(LONGEST * sizeof *exits);
    struct reference *reference = calloc(1, sizeof *reference);
    struct tally tally;
    make(&tally);
    for (int i = 0; i < 300; i++) {
        struct tally_window window;
        uint32_t n = walk(exits, 1 + below(i % 100 ? 2000 : LONGEST));
        struct tally_weight weight = {.units = 1 + below(i % 3 ? 1 << 24 : 1u << 31),
                                      .rate = 1 + below(1 << 16)};
        refer(reference, exits, n, &weight);
        assert_true(tally_window(&tally, exits, n, &window));
        assert_int_equal(window.instructions, weight.instructions);
        assert_true(window.most && window.most <= window.instructions);
        tally_weigh(&tally, &weight);
    }
    assert_tally_is(&tally, reference);
    tally_release(&tally);
    free(reference);
    free(exits);
}

/* What a window has, told exit by exit in any order, weighs what the window does; but for the way
 * out of its last exit. */
static void sightings_weigh_what_windows_do(void **state)
{
    (void)state;
    enum { N = 1000 };
    uint32_t exits[N];
    struct tally_sighting sightings[N + 2];
    struct reference *reference = calloc(1, sizeof *reference);
    struct tally tally;
    make(&tally);
    for (int i = 0; i < 100; i++) {
        uint32_t n = walk(exits, 1 + below(N));
        struct tally_weight weight = {.units = 1 + below(1u << 31), .rate = 1 + below(1 << 16)};
        refer(reference, exits, n, &weight);
        for (uint32_t k = 0; k < n; k++) {
            uint32_t next = k + 1 < n ? exits[k + 1] / STRIDE * STRIDE + 1 : 0, at = below(k + 1);
            sightings[k] = sightings[at];
            sightings[at] = (struct tally_sighting){exits[k], next, 1};
        }
        sightings[n] = (struct tally_sighting){EXITS + below(1000), 1, 1};
        sightings[n + 1] = (struct tally_sighting){3, 1, 1}; /* a gap */
        assert_int_equal(tally_sightings(&tally, sightings, n + 2), 2);
        tally_weigh(&tally, &weight);
    }
    assert_tally_is(&tally, reference);
    tally_release(&tally);
    free(reference);
}

/* Every window of one instruction and all counts seen in it: rounding is that of a division. */
static void the_quick_division_is_exact(void **state)
{
    (void)state;
    struct tally tally;
    tally_init(&tally);
    tally_exit_add(&tally, 0, 0, 0x1000, 0x1000, 1, false);
    for (uint32_t i = 0; i < 20000; i++) {
        struct tally_weight weight = {.instructions = 1 + below(i % 2 ? 300 : 1 << 19),
                                      .units = 1 + below(i % 5 ? 1 << 24 : UINT32_MAX),
                                      .rate = 3};
        uint32_t seen = 1 + below(i % 3 ? 100 : (uint32_t)weight.instructions);
        tally.exits.at[0].seen = seen;
        *vec_push(&tally.exits_seen) = 0;
        tally_weigh(&tally, &weight);
        struct tally_flow flow = tally_take(&tally.exits.at[0].flow);
        assert_int_equal(flow.time, tally_units(&weight, seen));
        assert_int_equal(flow.count, 3 * flow.time);
        assert_int_equal(tally.exits.at[0].flow.time, 0);
    }
    tally_release(&tally);
}

static void assert_refused(struct tally *tally, const uint32_t *exits, uint32_t n)
{
    struct tally_window window = {.instructions = 77};
    assert_false(tally_window(tally, exits, n, &window));
    assert_int_equal(window.instructions, 77);
    tally_weigh(tally, &(struct tally_weight){0});
    for (uint32_t e = 0; e < tally->exits.n; e++) {
        assert_int_equal(tally->exits.at[e].seen, 0);
        assert_int_equal(tally->exits.at[e].flow.time, 0);
    }
    for (uint32_t s = 0; s < tally->n_slots; s++)
        assert_int_equal(tally->slots[s].seen, 0);
}

static void impossible_windows_leave_no_trace(void **state)
{
    (void)state;
    enum { N = 500 };
    uint32_t exits[N];
    struct tally tally;
    struct tally_window window;
    make(&tally);
    assert_refused(&tally, exits, 0);
    for (int i = 0; i < 2000; i++) {
        walk(exits, N);
        uint32_t at = below(N), good = exits[at];
        exits[at] = i % 3 == 0   ? EXITS + below(1000)
                    : i % 3 == 1 ? good / STRIDE * STRIDE + 3 /* a gap */
                                 : UINT32_MAX;
        assert_refused(&tally, exits, N);
        exits[at] = good;
    }
    /* Another superblock than the one to which a direct exit goes. */
    exits[0] = 0;
    exits[1] = (to_block[0] + 1) % BLOCKS * STRIDE;
    assert_refused(&tally, exits, 2);
    walk(exits, N);
    assert_true(tally_window(&tally, exits, N, &window));
    tally_weigh(&tally, &(struct tally_weight){window.instructions, 1 << 24, 1});
    tally_release(&tally);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(windows_are_counted_and_weighed),
        cmocka_unit_test(sightings_weigh_what_windows_do),
        cmocka_unit_test(the_quick_division_is_exact),
        cmocka_unit_test(impossible_windows_leave_no_trace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
