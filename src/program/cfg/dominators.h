/* Dominators and post-dominators of blocks.
 *
 * Only blocks reachable from the entry have dominators, and only blocks that reach the end have
 * post-dominators. Landing pads are not reachable: an exception is no edge. */
#pragma once

#include "program/cfg/cfg.h"

struct dominators {
    uint32_t n;
    block_id *parent; /* immediate dominators; BLOCK_NONE: none, or not reachable */
    /* When a walk of the tree enters and leaves each block, from 1; 0: not reachable. */
    uint32_t *enter, *leave;
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
