/* Builds the graph that trails are searched in (paths/trail.h): the pieces of a binary's code and
 * their predecessors. */
#pragma once

#include "paths/trail.h"

#include <stddef.h>

struct image;
struct symbols;

/* A recorded step: both ways of branches, calls, returns. Indirect branches are known from these
 * alone. from 0: code of another module. */
struct trail_seen {
    struct svma from, to;
    uint64_t count;
};

void trail_build(struct trail_graph *graph, const struct image *image,
                 const struct symbols *symbols, const struct trail_seen *seen, size_t n_seen);
void trail_graph_release(struct trail_graph *graph);
