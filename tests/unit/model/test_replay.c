/* Runs of this program's own code through a core, as a trace or windows would tell of them. */
#include "model/replay/replay.h"

#include "own_code.h"

#include "model/replay/watch.h"

/* So often round, then out. */
static void loop_run(struct fixture *fixture, uint32_t first, uint32_t times,
                     const struct replay_data *data)
{
    uint64_t loop = replay_at(3, fixture->loop);
    for (uint32_t i = 0; i < times; i++)
        replay_run(&fixture->replay, first, LOOP_INSTRUCTIONS,
                   i + 1 < times ? loop : loop + LOOP_BYTES, data);
}

static void runs_share_numbers(void **state)
{
    struct fixture fixture;
    (void)state;
    fixture_begin(&fixture);
    uint32_t a = code_run(&fixture.code, 3, fixture.loop, LOOP_BYTES, LOOP_INSTRUCTIONS);
    uint32_t b = code_run(&fixture.code, 3, (struct svma){fixture.loop.v + 1}, LOOP_BYTES - 1,
                          LOOP_INSTRUCTIONS - 1);
    assert_int_not_equal(a, REPLAY_NONE);
    assert_int_not_equal(b, REPLAY_NONE);
    assert_int_equal(fixture.code.insns.at[a + 1].id, fixture.code.insns.at[b].id);
    assert_int_equal(fixture.code.places.n, LOOP_INSTRUCTIONS);
    assert_int_equal(fixture.code.places.at[1].at.v, fixture.loop.v + 1);
    assert_int_equal(fixture.code.insns.at[a + LOOP_INSTRUCTIONS - 1].target,
                     replay_at(3, fixture.loop));
    fixture_end(&fixture);
}

static void what_is_not_there_is_refused(void **state)
{
    struct fixture fixture;
    (void)state;
    fixture_begin(&fixture);
    assert_int_equal(code_run(&fixture.code, 2, fixture.loop, LOOP_BYTES, LOOP_INSTRUCTIONS),
                     REPLAY_NONE);
    assert_int_equal(code_run(&fixture.code, 3, fixture.loop, LOOP_BYTES, 3), REPLAY_NONE);
    assert_int_equal(code_run(&fixture.code, 3, (struct svma){1}, LOOP_BYTES, 1 << 16),
                     REPLAY_NONE);
    fixture_end(&fixture);
}

/* What goes over the stack is found there, and what a pointer leads to is a hit that no store has
 * made. */
static void addresses_are_followed(void **state)
{
    struct fixture fixture;
    (void)state;
    fixture_begin(&fixture);
    uint32_t first = code_run(&fixture.code, 3, fixture.loop, LOOP_BYTES, LOOP_INSTRUCTIONS);
    loop_run(&fixture, first, 100, NULL);
    assert_int_equal(fixture.steps, 100 * LOOP_INSTRUCTIONS);
    assert_true(fixture.events[LOAD] & CORE_FORWARDED);
    assert_true(fixture.events[POP] & CORE_FORWARDED);
    assert_false(fixture.events[POINTER] & (CORE_FORWARDED | CORE_L1D_MISS));
    assert_int_equal(fixture.addressed, 0);
    fixture_end(&fixture);
}

static void addresses_are_believed(void **state)
{
    struct fixture fixture;
    struct replay_data data[LOOP_INSTRUCTIONS] = {{0}};
    (void)state;
    fixture_begin(&fixture);
    uint32_t first = code_run(&fixture.code, 3, fixture.loop, LOOP_BYTES, LOOP_INSTRUCTIONS);
    for (uint64_t i = 0; i < 50; i++) { /* a line of another page each time, in no order */
        data[POINTER].address = 0x7f0000000000 + (i * 7919 % 1009) * 0x11000;
        loop_run(&fixture, first, 1, data);
        assert_true(fixture.events[POINTER] & CORE_L1D_MISS);
    }
    assert_int_equal(fixture.addressed, 50);
    fixture_end(&fixture);
}

static void gaps_warm(void **state)
{
    struct fixture fixture;
    (void)state;
    fixture_begin(&fixture);
    uint32_t first = code_run(&fixture.code, 3, fixture.loop, LOOP_BYTES, LOOP_INSTRUCTIONS);
    replay_gap(&fixture.replay, 10);
    loop_run(&fixture, first, 4, NULL);
    replay_gap(&fixture.replay, 5);
    loop_run(&fixture, first, 4, NULL);
    assert_int_equal(fixture.warming, 15);
    assert_int_equal(fixture.gaps, 2);
    fixture_end(&fixture);
}

/* When the loop is left the way back to its start was the wrong one. */
static void wrong_ways_are_told(void **state)
{
    struct fixture fixture;
    (void)state;
    fixture_begin(&fixture);
    uint32_t first = code_run(&fixture.code, 3, fixture.loop, LOOP_BYTES, LOOP_INSTRUCTIONS);
    loop_run(&fixture, first, 200, NULL);
    assert_int_equal(fixture.aborted, 0);
    fixture.replay.wrong_ways = true;
    loop_run(&fixture, first, 200, NULL);
    assert_true(fixture.aborted > 0);
    assert_int_equal(fixture.steps, 400 * LOOP_INSTRUCTIONS);
    fixture_end(&fixture);
}

struct watched {
    struct replay_watch watch;
    uint32_t known, unknown, wrong;
};

static void watched_see(void *context, const struct pmu_step *step)
{
    struct watched *watched = context;
    if (!(step->insn->flags & (INSN_LOAD | INSN_STORE)))
        return;
    watched->known += step->fact->address.v != 0;
    watched->unknown += step->fact->address.v == 0;
    watched->wrong += step->aborted && step->fact->address.v != 0;
}

/* Whoever watches a core is told addresses that were recorded, never those that the replay made up,
 * on the wrong way least of all. */
static void guesses_are_not_told(void **state)
{
    struct fixture fixture;
    struct watched watched = {.watch = {.see = watched_see, .context = &watched}};
    struct replay_data data[LOOP_INSTRUCTIONS] = {[POINTER] = {.address = 0x7f0000001000}};
    (void)state;
    fixture_begin(&fixture);
    fixture.replay.wrong_ways = true;
    replay_watch(&watched.watch, &fixture.replay);
    uint32_t first = code_run(&fixture.code, 3, fixture.loop, LOOP_BYTES, LOOP_INSTRUCTIONS);
    loop_run(&fixture, first, 100, data);
    assert_true(fixture.aborted > 0);
    assert_int_equal(watched.known, 100);
    assert_true(watched.unknown > 400);
    assert_int_equal(watched.wrong, 0);
    fixture_end(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_share_numbers),
        cmocka_unit_test(what_is_not_there_is_refused),
        cmocka_unit_test(addresses_are_followed),
        cmocka_unit_test(addresses_are_believed),
        cmocka_unit_test(gaps_warm),
        cmocka_unit_test(wrong_ways_are_told),
        cmocka_unit_test(guesses_are_not_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
