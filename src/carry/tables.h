/* Carries the rest of a profile: targets of indirect calls and of jumps out of functions, runs of
 * loops, stacks. Rows of other modules are copied. */
#pragma once

#include "carry/places.h"

struct carry_tables {
    struct profile *into;
    const struct profile *from;
    uint32_t module; /* of both profiles */
    struct carry_places places;
    double time,
        time_kept; /* of stacks that end in the module: all, and where the place was found */
};

/* Edges inside of functions, direct calls and returns of the module are there already: they follow
 * from counts. */
void carry_tables_fill(struct carry_tables *tables);
