/* One function in two builds: both graphs and the pairs of their blocks. */
#pragma once

#include "carry/blocks.h"
#include "analysis/counts/counted.h"

struct carry_pair {
    const struct counted_function *counted; /* in the old build */
    struct cfg new_cfg;
    struct carry_side old, new;
    struct carry_pairs blocks;
};

/* Indirect jumps that were seen in the old build are edges of the new graph too, where both their
 * ends were found. */
void carry_pair_open(struct carry_pair *pair, const struct scene *scene,
                     const struct counted_function *counted, const struct binary *new_binary,
                     function_id new_function);
void carry_pair_close(struct carry_pair *pair);
