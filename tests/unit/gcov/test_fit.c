#include "gcov/fit.h"
#include "gcov/fitting.h"

#include "base/err.h"
#include "bytes.h"
#include "gcov/discriminators.h"
#include "gcov/solve.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static void loop_read(struct notes *notes)
{
    struct file file = {0};
    struct err err;
    put_loop(&file);
    assert_true(notes_parse(notes, file.at, file.n, &err));
    vec_release(&file);
}

static void votes_are_weighed_and_flow(void **state)
{
    (void)state;
    struct notes notes;
    struct votes blocks = {0}, none = {0};
    uint64_t arcs[5];
    loop_read(&notes);
    *vec_push(&blocks) = (struct vote){.at = 3, .more = 10, .less = 10, .count = 40};
    *vec_push(&blocks) = (struct vote){.at = 3, .more = 3, .less = 3, .count = 90};
    *vec_push(&blocks) = (struct vote){.at = 4, .more = 10, .less = 10, .count = 3};
    assert_true(arcs_solve(&notes.functions.at[0], &blocks, &none, arcs));
    uint64_t expected[5] = {3, 40, 3, 40, 3};
    assert_memory_equal(arcs, expected, sizeof arcs);
    vec_release(&blocks);
    notes_release(&notes);
}

/* Statements of one piece of code are one witness, however many they are. */
static void equal_votes_are_nearly_one(void **state)
{
    (void)state;
    struct notes notes;
    struct votes blocks = {0}, none = {0};
    uint64_t arcs[5];
    loop_read(&notes);
    for (int i = 0; i < 5; i++)
        *vec_push(&blocks) = (struct vote){.at = 3, .more = 10, .less = 10, .count = 40};
    *vec_push(&blocks) = (struct vote){.at = 3, .more = 25, .less = 25, .count = 90};
    *vec_push(&blocks) = (struct vote){.at = 4, .more = 10, .less = 10, .count = 3};
    assert_true(arcs_solve(&notes.functions.at[0], &blocks, &none, arcs));
    uint64_t expected[5] = {3, 90, 3, 90, 3};
    assert_memory_equal(arcs, expected, sizeof arcs);
    vec_release(&blocks);
    notes_release(&notes);
}

static void nothing_seen_is_nothing_run(void **state)
{
    (void)state;
    struct notes notes;
    struct votes none = {0}, nothing = {0};
    uint64_t arcs[5] = {1, 1, 1, 1, 1}, expected[5] = {0};
    loop_read(&notes);
    assert_true(arcs_solve(&notes.functions.at[0], &none, &nothing, arcs));
    assert_memory_equal(arcs, expected, sizeof arcs);
    notes_release(&notes);
}

/* A branch that was seen and a statement give a loop and its entry. */
static void a_loop_is_fitted(void **state)
{
    (void)state;
    struct notes notes;
    struct line_groups groups;
    struct sightings sightings = {0};
    uint64_t arcs[5] = {0}, expected[5] = {3, 40, 3, 40, 3};
    loop_read(&notes);
    line_groups_make(&groups, &notes.functions.at[0], NULL);
    assert_int_equal(groups.n, 4);
    uint32_t head = line_groups_find(&groups, "/elsewhere/loop.c", 7);
    uint32_t body = line_groups_find(&groups, "loop.c", 8);
    assert_int_equal(line_groups_find(&groups, "loop.c", 9), GROUP_NONE);
    struct sighting branch = {.group = head, .kind = SIGHTING_WAYS, .count = 43, .ways = {3, 40}};
    for (int i = 0; i < WAY_LINES; i++)
        branch.to[0][i] = branch.to[1][i] = GROUP_NONE;
    branch.to[1][0] = body;
    *vec_push(&sightings) = branch;
    *vec_push(&sightings) =
        (struct sighting){.group = body, .kind = SIGHTING_STATEMENT, .count = 40, .home = 1};
    struct fit_told told;
    assert_true(arcs_fit(&notes.functions.at[0], &groups, &sightings, VOTING_WEIGHED, arcs, &told));
    assert_memory_equal(arcs, expected, sizeof arcs);
    assert_int_equal(told.branched, 43);
    assert_int_equal(told.told, 43);
    /* Without its branch the same counts are no more than inferred. */
    sightings.at[0] = (struct sighting){.group = head, .kind = SIGHTING_STATEMENT, .count = 43};
    assert_true(arcs_fit(&notes.functions.at[0], &groups, &sightings, VOTING_WEIGHED, arcs, &told));
    assert_int_equal(told.branched, 43);
    assert_int_equal(told.told, 0);
    vec_release(&sightings);
    line_groups_release(&groups);
    notes_release(&notes);
}

/* A loop of which no branch is left, and whose body begins five times in one piece, has five turns
 * each time. */
static void an_unrolled_loop_has_its_turns(void **state)
{
    (void)state;
    struct notes notes;
    struct line_groups groups;
    struct sightings sightings = {0};
    uint64_t arcs[5] = {0}, expected[5] = {3, 15, 3, 15, 3};
    loop_read(&notes);
    line_groups_make(&groups, &notes.functions.at[0], NULL);
    uint32_t head = line_groups_find(&groups, "loop.c", 6);
    uint32_t body = line_groups_find(&groups, "loop.h", 2);
    *vec_push(&sightings) =
        (struct sighting){.group = body, .kind = SIGHTING_STATEMENT, .count = 3, .times = 5};
    *vec_push(&sightings) =
        (struct sighting){.group = head, .kind = SIGHTING_STATEMENT, .count = 3, .times = 1};
    *vec_push(&sightings) = (struct sighting){.group = head, .kind = SIGHTING_ENTRY, .count = 3};
    struct fit_told told;
    assert_true(arcs_fit(&notes.functions.at[0], &groups, &sightings, VOTING_WEIGHED, arcs, &told));
    assert_int_equal(told.told, told.branched);
    assert_memory_equal(arcs, expected, sizeof arcs);
    vec_release(&sightings);
    line_groups_release(&groups);
    notes_release(&notes);
}

static void votes_are_joined(void **state)
{
    (void)state;
    static const struct vote given[] = {
        {.at = 7, .more = 4, .less = 4, .count = 90},
        {.at = 3, .more = 16, .less = 32, .count = 10},
        {.at = 3, .more = 8, .less = 0, .count = 50},
        {.at = 3, .more = 4, .less = 4, .count = 40},
        {.at = 3, .more = 4, .less = 4, .count = 40},
    };
    static const uint64_t expected[][4] = {{50, 40, 90}, {50, 30, 90}};
    for (enum fit_voting voting = VOTING_MAXIMUM; voting <= VOTING_AVERAGE; voting++) {
        struct votes votes = {0};
        for (size_t i = 0; i < sizeof given / sizeof *given; i++)
            *vec_push(&votes) = given[i];
        votes_join(&votes, VOTING_WEIGHED);
        assert_int_equal(votes.n, 5);
        votes_join(&votes, voting);
        assert_int_equal(votes.n, 3);
        for (size_t i = 0; i < votes.n; i++) {
            assert_int_equal(votes.at[i].count, expected[voting - VOTING_MAXIMUM][i]);
            assert_int_equal(votes.at[i].at, i < 2 ? 3 : 7);
        }
        assert_int_equal(votes.at[0].less, 0);
        vec_release(&votes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(votes_are_weighed_and_flow),
        cmocka_unit_test(equal_votes_are_nearly_one),
        cmocka_unit_test(nothing_seen_is_nothing_run),
        cmocka_unit_test(a_loop_is_fitted),
        cmocka_unit_test(an_unrolled_loop_has_its_turns),
        cmocka_unit_test(votes_are_joined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
