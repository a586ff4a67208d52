/* One function of one profile as a problem for infer/: blocks and edges with their recorded
 * counts, and where control enters and leaves. */
#pragma once

#include "infer/infer.h"
#include "analysis/counts/flow.h"

struct problem_parts {
    const struct scene *scene;
    const struct scene_function *function;
    uint32_t side;
    const struct cfg *cfg;
    const struct flow *flow;
};

/* What a block may do beside following its edges. */
enum leaving {
    LEAVES_NEVER,
    LEAVES_CALLING, /* if what it calls does not come back */
    LEAVES
};

enum leaving block_leaves(const struct cfg *cfg, const struct cfg_block *block, uint32_t ways);
/* The last instruction of a block that may not come back. It has one: LEAVES_CALLING. */
uint32_t block_last_call(const struct cfg *cfg, const struct cfg_block *block);
/* By block: how many edges lead on. The caller frees it. */
uint32_t *blocks_ways(const struct cfg *cfg);

/* Of what was walked or counted. */
void problem_make(struct infer_problem *problem, const struct problem_parts *parts);
/* Of what was sampled plainly, whose blocks have times and whose edges are not seen. */
void problem_make_plain(struct infer_problem *problem, const struct problem_parts *parts,
                        enum infer_method method);
/* As a whole the function keeps the weight that its samples have. After it is solved. */
void problem_weigh_plain(struct infer_problem *problem, const struct cfg *cfg);
