/* A function as a plain graph for path numbering: nodes, edges and ends. paths/ground.h knows what
 * they are in the binary.
 *
 * Every node that runs is entered over an edge or at a start: a place that control reaches from
 * elsewhere (callers, exceptions, unresolved jumps). Every node is left over an edge or an end.
 * Edges are sorted by source. Their order decides the numbering, so it must depend on the code
 * alone. Two edges may join the same nodes: an edge is identified by its index. */
#pragma once

#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

struct path_graph_edge {
    uint32_t from, to;
    bool cut; /* no path continues over it: one ends, another begins */
};
struct path_graph_end {
    uint32_t from;
};
struct path_graph_node {
    bool start; /* control may arrive from elsewhere: a path always begins here */
    bool loose; /* control may leave in its middle for good (a call that throws): counted only after
                   its end */
    bool cold;  /* expected to run rarely */
};

struct path_graph {
    struct path_graph_nodes {
        VEC(struct path_graph_node);
    } nodes;
    struct path_graph_edges {
        VEC(struct path_graph_edge); /* by from */
    } edges;
    struct path_graph_ends {
        VEC(struct path_graph_end); /* by from */
    } ends;
    uint32_t entry;
};

void path_graph_release(struct path_graph *graph);
