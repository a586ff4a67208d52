/* The counts of a problem as arcs of one graph.
 *
 * Block i is two nodes: edges arrive at 2i and leave from 2i + 1. One more node is the world
 * outside. Every count is a lane from one node to another. Counts are consistent if as much
 * arrives at every node as leaves it: a circulation. */
#pragma once

#include "infer/costs.h"

struct lane {
    struct infer_count *count;
    uint32_t from, to;
    enum cost_kind kind;
    enum infer_class sampled;
    int64_t now; /* its count as it stands, 2^dropped a unit */
};

struct lanes {
    VEC(struct lane);
    size_t nodes;     /* the last is the world */
    int64_t least;    /* no count that was seen falls below it */
    int64_t one;      /* what one execution counts */
    bool points;      /* as in the problem */
    unsigned dropped; /* bits, so that all counts together fit; 0 unless they are enormous */
};

/* One lane a count, standing at what was seen. The problem must outlive them, and not change. */
void lanes_open(struct lanes *lanes, struct infer_problem *problem);
/* Writes down what was inferred. */
void lanes_close(struct lanes *lanes);
/* What each node has too much of; false: nothing anywhere. */
bool lanes_missing(const struct lanes *lanes, int64_t *missing);
/* What goes round by itself, a loop whose way in and out nobody saw, is led to from outside and
 * back, once. Not if the code has no way. Entries that are firm stay, as far as other ways can do
 * without. The lanes fit together, before and after. */
void lanes_join(struct lanes *lanes);
