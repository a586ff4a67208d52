/* The loops of a function and how they nest.
 *
 * A loop is a set of blocks that can all reach each other, with one of them its head. If every way
 * in goes through the head the loop is natural; if there are others it is marked irreducible: then
 * which of its entries is the head is a matter of order (the one that a walk from the function's
 * entry, in the order of edges, meets first). Only what the entry reaches is looked at. */
#pragma once

#include "program/cfg/cfg.h"

typedef uint32_t loop_id;
#define LOOP_NONE UINT32_MAX

struct loop {
    block_id head;
    loop_id parent;  /* the next loop around it, or LOOP_NONE */
    uint32_t depth;  /* 1: in no other */
    uint32_t blocks; /* in it, inner loops included */
    bool irreducible;
};

struct loops {
    VEC(struct loop);  /* by head */
    loop_id *of_block; /* the innermost one that holds the block, or LOOP_NONE */
};

void loops_find(struct loops *loops, const struct cfg *cfg);
void loops_release(struct loops *loops);

/* Whether the loop holds the block, itself or in a loop inside of it. */
bool loops_hold(const struct loops *loops, loop_id loop, block_id block);
