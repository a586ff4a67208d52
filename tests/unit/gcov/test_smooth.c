#include "gcov/smooth.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

enum { BLOCKS = 8, ARCS = 11 };

/* 0 -> 2; 2 -> 3, 4; 3 -> 5; 4 -> 5, 6; 5 -> 2, 7; 6 calls what does not come back; 7 -> 1. */
static const struct notes_arc graph[ARCS] = {
    {0, 2, 0}, {2, 3, 0}, {2, 4, 0},        {3, 5, 0}, {4, 5, 0},        {4, 6, 0},
    {5, 2, 0}, {5, 7, 0}, {6, 1, ARC_FAKE}, {7, 1, 0}, {7, 1, ARC_FAKE},
};

/* Each block has a line of its own, ten times its number. */
static void graph_make(struct notes_function *function)
{
    *function = (struct notes_function){.name = "f", .n_blocks = BLOCKS};
    for (int i = 0; i < ARCS; i++)
        *vec_push(&function->arcs) = graph[i];
    for (uint32_t b = 2; b < BLOCKS; b++)
        *vec_push(&function->lines) =
            (struct notes_line){.block = b, .line = 10 * b, .file = "f.c"};
}

/* With code seen to run of the lines of these blocks, a bit each. */
static void smooth(uint64_t *arcs, unsigned ran, bool exact)
{
    struct notes_function function;
    struct line_groups groups;
    struct sightings sightings = {0};
    graph_make(&function);
    line_groups_make(&groups, &function, NULL);
    for (uint32_t b = 2; b < BLOCKS; b++)
        *vec_push(&sightings) = (struct sighting){.group = line_groups_find(&groups, "f.c", 10 * b),
                                                  .count = ran >> b & 1,
                                                  .kind = SIGHTING_CODE};
    arcs_smooth(&function, &groups, &sightings, exact, arcs);
    vec_release(&sightings);
    line_groups_release(&groups);
    vec_release(&function.lines);
    vec_release(&function.arcs);
}

static void flow_is_kept(const uint64_t *arcs)
{
    for (uint32_t b = 2; b < BLOCKS; b++) {
        uint64_t in = 0, out = 0;
        for (int i = 0; i < ARCS; i++) {
            in += graph[i].to == b ? arcs[i] : 0;
            out += graph[i].from == b ? arcs[i] : 0;
        }
        assert_int_equal(in, out);
    }
}

/* Four came in and went twenty times round by block 3: the way by block 4 gets less than one, the
 * error nothing. */
static void what_was_not_met_runs_a_little(void **state)
{
    (void)state;
    uint64_t arcs[ARCS] = {4, 20, 0, 20, 0, 0, 16, 4, 0, 4, 0};
    smooth(arcs, 1u << 4, false);
    flow_is_kept(arcs);
    assert_true(arcs[2] > 0 && 20 * arcs[2] < arcs[1]);
    assert_int_equal(arcs[2], arcs[4]);
    assert_int_equal(arcs[5], 0);
    assert_int_equal(arcs[1] + arcs[2], 5 * arcs[0]);
}

static void what_did_not_run_at_all_does_not(void **state)
{
    (void)state;
    uint64_t arcs[ARCS] = {0}, zeros[ARCS] = {0};
    smooth(arcs, 0, false);
    assert_memory_equal(arcs, zeros, sizeof arcs);
}

/* The way out of a loop that was never seen to end. */
static void a_loop_may_end(void **state)
{
    (void)state;
    uint64_t arcs[ARCS] = {0, 20, 0, 20, 0, 0, 20, 0, 0, 0, 0};
    smooth(arcs, 0, false);
    flow_is_kept(arcs);
    assert_true(arcs[2] > 0);
}

/* Exactly counted: a way is not gone, unless code of what it leads to was seen to run. */
static void what_was_counted_is_zero_unless_it_ran(void **state)
{
    (void)state;
    uint64_t never[ARCS] = {4, 20, 0, 20, 0, 0, 16, 4, 0, 4, 0};
    uint64_t ran[ARCS] = {4, 20, 0, 20, 0, 0, 16, 4, 0, 4, 0};
    smooth(never, 1u << 2 | 1u << 3 | 1u << 5, true);
    assert_int_equal(never[1], 20);
    assert_int_equal(never[2], 0);
    smooth(ran, 1u << 2 | 1u << 3 | 1u << 4 | 1u << 5, true);
    flow_is_kept(ran);
    assert_int_equal(ran[1], 19);
    assert_int_equal(ran[2], 1);
}

/* Its beginning was lost: it was called all the same. Exactly counted, one execution each is
 * enough. */
static void what_ran_was_called(void **state)
{
    (void)state;
    for (int exact = 0; exact < 2; exact++) {
        uint64_t arcs[ARCS] = {0, 20, 0, 20, 0, 0, 20, 0, 0, 0, 0};
        smooth(arcs, 1u << 2 | 1u << 3 | 1u << 5, exact);
        flow_is_kept(arcs);
        assert_true(arcs[0] > 0 && arcs[0] == arcs[9]);
        assert_true(20 * arcs[0] <= arcs[1]);
        assert_true(!exact || arcs[0] == 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_not_met_runs_a_little),
        cmocka_unit_test(what_did_not_run_at_all_does_not),
        cmocka_unit_test(a_loop_may_end),
        cmocka_unit_test(what_was_counted_is_zero_unless_it_ran),
        cmocka_unit_test(what_ran_was_called),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
