/* Pairs the blocks of a function in two builds. In this order:
 *
 * - by cases of switches (switches.h);
 * - by content: blocks that are unique in both builds, first with their neighbours, last alone;
 *   first by equal instructions, then by equal operations;
 * - by source lines (lines.h), before operations if most instructions differ, because equal
 *   operations are then often chance;
 * - along edges from known pairs: similar blocks that follow, precede or lie beside a pair;
 * - equal blocks that occur several times, in their order.
 *
 * Each block has at most one partner. */
#pragma once

#include "carry/side.h"

struct carry_pairs {
    block_id *new_of; /* for each block of the old build; BLOCK_NONE: it has no partner */
    block_id *old_of; /* for each of the new one */
    size_t n;
};

void carry_pairs_make(struct carry_pairs *pairs, const struct carry_side *old,
                      const struct carry_side *new);
void carry_pairs_release(struct carry_pairs *pairs);
