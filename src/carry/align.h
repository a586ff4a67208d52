/* Pairs the instructions of a block with those of its partner: the longest common sequence of
 * operations. */
#pragma once

#include "carry/side.h"

/* For each instruction of the old block the partner's index in the new graph, or INSTRUCTION_NONE.
 * `into` has room for those of the old block. */
void carry_align(uint32_t *into, const struct carry_side *old, block_id from,
                 const struct carry_side *new, block_id to);
