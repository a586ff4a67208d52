/* Expected execution counts without a profile: loops run eight times, back edges are taken, other
 * branches split evenly, and what ends in an abort hardly runs. Integers, so that they are the same
 * on every machine. */
#pragma once

#include <stdint.h>

struct path_numbering;
struct path_graph;

/* For all nodes, by the numbering's order and back edges. */
void expect_nodes(const struct path_numbering *numbering, const struct path_graph *graph,
                  uint64_t *ret);
/* For all arcs of a numbering that is otherwise complete. */
void expect_arcs(struct path_numbering *numbering, const struct path_graph *graph);
