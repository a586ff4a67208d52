#include "program/dwarf/paint.h"

#include <stdbool.h>
#include <string.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

enum { PLACES = 200 };

static uint32_t next_random(uint32_t *state)
{
    return *state = *state * 1664525u + 1013904223u, *state >> 8;
}

/* Place by place: the last claim that has it. */
static void painting_is_what_painting_place_by_place_gives(void **state)
{
    (void)state;
    uint32_t random = 1;
    for (int round = 0; round < 2000; round++) {
        struct stretches claims = {0}, painted = {0};
        uint32_t expected[PLACES];
        memset(expected, 0xFF, sizeof expected);
        uint32_t n = next_random(&random) % (round % 2 ? 80 : 12);
        for (uint32_t value = 0; value < n; value++) {
            uint64_t start = next_random(&random) % PLACES;
            uint64_t end = start + next_random(&random) % (PLACES - start + 1);
            *vec_push(&claims) = (struct stretch){start, end, value};
            for (uint64_t i = start; i < end; i++)
                expected[i] = value;
        }
        stretches_paint(&claims, &painted);
        assert_true(painted.n <= 2 * (size_t)n);
        for (size_t i = 0; i < painted.n; i++) {
            assert_true(painted.at[i].start < painted.at[i].end);
            if (i)
                assert_true(painted.at[i - 1].end < painted.at[i].start ||
                            (painted.at[i - 1].end == painted.at[i].start &&
                             painted.at[i - 1].value != painted.at[i].value));
        }
        for (uint64_t i = 0; i < PLACES; i++) {
            const struct stretch *found = stretches_find(painted.at, painted.n, i);
            assert_int_equal(found ? found->value : UINT32_MAX, expected[i]);
        }
        vec_release(&claims);
        vec_release(&painted);
    }
}

static void the_ends_of_memory_are_places_too(void **state)
{
    (void)state;
    struct stretches claims = {0}, painted = {0};
    *vec_push(&claims) = (struct stretch){0, UINT64_MAX, 0};
    *vec_push(&claims) = (struct stretch){UINT64_MAX - 1, UINT64_MAX, 1};
    stretches_paint(&claims, &painted);
    assert_int_equal(painted.n, 2);
    assert_int_equal(stretches_find(painted.at, painted.n, UINT64_MAX - 1)->value, 1);
    assert_null(stretches_find(painted.at, painted.n, UINT64_MAX));
    vec_release(&claims);
    vec_release(&painted);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(painting_is_what_painting_place_by_place_gives),
        cmocka_unit_test(the_ends_of_memory_are_places_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
