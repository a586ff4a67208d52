/* How often parts of a function are expected to run, when nobody has counted: loops run eight
 * times, what leads back is taken, ways that split are equal, and what ends in an abort hardly
 * runs. Whole numbers, so that they are the same everywhere. */
#pragma once

#include <stdint.h>

struct path_numbering;
struct path_graph;

/* Of all nodes, by the numbering's order and edges that go back. */
void expect_nodes(const struct path_numbering *numbering, const struct path_graph *graph,
                  uint64_t *ret);
/* Of all arcs of a numbering that is otherwise complete. */
void expect_arcs(struct path_numbering *numbering, const struct path_graph *graph);
