#include "consumers/step_costs.h"

static uint32_t clipped(uint64_t cycles)
{
    return cycles < UINT32_MAX ? (uint32_t)cycles : UINT32_MAX;
}

/* Of the cycles since the last that retired: those before this one was in flight, as account.h has
 * them. */
static void step(struct replay_listener *listener, const struct replay_step *step)
{
    struct step_costs *costs = (struct step_costs *)listener;
    const struct core_times *times = step->times;
    if (step->aborted)
        return;
    uint64_t begin = costs->retired + 1, end = times->retire;
    uint64_t since = end > costs->retired ? end - costs->retired : 0;
    uint64_t there = times->dispatch < end ? times->dispatch : end;
    uint32_t flags = step->insn->core.flags;
    *vec_push(&costs->steps) =
        (struct step_cost_one){.events = times->events,
                               .cycles = clipped(since),
                               .empty = clipped(since && there > begin ? there - begin : 0),
                               .stores = flags & INSN_STORE && !(flags & INSN_LOAD),
                               .fp = flags & INSN_FP,
                               .flushed = costs->flushed,
                               .held = times->wait == WAIT_STORES};
    costs->retired += since;
    costs->flushed = times->events & CORE_MISPREDICT;
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

void step_costs_again(struct step_costs *costs)
{
    costs->taken = 0;
}

void step_costs_skip(struct step_costs *costs, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        *vec_push(&costs->steps) = (struct step_cost_one){0};
}

static void one_add(struct step_cost_sum *sum, const struct step_cost_one *one)
{
    uint32_t stall = one->cycles ? one->cycles - 1 : 0;
    bool missed = one->events & CORE_L1D_MISS;
    sum->of[COST_L1D] += missed;
    sum->of[COST_MISPREDICTS] += (one->events & CORE_MISPREDICT) != 0;
    sum->of[COST_STALLS] += stall;
    sum->of[COST_CYCLES] += one->cycles;
    sum->of[COST_L1D_WRITES] += missed && one->stores;
    sum->of[COST_L1I] += (one->events & CORE_L1I_MISS) != 0;
    if (one->flushed)
        sum->of[COST_FLUSH_STALLS] += one->empty;
    else if (one->held)
        sum->of[COST_STORE_STALLS] += one->empty;
    if (one->fp)
        sum->of[COST_FP_STALLS] += stall - one->empty;
}

struct step_cost_sum step_costs_take(struct step_costs *costs, uint32_t n)
{
    struct step_cost_sum sum = {0};
    for (; n && costs->taken < costs->steps.n; n--)
        one_add(&sum, &costs->steps.at[costs->taken++]);
    return sum;
}

void step_cost_add(struct step_cost_sum *to, const struct step_cost_sum *from)
{
    for (uint32_t i = 0; i < MODEL_COSTS; i++)
        to->of[i] += from->of[i];
}
