/* The paths that a profile holds: by function, single paths or series of paths that one activation
 * took one after the other.
 *
 * The order of paths is known where every step was seen: in windows and in traces. Counts of
 * single paths do not show it. */
#pragma once

#include "base/memory.h"
#include "base/vec.h"
#include "analysis/counts/estimate.h"
#include "analysis/paths/path_ticks.h"
#include "profile/model_costs.h"

struct path_row {
    uint32_t module; /* of the profile */
    uint64_t function;
    const uint64_t *paths; /* their numbers, as many as were asked for */
    struct quantity quantity;
    struct estimate ticks; /* not a number: not known */
    uint64_t measured;     /* the ticks are known of so many passages; 0: of none */
    uint64_t modelled[MODEL_COSTS];
    uint32_t context; /* STACK_NONE: any */
};

struct path_rows {
    struct path_clock clock;
    bool has_modelled;
    uint64_t elsewhere[MODEL_COSTS]; /* of what is not along whole paths */
    VEC(struct path_row);            /* by module, function, numbers and context */
};

/* iterations: paths in a row, from 1 on. What rows point to is the arena's. */
void path_rows_find(struct path_rows *rows, struct arena *arena, const struct profile *profile,
                    uint32_t iterations);
/* Each path in each calling context. These are nodes of `ret_contexts`, an empty tree: below its
 * one root the places of the calls, outermost first, as in a profile's stacks but of all threads
 * together, and then the start of the function. */
void path_rows_find_in_contexts(struct path_rows *rows, struct arena *arena,
                                const struct profile *profile, struct stacks *ret_contexts);
