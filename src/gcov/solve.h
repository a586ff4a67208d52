/* Counts of all arcs of a graph, from what is more or less known about its blocks and arcs.
 *
 * A vote says that something ran so often, and what each execution more or less than that costs.
 * Costs of several votes add up, so that the graph decides between them: what comes out flows,
 * comes in at the entry and leaves at the exit, and costs least. Blocks and arcs without a vote are
 * free, but for a little, so that what nothing speaks for stays zero. */
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

/* Fills ret_arcs, for each of the function's. False: counts are too large to be reckoned with.
 * Sorts the votes. */
bool arcs_solve(const struct notes_function *function, struct votes *blocks, struct votes *arcs,
                uint64_t *ret_arcs);
