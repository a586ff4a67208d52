/* How often each instruction and each edge of one function ran, by one profile.
 *
 * An instruction ran as often as the ranges that cover it. A block ran as often as its first
 * instruction. Conditional branches, direct jumps and seen indirect jumps have edge records of
 * their own. An edge without a branch gets its count from ranges that run across it, from records
 * of ranges cut there (a split, a system call) and, after a call, from the returns that arrived. */
#pragma once

#include "analysis/counts/estimate.h"
#include "analysis/counts/scene.h"

struct flow {
    struct quantity *instructions; /* for each of the graph's */
    struct quantity *edges;        /* for each of the graph's */
    struct quantity entries;       /* first instruction, without the function's own edges to it */
    struct quantity body;          /* all instructions together */
    uint64_t stray;                /* records that the disassembly does not explain */
    uint64_t begun, ended;         /* see struct items */
};

void flow_build(struct flow *flow, const struct scene *scene, const struct scene_function *function,
                uint32_t side, const struct cfg *cfg);
void flow_release(struct flow *flow);

static inline const struct quantity *flow_block(const struct flow *flow, const struct cfg *cfg,
                                                block_id block)
{
    return &flow->instructions[cfg->blocks.at[block].first];
}
