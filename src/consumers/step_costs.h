/* What instructions of a trace cost in a model of a core, one by one in execution order: of one
 * thread, and of the passage that is being read. A consumer that follows the same passage
 * (path_walk.h) takes them run by run. */
#pragma once

#include "base/vec.h"
#include "model/replay/replay.h"

enum step_cost { COST_L1D, COST_MISPREDICTS, COST_STALLS, STEP_COSTS };

struct step_cost_sum {
    uint64_t of[STEP_COSTS];
};

struct step_costs {
    struct replay_listener listener;
    uint64_t retired; /* cycle of the last instruction */
    struct {
        VEC(struct step_cost_one {
            uint32_t events; /* enum core_event */
            uint32_t stall;  /* cycles before it in which nothing retired */
        });
    } steps;
    size_t taken;
};

void step_costs_listen(struct step_costs *costs, struct replay *replay);
void step_costs_release(struct step_costs *costs);
/* Begins another passage. */
void step_costs_clear(struct step_costs *costs);
/* So many instructions were not modelled. */
void step_costs_skip(struct step_costs *costs, uint32_t n);
/* The sum of the next n. */
struct step_cost_sum step_costs_take(struct step_costs *costs, uint32_t n);
