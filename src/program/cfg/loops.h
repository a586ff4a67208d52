/* The loops of a function and how they nest.
 *
 * A loop is a set of blocks that can all reach each other; one of them is its head. A loop that is
 * only entered at its head is natural. One with other entries is marked irreducible; its head is
 * the entry that a walk from the function's entry, in edge order, meets first. Only blocks
 * reachable from the entry count. */
#pragma once

#include "program/cfg/cfg.h"

typedef uint32_t loop_id;
#define LOOP_NONE UINT32_MAX

struct loop {
    block_id head;
    loop_id parent;  /* the enclosing loop, or LOOP_NONE */
    uint32_t depth;  /* 1: outermost */
    uint32_t blocks; /* including inner loops */
    bool irreducible;
};

struct loops {
    VEC(struct loop);  /* by head */
    loop_id *of_block; /* the innermost loop of each block, or LOOP_NONE */
};

void loops_find(struct loops *loops, const struct cfg *cfg);
void loops_release(struct loops *loops);

/* Whether the loop, or a loop inside it, contains the block. */
bool loops_hold(const struct loops *loops, loop_id loop, block_id block);
