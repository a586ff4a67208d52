/* Post-dominators of blocks. Only blocks that reach the end have any. */
#pragma once

#include "program/cfg/cfg.h"

struct dominators {
    uint32_t n;
    block_id *parent; /* immediate dominators; BLOCK_NONE: none, or the end is not reached */
    /* When a walk of the tree enters and leaves each block, from 1; 0: the end is not reached. */
    uint32_t *enter, *leave;
};

void post_dominators_build(struct dominators *dominators, const struct cfg *cfg);
void dominators_release(struct dominators *dominators);

/* Whether every path from b to the end goes through a. A block dominates itself. */
static inline bool dominators_have(const struct dominators *dominators, block_id a, block_id b)
{
    return dominators->enter[b] && dominators->enter[a] &&
           dominators->enter[a] <= dominators->enter[b] &&
           dominators->leave[b] <= dominators->leave[a];
}
