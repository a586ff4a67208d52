/* Which blocks every path to a block goes through, and which every path from it on.
 *
 * Only blocks that the entry reaches have dominators, only blocks that reach the end have
 * post-dominators. Landing pads are not reached: an exception is no edge. */
#pragma once

#include "program/cfg/cfg.h"

struct dominators {
    uint32_t n;
    block_id *parent; /* for each block: its immediate one; BLOCK_NONE: none, or not reached */
    uint32_t *enter,
        *leave; /* when a walk of the tree meets the block, from 1 on; 0: not reached */
};

void dominators_build(struct dominators *dominators, const struct cfg *cfg);
void post_dominators_build(struct dominators *dominators, const struct cfg *cfg);
void dominators_release(struct dominators *dominators);

static inline bool dominators_reach(const struct dominators *dominators, block_id block)
{
    return dominators->enter[block] != 0;
}
/* Whether every path to b (from b, for post-dominators) goes through a. A block dominates itself.
 */
static inline bool dominators_have(const struct dominators *dominators, block_id a, block_id b)
{
    return dominators->enter[b] && dominators->enter[a] &&
           dominators->enter[a] <= dominators->enter[b] &&
           dominators->leave[b] <= dominators->leave[a];
}
