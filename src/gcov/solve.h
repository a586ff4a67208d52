/* Counts of all arcs of a graph, from votes for blocks and arcs.
 *
 * A vote is a count, and the cost of each execution more or less than that. Costs add up, and the
 * solution is the flow from entry to exit with the least cost. Blocks and arcs without a vote cost
 * a little, so that what no vote supports stays zero. */
#pragma once

#include "gcov/notes.h"

struct vote {
    uint32_t at; /* block, or arc */
    uint32_t more, less;
    uint64_t count;
};
struct votes {
    VEC(struct vote);
};

/* Fills ret_arcs, one for each arc, and sorts the votes. False: counts are too large. */
bool arcs_solve(const struct notes_function *function, struct votes *blocks, struct votes *arcs,
                uint64_t *ret_arcs);
