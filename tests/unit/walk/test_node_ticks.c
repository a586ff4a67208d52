/* Ticks of some stays in nodes: their sum against that of all, which the test adds up, for lengths that vary in every way that matters. */
#include "walk/node_ticks.h"
#include "walk/node_tree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <cmocka.h>

enum { CLOCK = 25, TRIES = 60 };

static struct context *context;
static uint64_t seed = 1;

static uint64_t chance(uint64_t below)
{
    seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (seed >> 33) % below;
}

/* How long the i-th stay lasts. */
static uint64_t even(uint32_t i)
{
    (void)i;
    return 20 + chance(40);
}
static uint64_t rarely_long(uint32_t i)
{
    (void)i;
    return chance(100) ? 30 : 3000;
}
static uint64_t later_longer(uint32_t i)
{
    return 10 + i / 100;
}
static uint64_t in_turn(uint32_t i)
{
    return i % 8 ? 40 : 400;
}
static uint64_t always_long(uint32_t i)
{
    (void)i;
    return 50000 + chance(1000);
}

static struct wire_node *node(void)
{
    return node_at((uint8_t *)context->counters, 0);
}

/* The ticks of so many stays in a new node; what is between measured ones takes no clock. */
static uint64_t stays(uint64_t (*length)(uint32_t i), uint32_t n)
{
    uint64_t sum = 0;
    *node() = (struct wire_node){.bytes = sizeof(struct wire_node)};
    context->node = context->node_timed = 0;
    context->node_clock = CLOCK;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t ticks = length(i);
        sum += ticks;
        node_stay_begin(context);
        node_stay_end(context, context->node_began + ticks + CLOCK);
    }
    return sum;
}

/* Within two deviations mostly, where long ones are rare and few of them seen, else nearly always; and not off on the mean: by no more than three of the sum of all tries. */
static void sums_are_estimated(void **state)
{
    (void)state;
    uint64_t (*const lengths[])(uint32_t) = {even, rarely_long, later_longer, in_turn};
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
        uint32_t within = 0;
        double off = 0, variance = 0;
        for (int i = 0; i < TRIES; i++) {
            uint64_t sum = stays(lengths[k], 20000);
            assert_true(node()->timed < 20000 / 8);
            double by = (double)node_ticks_whole(node()) - (double)sum;
            double spread = (double)node()->spread * NODE_SPREAD;
            within += by * by <= 4 * spread;
            off += by;
            variance += spread;
        }
        assert_in_range(within, TRIES * 4 / 5, TRIES);
        assert_true(off * off <= 9 * variance);
    }
}

/* The first of a node, and whatever is long beside what it takes to measure: all of them, and nothing is estimated. */
static void what_costs_little_is_measured(void **state)
{
    (void)state;
    uint64_t sum = stays(even, 7);
    assert_int_equal(sum, node_ticks_whole(node()));
    assert_int_equal(node()->timed, 7);
    sum = stays(always_long, 1000);
    assert_int_equal(sum, node_ticks_whole(node()));
    assert_int_equal(node()->timed, 1000);
    assert_int_equal(node()->spread, 0);
}

/* One that was interrupted does not stand for those that were not. */
static void interruptions_stand_alone(void **state)
{
    (void)state;
    uint64_t interrupted = 0, length = 10000000;
    stays(even, 20000);
    assert_true(node()->weight > 1);
    struct wire_node before = *node();
    node()->left = 0;
    context->interrupted = &interrupted;
    node_stay_begin(context);
    node_stay_end(context, context->node_began + length + CLOCK);
    context->interrupted = NULL;
    assert_int_equal(interrupted, 1);
    assert_int_equal(node()->ticks, before.ticks + length);
    assert_int_equal(node()->stays, before.stays + 1);
    assert_int_equal(node()->spread, before.spread);
}

static int set_up(void **state)
{
    (void)state;
    context = mmap(NULL, CONTEXT_SHADOW_AT, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (context == MAP_FAILED)
        return 1;
    context->path_seed = 1;
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_estimated),
        cmocka_unit_test(what_costs_little_is_measured),
        cmocka_unit_test(interruptions_stand_alone),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
