/* What steps cost, taken run by run. */
#include "consumers/step_costs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static void step(struct step_costs *costs, uint64_t retire, uint32_t events, bool aborted)
{
    static const struct code_insn plain;
    struct core_times times = {.retire = retire, .events = events};
    costs->listener.step(
        &costs->listener,
        &(struct replay_step){.insn = &plain, .times = &times, .aborted = aborted});
}

static void expect(struct step_cost_sum sum, uint64_t misses, uint64_t guesses, uint64_t stalls)
{
    assert_int_equal(sum.of[COST_L1D], misses);
    assert_int_equal(sum.of[COST_MISPREDICTS], guesses);
    assert_int_equal(sum.of[COST_STALLS], stalls);
}

static void runs_take_what_is_theirs(void **state)
{
    (void)state;
    struct replay replay = {0};
    struct step_costs costs;
    step_costs_listen(&costs, &replay);
    assert_int_equal(replay.n_listeners, 1);
    step(&costs, 1, 0, false);
    step(&costs, 1, CORE_L1D_MISS, false); /* together with the one before */
    step(&costs, 0, CORE_L1D_MISS, true);  /* never retired */
    step(&costs, 9, CORE_L1D_MISS | CORE_L2_MISS, false);
    step_costs_skip(&costs, 2);
    step(&costs, 10, CORE_MISPREDICT, false);
    expect(step_costs_take(&costs, 2), 1, 0, 0);
    expect(step_costs_take(&costs, 1), 1, 0, 7);
    expect(step_costs_take(&costs, 2), 0, 0, 0);
    expect(step_costs_take(&costs, 5), 0, 1, 0); /* there is one */
    step_costs_clear(&costs);
    step(&costs, 15, 0, false);
    expect(step_costs_take(&costs, 1), 0, 0, 4);
    step_costs_release(&costs);
}

/* An instruction with these flags. */
static void step_of(struct step_costs *costs, uint32_t flags, struct core_times times)
{
    struct code_insn insn = {.core.flags = flags};
    costs->listener.step(&costs->listener, &(struct replay_step){.insn = &insn, .times = &times});
}

static void cycles_have_causes(void **state)
{
    (void)state;
    struct replay replay = {0};
    struct step_costs costs;
    step_costs_listen(&costs, &replay);
    step_of(&costs, 0, (struct core_times){.retire = 10, .events = CORE_MISPREDICT});
    /* cycles 11 to 17 empty by the wrong guess, 18 and 19 waiting, 20 retires */
    step_of(&costs, 0, (struct core_times){.dispatch = 18, .retire = 20, .wait = WAIT_STORES});
    /* 21 to 24 empty: no room for the store */
    step_of(&costs, INSN_STORE,
            (struct core_times){
                .dispatch = 25, .retire = 26, .wait = WAIT_STORES, .events = CORE_L1D_MISS});
    /* in flight all the time */
    step_of(&costs, INSN_FP, (struct core_times){.dispatch = 5, .retire = 30});
    step_of(
        &costs, INSN_FP | INSN_LOAD | INSN_STORE,
        (struct core_times){.dispatch = 5, .retire = 30, .events = CORE_L1D_MISS | CORE_L1I_MISS});
    step_costs_take(&costs, 1);
    static const uint64_t expected[][MODEL_COSTS] = {
        {[COST_CYCLES] = 10, [COST_STALLS] = 9, [COST_FLUSH_STALLS] = 7},
        {[COST_CYCLES] = 6,
         [COST_STALLS] = 5,
         [COST_STORE_STALLS] = 4,
         [COST_L1D] = 1,
         [COST_L1D_WRITES] = 1},
        {[COST_CYCLES] = 4, [COST_STALLS] = 3, [COST_FP_STALLS] = 3},
        {[COST_L1D] = 1, [COST_L1I] = 1},
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        struct step_cost_sum sum = step_costs_take(&costs, 1);
        assert_memory_equal(sum.of, expected[i], sizeof expected[i]);
    }
    step_costs_again(&costs);
    assert_int_equal(step_costs_take(&costs, 5).of[COST_CYCLES], 30);
    step_costs_release(&costs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(runs_take_what_is_theirs),
                                       cmocka_unit_test(cycles_have_causes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
