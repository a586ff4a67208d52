/* Carries the rest of a profile: targets of indirect calls and of jumps out of functions, runs of
 * loops, stacks, latencies, conflicts. Rows of other modules are copied.
 *
 * Values, paths, and what a model of a core replays or said belong to the old code: of the module
 * they are left out. */
#pragma once

#include "carry/places.h"

struct carry_tables {
    struct profile *into;
    const struct profile *from;
    uint32_t module; /* of both profiles */
    struct carry_places places;
    double time,
        time_kept; /* of stacks that end in the module: all, and where the place was found */
    bool lacks_values, lacks_paths, lacks_model; /* were left out */
};

/* An address of any module, in the new build; false: it has none. */
bool carry_address(struct carry_tables *tables, uint32_t module, uint64_t *at);

/* Edges inside of functions, direct calls and returns of the module are there already: they follow
 * from counts. */
void carry_tables_fill(struct carry_tables *tables);
