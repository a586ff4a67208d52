/* What looking at the clock took is taken off stays in contexts: as much as the CPU time tells, and
 * nothing where that tells nothing. */
#include "analysis/report/context_ticks.h"

#include "profile/profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

enum { STAYS = 1000000, BRIEF = 30, LOOK = 40, LASTING = 500000000, DISTURBED = 65536 };

static uint32_t node_add(struct profile *profile, uint64_t address, uint64_t ticks, uint64_t stays)
{
    struct stacks *stacks = &profile->stacks;
    uint32_t node = stacks_node(stacks, STACK_NONE, 0, address);
    stacks_add(stacks, node, STACK_CALLS, 1);
    stacks_add(stacks, node, STACK_TICKS, ticks);
    stacks_add(stacks, node, STACK_TIMED, 1);
    stacks_add(stacks, node, STACK_VISITS, stays);
    return node;
}

static uint64_t ticks_of(const struct profile *profile, uint32_t node)
{
    struct context_clock clock = context_clock_find(profile);
    struct stack_cell key = {.node = node, .group = STACK_TICKS};
    return context_clock_weight(&clock, profile, map_find(&profile->stacks.cells, &key));
}

/* Stays of BRIEF ticks and of twice as many, each measured with LOOK more, and a long one: the
 * clock goes at 1 GHz. */
static void begin(struct profile *profile, uint64_t cpu, uint32_t nodes[3])
{
    profile_init(profile);
    profile->mode = PROFILE_EXACT;
    profile->totals.user_ns = profile->totals.user_ticks = cpu;
    nodes[0] = node_add(profile, 1, (uint64_t)STAYS * (BRIEF + LOOK), STAYS);
    nodes[1] = node_add(profile, 2, (uint64_t)STAYS * (2 * BRIEF + LOOK), STAYS);
    nodes[2] = node_add(profile, 3, LASTING, 1);
}

static void looks_are_taken_off(void **state)
{
    struct profile profile;
    uint32_t nodes[3];
    (void)state;
    begin(&profile, LASTING + 3u * BRIEF * STAYS, nodes);
    assert_in_range(ticks_of(&profile, nodes[0]), STAYS * (BRIEF - 1), STAYS * (BRIEF + 1));
    assert_in_range(ticks_of(&profile, nodes[1]), STAYS * (2 * BRIEF - 1), STAYS * (2 * BRIEF + 1));
    assert_int_equal(ticks_of(&profile, nodes[2]), LASTING);
    profile_release(&profile);
}

/* It waited, or others had the CPU: of the others nothing is known. */
static void who_waits_is_left_alone(void **state)
{
    struct profile profile;
    uint32_t nodes[3];
    (void)state;
    begin(&profile, LASTING / 2, nodes);
    assert_int_equal(ticks_of(&profile, nodes[0]), (uint64_t)STAYS * (BRIEF + LOOK));
    profile_release(&profile);
}

static void no_more_is_added(void **state)
{
    struct profile profile;
    uint32_t nodes[3];
    (void)state;
    begin(&profile, 2u * LASTING, nodes);
    assert_int_equal(ticks_of(&profile, nodes[1]), (uint64_t)STAYS * (2 * BRIEF + LOOK));
    profile_release(&profile);
}

/* What a stay takes among others is anything from what was taken off to nothing, where stays are
 * short; of long ones it is known, but for what may have disturbed one unseen. */
static void time_alone_is_the_most(void **state)
{
    struct profile profile;
    uint32_t nodes[3];
    (void)state;
    begin(&profile, LASTING + 3u * BRIEF * STAYS, nodes);
    struct context_clock clock = context_clock_find(&profile);
    double brief = (double)ticks_of(&profile, nodes[0]);
    struct estimate estimate = context_clock_estimate(&clock, brief, STAYS, 0);
    assert_true(estimate.lo <= 1 && estimate.hi >= STAYS * (BRIEF + LOOK - 1));
    estimate = context_clock_estimate(&clock, LASTING, 1, 0);
    assert_true(estimate.lo > LASTING - 2 * DISTURBED && estimate.hi < LASTING + 2000);
    assert_true(estimate.lo <= LASTING - DISTURBED);
    profile_release(&profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(looks_are_taken_off),
        cmocka_unit_test(who_waits_is_left_alone),
        cmocka_unit_test(no_more_is_added),
        cmocka_unit_test(time_alone_is_the_most),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
