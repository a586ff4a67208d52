/* From counters to counts of all arcs of a graph, and back.
 *
 * Arcs that are not on the spanning tree are counted; the others follow from what flows in and out
 * of blocks. Only what comes in at the entry leaves at the exit. */
#pragma once

#include "gcov/notes.h"

/* arcs: for each of the function's. False: the tree is none, or counts contradict each other (more
 * went in than came out somewhere); arcs are then undefined. */
bool spread_counters(const struct notes_function *function, const uint64_t *counters,
                     uint64_t *ret_arcs);
/* counters: n_counters of them. */
void gather_counters(const struct notes_function *function, const uint64_t *arcs,
                     uint64_t *ret_counters);
