#include "program/cfg/state_alike.h"

#include "random_graphs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

/* Two blocks, the names of their joins, and names that are neither's. */
enum { OWN_A = 1000, OWN_B = 2000, OTHERS = 1, N_OTHERS = 6 };

static uint32_t below(uint64_t *seed, uint32_t limit)
{
    return graphs_random(seed) % limit;
}

static value_name some_name(uint64_t *seed, bool with_own)
{
    if (with_own && below(seed, 2))
        return OWN_A + below(seed, STATE_PLACES);
    return OTHERS + below(seed, N_OTHERS);
}

static struct value some_value(uint64_t *seed, bool with_own)
{
    static const uint8_t widths[] = {64, 64, 32, 8};
    switch (below(seed, 4)) {
    case 0: return (struct value){0};
    case 1: return value_const(below(seed, 4));
    default: return value_named(some_name(seed, with_own), widths[below(seed, sizeof widths)]);
    }
}

static void state_make(uint64_t *seed, struct state *state, bool with_own)
{
    *state = (struct state){0};
    for (unsigned r = 0; r < 16; r++)
        state->registers[r] = below(seed, 3) ? value_named(with_own ? OWN_A + r : OTHERS, 64)
                                             : some_value(seed, with_own);
    for (uint32_t i = below(seed, STATE_SLOTS); i > 0; i--)
        state_slot_set(state, OTHERS, 8 * i, 64, some_value(seed, with_own));
    for (uint32_t i = below(seed, 20); i > 0; i--) {
        struct value term = some_value(seed, with_own);
        uint64_t high = below(seed, 200);
        state_learn(state, &term, (struct value_range){below(seed, 3), high, high});
    }
    state->left = some_value(seed, with_own);
}

static void joins_of_alike_states_are_alike(void **unused)
{
    (void)unused;
    uint64_t seed = 7;
    unsigned changed = 0, rounds = 3000;
    for (unsigned i = 0; i < rounds; i++) {
        struct state a, b, other;
        bool patient = below(&seed, 2);
        state_make(&seed, &a, true);
        state_make(&seed, &other, false);
        state_copy_as(&b, OWN_B, &a, OWN_A);
        assert_true(state_alike(&a, OWN_A, &b, OWN_B));
        bool changes = state_join(&a, &other, OWN_A, patient);
        assert_int_equal(changes, state_join(&b, &other, OWN_B, patient));
        assert_true(state_alike(&a, OWN_A, &b, OWN_B));
        changed += changes;
    }
    /* Else there was nothing to be seen. */
    assert_in_range(changed, rounds / 2, rounds);
}

static void names_of_another_block_are_not_own_ones(void **unused)
{
    (void)unused;
    struct state a = {0}, b = {0};
    a.registers[3] = value_named(OWN_A + 3, 64);
    b.registers[3] = value_named(OWN_A + 3, 64);
    assert_false(state_alike(&a, OWN_A, &b, OWN_B));
    b.registers[3].name = OWN_B + 4;
    assert_false(state_alike(&a, OWN_A, &b, OWN_B));
    b.registers[3].name = OWN_B + 3;
    assert_true(state_alike(&a, OWN_A, &b, OWN_B));
    b.registers[3].weak = true;
    assert_false(state_alike(&a, OWN_A, &b, OWN_B));
}

/* What a copy knows is found again under its new name. */
static void facts_go_with_their_names(void **unused)
{
    (void)unused;
    struct state a = {0}, b;
    a.registers[3] = value_named(OWN_A + 3, 64);
    state_learn(&a, &a.registers[3], (struct value_range){0, 9, 9});
    state_copy_as(&b, OWN_B, &a, OWN_A);
    assert_int_equal(state_range(&b, &b.registers[3]).high, 9);
    state_forget(&b, OWN_B + 3);
    assert_int_equal(b.n_facts, 0);
}

static bool has_name(const struct state *state, value_name name)
{
    value_name names[STATE_NAMES_MAX];
    uint32_t n = state_names(state, names);
    for (uint32_t i = 0; i < n; i++)
        if (names[i] == name)
            return true;
    return false;
}

static void every_name_is_told(void **unused)
{
    (void)unused;
    struct state state = {0};
    struct value term = value_named(14, 64);
    state.registers[15] = value_named(11, 64);
    state_slot_set(&state, 12, 8, 64, value_named(13, 64));
    state_learn(&state, &term, (struct value_range){0, 9, 9});
    state.left = value_named(15, 64);
    for (value_name name = 11; name <= 15; name++)
        assert_true(has_name(&state, name));
    assert_false(has_name(&state, 16));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joins_of_alike_states_are_alike),
        cmocka_unit_test(names_of_another_block_are_not_own_ones),
        cmocka_unit_test(facts_go_with_their_names),
        cmocka_unit_test(every_name_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
