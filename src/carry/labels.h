/* Labels that make blocks of two builds comparable: by instructions, operations or source lines,
 * alone or with their neighbours. */
#pragma once

#include "carry/side.h"

/* How far around a block its surroundings are looked at. */
enum { ROUNDS = 4 };
enum level { LEVEL_EXACT, LEVEL_LOOSE, LEVEL_LINES, LEVELS };

/* One build of the function, with what is needed to compare it. */
struct build {
    const struct cfg *cfg;
    uint64_t *labels[LEVELS][ROUNDS]; /* of each block */
    uint64_t *operations;             /* of each instruction, sorted within its block */
    struct way *out, *in;             /* edges by their source, and by their target */
    uint32_t *first_out, *first_in;   /* of each block, and one more */
    block_id *partner;
};

struct way {
    block_id to;
    uint8_t kind;
};

/* `partner` is the caller's, and has no part in labels. */
void build_open(struct build *build, const struct carry_side *side, block_id *partner);
void build_close(struct build *build);
/* Fills in what needs both: lines, and then surroundings. */
void builds_label(struct build *old_build, const struct carry_side *old, struct build *new_build,
                  const struct carry_side *new);
