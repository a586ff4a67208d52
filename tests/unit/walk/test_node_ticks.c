/* Ticks of some stays in nodes: their sum against that of all, which the test adds up, for lengths
 * that vary in every way that matters. */
#include "walk/count/node_ticks.h"
#include "walk/count/cpu_lost.h"
#include "walk/count/node_tree.h"
#include "walk/base/sys.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
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

/* Within two deviations mostly, where long ones are rare and few of them seen, else nearly always;
 * and not off on the mean: by no more than three of the sum of all tries. */
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

/* The first of a node, and whatever is long beside what it takes to measure: all of them, and
 * nothing is estimated. */
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
    context->cpu_tsc = context->node_lost = 0; /* no real loss in what is made up */
    context->interrupted = &interrupted;
    node_stay_begin(context);
    node_stay_end(context, context->node_began + length + CLOCK);
    context->interrupted = NULL;
    assert_int_equal(interrupted, 1);
    assert_int_equal(node()->ticks, before.ticks + length);
    assert_int_equal(node()->stays, before.stays + 1);
    assert_int_equal(node()->spread, before.spread);
}

static uint64_t cpu_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* A stay in a new node, timed by the real clock: what the thread does for `ns`, by its CPU time or
 * asleep. */
static uint64_t stay_really(uint64_t ns, bool asleep)
{
    *node() = (struct wire_node){.bytes = sizeof(struct wire_node)};
    context->node = context->node_timed = 0;
    context->cpu_tsc = 0;
    node_stay_resume(context, 0, sys_tsc());
    node_stay_begin(context);
    uint64_t began = cpu_ns();
    if (asleep)
        nanosleep(&(struct timespec){.tv_nsec = (long)ns}, NULL);
    else
        while (cpu_ns() - began < ns)
            ;
    uint64_t now = sys_tsc(), elapsed = now - context->node_began;
    node_stay_end(context, now);
    return elapsed;
}

/* What the thread did not have a CPU for is no time of the stay, even of the only one; what it
 * computed is. */
static void cpu_lost_is_taken_off(void **state)
{
    (void)state;
    uint64_t asleep = stay_really(20000000, true);
    assert_true(node_ticks_whole(node()) < asleep / 10);
    assert_true(node()->spread > 0);
    /* Its ticks of 10 ms: no more than elapsed, and as many as the slept 20 ms tell at least, less
     * a half, since sleeping lasts longer. */
    uint64_t busy = stay_really(10000000, false);
    assert_true(node_ticks_whole(node()) <= busy);
    assert_true(node_ticks_whole(node()) > cpu_lost_ticks(asleep, 30000000, 5000000));
}

/* Lost before the stay began, or to the dispatcher while it lasted: not the stay's. */
static void lost_elsewhere_is_kept(void **state)
{
    (void)state;
    *node() = (struct wire_node){.bytes = sizeof(struct wire_node)};
    context->node = context->node_timed = 0;
    context->node_lost = context->cpu_tsc = 0;
    node_stay_resume(context, 0, sys_tsc());
    node_stay_begin(context);
    uint64_t paused = sys_tsc();
    nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    uint64_t now = sys_tsc();
    node_stay_resume(context, paused, now);
    assert_true(context->node_lost < (now - paused) / 2);
}

static void lost_ticks_are_a_part(void **state)
{
    (void)state;
    assert_int_equal(cpu_lost_ticks(1000, 0, 0), 0);
    assert_int_equal(cpu_lost_ticks(1000, 10, 10), 1000);
    assert_int_equal(cpu_lost_ticks(1000, 10, 3), 300);
    assert_int_equal(cpu_lost_ticks(UINT64_C(1) << 60, UINT64_C(1) << 40, UINT64_C(1) << 38),
                     UINT64_C(1) << 58);
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
        cmocka_unit_test(cpu_lost_is_taken_off),
        cmocka_unit_test(lost_elsewhere_is_kept),
        cmocka_unit_test(lost_ticks_are_a_part),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
