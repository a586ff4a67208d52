/* The pieces of a trail. */
#include "agent/sampling/trail.h"

#include "agent/base/course.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

enum { WANTED = 160000 }; /* ticks */

/* Native ticks that the next piece takes at the pace so far, a quarter of a tick an instruction. */
static uint64_t next_ticks(uint64_t native, bool is_long)
{
    struct course course = {
        .wanted = WANTED, .native = native, .asked = 1 << 20, .is_long = is_long};
    course.all.instructions = 4 * native;
    return trail_piece_next(&course, course.asked) / 4;
}

/* What comes next may be ten times slower: then a piece must not be all that is left. */
static void pieces_are_a_small_part_of_the_trail(void **state)
{
    (void)state;
    assert_in_range(next_ticks(WANTED / 16, false), WANTED / 10, WANTED / 8);
    assert_in_range(next_ticks(WANTED / 2, false), WANTED / 10, WANTED / 8);
}

/* What a long trail says does not count: the fewer pieces, the better. */
static void long_trails_have_large_pieces(void **state)
{
    (void)state;
    assert_in_range(next_ticks(WANTED / 2, true), WANTED / 3, WANTED / 2);
}

static void the_last_piece_is_what_is_left(void **state)
{
    (void)state;
    assert_in_range(next_ticks(WANTED - WANTED / 10, false), WANTED / 20, WANTED / 10);
}

/* A piece that executed twice what it was asked for is followed by one that is asked for half. */
static void pieces_suit_what_they_execute(void **state)
{
    (void)state;
    struct course course = {.wanted = WANTED, .native = WANTED / 2, .asked = 50000};
    course.all.instructions = 2 * WANTED;
    assert_in_range(trail_piece_next(&course, 100000), WANTED / 8 * 2 - 8, WANTED / 8 * 2 + 8);
    assert_true(trail_piece_next(&course, 50000) > trail_piece_next(&course, 100000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_are_a_small_part_of_the_trail),
        cmocka_unit_test(long_trails_have_large_pieces),
        cmocka_unit_test(the_last_piece_is_what_is_left),
        cmocka_unit_test(pieces_suit_what_they_execute),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
