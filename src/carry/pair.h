/* One function in two builds: both graphs, and which blocks are each other's. */
#pragma once

#include "carry/blocks.h"
#include "analysis/counts/scene.h"

struct carry_pair {
    struct cfg old_cfg, new_cfg;
    struct carry_side old, new;
    struct carry_pairs blocks;
};

/* The old graph is the scene's, with what was seen; of that the new one has what could be carried
 * over. */
void carry_pair_open(struct carry_pair *pair, const struct scene *scene,
                     const struct scene_function *function, const struct binary *new_binary,
                     function_id new_function);
void carry_pair_close(struct carry_pair *pair);
