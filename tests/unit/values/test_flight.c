#include "values/flight.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { A = 1, B = 2, C = 4 }; /* registers */

static struct {
    uint32_t n[CONFLICT_TYPES];
    struct flight_conflict last;
} seen;

static void note(void *context, const struct flight_conflict *conflict)
{
    (void)context;
    seen.n[conflict->type]++;
    seen.last = *conflict;
}

static struct flight flight;

static void begin(void)
{
    memset(&seen, 0, sizeof seen);
    flight_begin(&flight, note, NULL);
}

static void store(uint64_t registers, uint64_t address, uint8_t bytes)
{
    struct flight_step step = {
        .reads = registers, .addresses = registers, .n = 1, .accesses = {{bytes, FLIGHT_WRITE}}};
    assert_true(flight_step(&flight, &step, &(struct flight_at){address, bytes}));
}

static void load(uint64_t registers, uint64_t into, uint64_t address, uint8_t bytes)
{
    struct flight_step step = {.reads = registers,
                               .addresses = registers,
                               .writes = into,
                               .n = 1,
                               .accesses = {{bytes, FLIGHT_READ}}};
    assert_true(flight_step(&flight, &step, &(struct flight_at){address, bytes}));
}

static void compute(uint64_t from, uint64_t into, uint8_t cycles)
{
    struct flight_step step = {.reads = from, .writes = into, .cycles = cycles};
    assert_true(flight_step(&flight, &step, NULL));
}

static uint32_t conflicts(void)
{
    uint32_t n = 0;
    for (int i = 0; i < CONFLICT_TYPES; i++)
        n += seen.n[i];
    return n;
}

static void what_the_store_has_whole_is_forwarded(void **state)
{
    (void)state;
    begin();
    store(A, 0x1000, 8);
    load(A, C, 0x1000, 8);
    load(A, C, 0x1004, 4);
    load(A, C, 0x1008, 8);
    assert_int_equal(conflicts(), 0);
}

static void of_two_halves_none_is_the_whole(void **state)
{
    (void)state;
    begin();
    store(A, 0x1000, 4);
    store(A, 0x1004, 4);
    load(A, C, 0x1000, 8);
    assert_int_equal(conflicts(), 1);
    assert_int_equal(seen.last.type, CONFLICT_FORWARD);
    assert_int_equal(seen.last.from, 1); /* the youngest */
    assert_int_equal(seen.last.to, 2);
}

static void a_younger_store_hides_an_older(void **state)
{
    (void)state;
    begin();
    store(A, 0x1000, 4);
    store(A, 0x1000, 8);
    load(A, C, 0x1000, 8);
    assert_int_equal(conflicts(), 0);
}

static void a_store_whose_address_comes_late_is_overtaken(void **state)
{
    (void)state;
    begin();
    compute(A, B, 12);
    store(B, 0x1000, 8);
    load(A, C, 0x1000, 8);
    assert_int_equal(seen.n[CONFLICT_ORDER], 1);
    begin(); /* the load waits for the same */
    compute(A, B, 12);
    store(B, 0x1000, 8);
    load(B, C, 0x1000, 8);
    assert_int_equal(conflicts(), 0);
}

/* What a load got from a store and makes an address of comes after that store. */
static void data_dependent_pairs_are_none(void **state)
{
    (void)state;
    begin();
    store(A, 0x1000, 8);
    load(A, B, 0x1000, 8);
    compute(B, C, 1);
    load(C, B, 0x2000, 8); /* alike in its low bits */
    assert_int_equal(conflicts(), 0);
    load(A, B, 0x2000, 8);
    assert_int_equal(seen.n[CONFLICT_ALIAS], 1);
}

static void aliases_are_alike_in_twelve_bits(void **state)
{
    (void)state;
    begin();
    store(A, 0x1000, 8);
    load(A, C, 0x2008, 8);
    load(A, C, 0x1ff8, 8);
    assert_int_equal(conflicts(), 0);
    load(A, C, 0x5004, 8);
    assert_int_equal(seen.n[CONFLICT_ALIAS], 1);
    load(A, C, 0x4ffc, 8); /* which is split as well */
    assert_int_equal(seen.n[CONFLICT_ALIAS], 2);
    assert_int_equal(seen.n[CONFLICT_PAGE], 1);
}

static void splits_are_of_lines_or_pages(void **state)
{
    (void)state;
    begin();
    load(A, C, 0x1038, 8);
    assert_int_equal(conflicts(), 0);
    load(A, C, 0x1039, 8);
    store(A, 0x1ff9, 8);
    assert_int_equal(seen.n[CONFLICT_LINE], 1);
    assert_int_equal(seen.n[CONFLICT_PAGE], 1);
}

static void what_is_far_behind_or_fenced_is_done(void **state)
{
    (void)state;
    begin();
    store(A, 0x1000, 4);
    for (int i = 0; i < FLIGHT_FAR; i++)
        compute(A, A, 1);
    load(B, C, 0x1000, 8);
    assert_int_equal(conflicts(), 0);
    begin();
    store(A, 0x1000, 4);
    struct flight_step fence = {.drains = true};
    assert_true(flight_step(&flight, &fence, NULL));
    load(A, C, 0x1000, 8);
    assert_int_equal(conflicts(), 0);
}

static void a_push_does_not_wait_for_what_it_pushes(void **state)
{
    (void)state;
    begin();
    compute(A, B, 18);
    struct flight_step push = {.reads = B | C,
                               .addresses = C,
                               .writes = C,
                               .moves = C,
                               .n = 1,
                               .accesses = {{8, FLIGHT_WRITE}}};
    assert_true(flight_step(&flight, &push, &(struct flight_at){0x1008, 8}));
    store(C, 0x1000, 8);
    load(A, B, 0x1000, 8);
    assert_int_equal(conflicts(), 0);
}

/* call *(%rb), with %rb late: where it returns to lies on the stack, and the return is not ahead of
 * it. */
static void a_call_does_not_store_where_it_goes(void **state)
{
    struct flight_step call = {.reads = A | B,
                               .addresses = A | B,
                               .writes = A,
                               .moves = A,
                               .n = 2,
                               .accesses = {{8, FLIGHT_READ}, {8, FLIGHT_WRITE}}};
    struct flight_at at[] = {{0x5000, 8}, {0x7ff8, 8}};
    (void)state;
    begin();
    compute(B, B, 40);
    assert_true(flight_step(&flight, &call, at));
    load(A, C, 0x7ff8, 8);
    assert_int_equal(conflicts(), 0);
}

static void a_stretch_has_an_end(void **state)
{
    (void)state;
    begin();
    struct flight_step nothing = {0}, writes = {.n = 1, .accesses = {{8, FLIGHT_WRITE}}};
    for (int i = 0; i < FLIGHT_STEPS; i++)
        assert_true(flight_step(&flight, &nothing, NULL));
    assert_false(flight_step(&flight, &nothing, NULL));
    begin();
    uint64_t n = 0;
    while (flight_step(&flight, &writes, &(struct flight_at){0x1000 + 8 * n, 8}))
        n++;
    assert_in_range(n, FLIGHT_STORES - FLIGHT_ACCESSES, FLIGHT_STORES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_the_store_has_whole_is_forwarded),
        cmocka_unit_test(of_two_halves_none_is_the_whole),
        cmocka_unit_test(a_younger_store_hides_an_older),
        cmocka_unit_test(a_store_whose_address_comes_late_is_overtaken),
        cmocka_unit_test(data_dependent_pairs_are_none),
        cmocka_unit_test(aliases_are_alike_in_twelve_bits),
        cmocka_unit_test(splits_are_of_lines_or_pages),
        cmocka_unit_test(what_is_far_behind_or_fenced_is_done),
        cmocka_unit_test(a_push_does_not_wait_for_what_it_pushes),
        cmocka_unit_test(a_call_does_not_store_where_it_goes),
        cmocka_unit_test(a_stretch_has_an_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
