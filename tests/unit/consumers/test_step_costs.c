/* What steps cost, taken run by run. */
#include "consumers/step_costs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static void step(struct step_costs *costs, uint64_t retire, uint32_t events, bool aborted)
{
    struct core_times times = {.retire = retire, .events = events};
    costs->listener.step(&costs->listener,
                         &(struct replay_step){.times = &times, .aborted = aborted});
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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(runs_take_what_is_theirs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
