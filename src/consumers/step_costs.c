#include "consumers/step_costs.h"

static void step(struct replay_listener *listener, const struct replay_step *step)
{
    struct step_costs *costs = (struct step_costs *)listener;
    if (step->aborted)
        return;
    uint64_t retire = step->times->retire;
    uint64_t since = retire > costs->retired ? retire - costs->retired : 0;
    uint64_t stall = since ? since - 1 : 0;
    costs->retired += since;
    *vec_push(&costs->steps) = (struct step_cost_one){
        step->times->events, stall < UINT32_MAX ? (uint32_t)stall : UINT32_MAX};
}

void step_costs_listen(struct step_costs *costs, struct replay *replay)
{
    *costs = (struct step_costs){.listener = {.step = step}};
    replay_listen(replay, &costs->listener);
}

void step_costs_release(struct step_costs *costs)
{
    vec_release(&costs->steps);
}

void step_costs_clear(struct step_costs *costs)
{
    costs->steps.n = costs->taken = 0;
}

void step_costs_skip(struct step_costs *costs, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        *vec_push(&costs->steps) = (struct step_cost_one){0};
}

struct step_cost_sum step_costs_take(struct step_costs *costs, uint32_t n)
{
    struct step_cost_sum sum = {0};
    for (; n && costs->taken < costs->steps.n; n--) {
        const struct step_cost_one *one = &costs->steps.at[costs->taken++];
        sum.of[COST_L1D] += (one->events & CORE_L1D_MISS) != 0;
        sum.of[COST_MISPREDICTS] += (one->events & CORE_MISPREDICT) != 0;
        sum.of[COST_STALLS] += one->stall;
    }
    return sum;
}
