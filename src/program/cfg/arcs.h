/* The edges of a graph as lists of neighbours, for graph algorithms. */
#pragma once

#include "program/cfg/cfg.h"

struct arcs {
    uint32_t n;      /* nodes: the blocks, and perhaps one more */
    uint32_t *first; /* n + 1: index of a node's first neighbour */
    block_id *to;
};

/* Successors of each block. Edge kinds are ignored, so a neighbour may occur twice. */
void arcs_forward(struct arcs *arcs, const struct cfg *cfg);
/* Predecessors of each block. An extra last node stands for the end of the function. Its
 * predecessors are the blocks from which control can leave for good. */
void arcs_backward(struct arcs *arcs, const struct cfg *cfg);
/* All arcs reversed. */
void arcs_turn(struct arcs *arcs, const struct arcs *of);
void arcs_release(struct arcs *arcs);

/* The entry block; BLOCK_NONE: its bytes do not decode. */
block_id arcs_entry(const struct cfg *cfg);
