/* The edges of a graph as rows of neighbours: what algorithms on graphs walk. */
#pragma once

#include "program/cfg/cfg.h"

struct arcs {
    uint32_t n;      /* nodes: the blocks, and perhaps one more */
    uint32_t *first; /* n + 1: where a node's neighbours begin */
    block_id *to;
};

/* Successors of each block; kinds are not told apart, so a neighbour may stand twice. */
void arcs_forward(struct arcs *arcs, const struct cfg *cfg);
/* Predecessors of each block. One node more, the last, stands for having left the function: it is
 * preceded by every block from which control can go elsewhere for good. */
void arcs_backward(struct arcs *arcs, const struct cfg *cfg);
/* All arcs turned round. */
void arcs_turn(struct arcs *arcs, const struct arcs *of);
void arcs_release(struct arcs *arcs);

/* The block that is entered first; BLOCK_NONE: nothing could be decoded there. */
block_id arcs_entry(const struct cfg *cfg);
