/* From counters to counts of all arcs of a graph, and back.
 *
 * Arcs off the spanning tree are counted; the others follow from flow conservation. What enters at
 * the entry leaves at the exit. */
#pragma once

#include "gcov/notes.h"

/* One for each arc. False: not a tree, or the counts contradict each other; ret_arcs is then
 * undefined. */
bool spread_counters(const struct notes_function *function, const uint64_t *counters,
                     uint64_t *ret_arcs);
/* counters: n_counters of them. */
void gather_counters(const struct notes_function *function, const uint64_t *arcs,
                     uint64_t *ret_counters);
