/* Minimum-cost flow on a plain graph, in integers, by network simplex.
 *
 *     struct flow_graph graph = {0};
 *     flow_node a = flow_node_add(&graph, 3), b = flow_node_add(&graph, -3);
 *     flow_arc x = flow_arc_add(&graph, a, b, FLOW_INFINITE, 7);
 *     if (flow_solve(&graph) == FLOW_OPTIMAL)
 *         use(graph.arcs.at[x].flow);
 *     flow_graph_release(&graph);
 *
 * What leaves a node less what enters it is its supply. An arc carries from 0 to its capacity; its
 * cost may be negative. Supplies add up to 0: a circulation has none. A lower bound is a capacity
 * and two supplies. Arcs may be parallel, opposed, or loops.
 *
 * The same graph gives the same flow on every machine: ties go by the order in which arcs were
 * added.
 *
 * Supplies, capacities and costs may be changed, and nodes and arcs added, after a solution: the
 * next one starts from its basis and takes the fewer pivots, the less was changed. Which of several
 * optima comes out then depends on what was solved before. */
#pragma once

#include "base/vec.h"

#include <stdint.h>

typedef uint32_t flow_node;
typedef uint32_t flow_arc;

#define FLOW_INFINITE INT64_MAX

enum flow_outcome {
    FLOW_OPTIMAL,
    FLOW_INFEASIBLE, /* supplies cannot get to where they are wanted */
    FLOW_UNBOUNDED,  /* a cycle of negative cost has no capacity anywhere */
    FLOW_OVERFLOW    /* sums of supplies, capacities or costs would not fit: nothing was solved */
};

struct flow_arc_data {
    flow_node from, to;
    int64_t capacity, cost; /* capacity >= 0, or FLOW_INFINITE */
    int64_t flow;           /* after FLOW_OPTIMAL */
};

struct flow_node_data {
    int64_t supply;
    /* After FLOW_OPTIMAL: cost + potential(from) - potential(to) is >= 0 for an arc that could
     * carry more and <= 0 for one that could carry less, which proves the optimum. */
    int64_t potential;
};

struct flow_graph {
    struct {
        VEC(struct flow_node_data);
    } nodes;
    struct {
        VEC(struct flow_arc_data);
    } arcs;
    int64_t cost;        /* of all flow, after FLOW_OPTIMAL */
    uint64_t pivots;     /* that the last solution took */
    struct basis *basis; /* where the last one ended; NULL before the first */
};

void flow_graph_release(struct flow_graph *graph);
flow_node flow_node_add(struct flow_graph *graph, int64_t supply);
flow_arc flow_arc_add(struct flow_graph *graph, flow_node from, flow_node to, int64_t capacity,
                      int64_t cost);
/* Start anew next time: the flow then depends on the graph alone. */
void flow_forget(struct flow_graph *graph);
enum flow_outcome flow_solve(struct flow_graph *graph);
