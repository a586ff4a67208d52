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

struct shape_edge {
    uint32_t from, to;
    bool cut; /* no path goes over it: one ends, another begins */
};
struct shape_end {
    uint32_t from;
};
struct shape_node {
    bool start; /* control arrives from nowhere known: a path begins, whoever comes */
    bool loose; /* it may be left in its middle for good (a call that throws): not counted before it
                   has ended */
    bool cold;  /* expected to run rarely or never */
};

struct shape {
    struct shape_nodes {
        VEC(struct shape_node);
    } nodes;
    struct shape_edges {
        VEC(struct shape_edge); /* by from */
    } edges;
    struct shape_ends {
        VEC(struct shape_end); /* by from */
    } ends;
    uint32_t entry;
};

void shape_release(struct shape *shape);
