/* How often each instruction ran, by the straight runs that were counted: of a sampled profile that
 * is many times as much as its windows with values say. */
#pragma once

#include "analysis/counts/estimate.h"
#include "analysis/counts/scene.h"
#include "base/vec.h"

/* From this address on, up to that of the next step. */
struct executions_step {
    uint32_t module; /* of the scene */
    uint64_t at;
    double count, count_sd, alone_sd; /* as in struct quantity */
};

struct executions {
    VEC(struct executions_step); /* by module and address */
};

void executions_make(struct executions *executions, const struct scene *scene);
void executions_release(struct executions *executions);
/* Nothing, if it was not seen to run. */
struct quantity executions_at(const struct executions *executions, uint32_t module, uint64_t at);
