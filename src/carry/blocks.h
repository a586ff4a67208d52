/* Which blocks of a function are which in another build of it.
 *
 * First by the cases of switches (switches.h) and by what they are: blocks whose instructions, and
 * those of the blocks around them, are in both builds once and no more, from the widest
 * surroundings to none and from equal instructions to equal operations. Source lines (lines.h) tell
 * what those do not, and come before operations if most instructions are not equal, since equal
 * operations are then often chance. Then along edges from what is known: of what follows, comes
 * before or lies beside two blocks that are each other's, those that are alike are each other's,
 * too. At last those that are equal several times over, in the order in which they lie. Each block
 * has at most one partner. */
#pragma once

#include "program/cfg/cfg.h"

struct lines;
struct symbols;

struct carry_side {
    const struct image *image;
    const struct symbols *symbols;
    const struct cfg *cfg;
    const struct lines *lines; /* NULL: none are known */
};

struct carry_pairs {
    block_id *new_of; /* for each block of the old build; BLOCK_NONE: it has no partner */
    block_id *old_of; /* for each of the new one */
    size_t n;
};

void carry_pairs_make(struct carry_pairs *pairs, const struct carry_side *old,
                      const struct carry_side *new);
void carry_pairs_release(struct carry_pairs *pairs);
