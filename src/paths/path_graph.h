/* A function as paths see it: nodes, edges and ends. What its nodes are is no matter here
 * (paths/ground.h knows).
 *
 * Every node that runs is arrived at over an edge, or at a start: where control comes from places
 * that no edge tells of (callers, exceptions, unresolved jumps). Every node that is left is left
 * over an edge or an end. Edges are sorted by where they come from; their order is the order of
 * numbering and must not depend on anything but the code. Two edges may join the same nodes: an
 * edge is its index. */
#pragma once

#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

struct path_graph_edge {
    uint32_t from, to;
    bool cut; /* no path goes over it: one ends, another begins */
};
struct path_graph_end {
    uint32_t from;
};
struct path_graph_node {
    bool start; /* control arrives from nowhere known: a path begins, whoever comes */
    bool loose; /* it may be left in its middle for good (a call that throws): not counted before it
                   has ended */
    bool cold;  /* expected to run rarely or never */
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
