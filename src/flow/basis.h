/* The spanning tree of a network simplex, with the flow on it.
 *
 * The tree covers all nodes and one more, the root. Arcs outside the tree are empty or full. A
 * full arc is stored reversed with its cost negated, so every arc outside could take flow from its
 * `from`, and pays if cost + potential(from) - potential(to) is negative. Arcs of the tree have
 * exactly 0 there, so pricing need not know which those are.
 *
 * Instead of flow, a node stores how much more could be sent to its parent (up) and from it
 * (down). The tree is strongly feasible: up is positive everywhere. Leaving arcs are chosen to
 * keep it so, which rules out cycling.
 *
 * Nodes are threaded in preorder, so a subtree is a run of the thread. A node that no arc of the
 * graph holds hangs from the root by an artificial arc, which never enters again. */
#pragma once

#include "flow/flow.h"

#include <stdbool.h>

/* What an infinite capacity is here, and from where on a room counts as infinite: every real flow
 * is smaller than that. */
#define ROOM_INFINITE (INT64_C(1) << 61)
#define ROOM_LIMIT (INT64_C(1) << 60)

struct offer { /* an arc as pricing sees it */
    uint32_t from, to;
    int64_t cost;
};

struct basis_node {
    uint32_t parent, next, before; /* next and before: along the thread, which is a ring */
    uint32_t depth;
    uint32_t arc;  /* to the parent; n_arcs or more if artificial */
    uint32_t away; /* 1 if that arc leads from the parent to here */
    int64_t up, down;
};

struct basis {
    uint32_t n_nodes, n_arcs; /* n_nodes is the root */
    struct basis_node *nodes; /* n_nodes + 1 */
    int64_t *potentials;      /* n_nodes + 1 */
    struct offer *offers;     /* n_arcs */
    uint8_t *full;            /* n_arcs: turned round */
    int64_t steep;            /* cost of an artificial arc that brings flow from nowhere */
};

/* The tree of the last time, or everything hung from the root, fitted to the graph as it is now:
 * arcs whose flow would not fit, or not be strongly feasible, are taken out of it. */
void basis_fit(struct flow_graph *graph, int64_t steep);
/* Puts an offer into the tree that pays. False if it could take up flow without end. */
bool basis_pivot(struct basis *basis, const struct flow_graph *graph, uint32_t entering);
/* What the tree says an arc carries, and whether artificial arcs carry anything. */
void basis_read(const struct basis *basis, struct flow_graph *graph);
bool basis_feasible(const struct basis *basis);
void basis_free(struct basis *basis);
