/* What instructions of a trace cost in a model of a core, one by one in execution order: of one
 * thread, and of the passage that is being read. A consumer that follows the same passage
 * (path_walk.h) takes them run by run. */
#pragma once

#include "base/vec.h"
#include "model/replay/replay.h"
#include "profile/model_costs.h"

struct step_cost_sum {
    uint64_t of[MODEL_COSTS];
};

struct step_costs {
    struct replay_listener listener;
    uint64_t retired; /* cycle of the last instruction */
    bool flushed;     /* the last was a wrong guess */
    struct {
        VEC(struct step_cost_one {
            uint32_t events; /* enum core_event */
            uint32_t cycles; /* since the last that retired before it */
            uint32_t empty;  /* of those, with nothing in flight */
            bool stores;     /* and loads nothing */
            bool fp;
            bool flushed; /* empty because a guess had been wrong; */
            bool held;    /* because the store queue was full */
        });
    } steps;
    size_t taken;
};

void step_costs_listen(struct step_costs *costs, struct replay *replay);
void step_costs_release(struct step_costs *costs);
/* Begins another passage. */
void step_costs_clear(struct step_costs *costs);
/* Another consumer reads the passage, from its beginning. */
void step_costs_again(struct step_costs *costs);
/* So many instructions were not modelled. */
void step_costs_skip(struct step_costs *costs, uint32_t n);
/* The sum of the next n. */
struct step_cost_sum step_costs_take(struct step_costs *costs, uint32_t n);
void step_cost_add(struct step_cost_sum *to, const struct step_cost_sum *from);
