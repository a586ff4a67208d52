/* Finds the targets of a function's indirect jumps, where they can be proved.
 *
 * The values of registers and memory (program/cfg/tracker.h) are propagated along all paths to a
 * fixed point. A jump through a constant table is resolved if the index has a range there (a
 * comparison, a mask, a width) or the file says how long the table is (program/elf/evidence.h). A
 * mask or a width bounds the index, not the table: then every entry must lead to an instruction of
 * the function or be a tail call. An entry may also be the end of the function: compilers write
 * that for impossible cases. */
#pragma once

#include "program/cfg/jumps.h"
#include "program/cfg/tracked_stacks.h"

struct cfg;
struct image;
struct operation;
struct symbols;

/* Steps allowed for one function: twenty times what the largest known ones need. */
#define JUMPS_EFFORT (UINT64_C(1) << 25)

/* Kept between calls for one function. */
struct jumps_work {
    uint64_t effort;              /* steps left */
    struct operation *operations; /* of each instruction; NULL: not read yet */
    struct tracked_stacks stacks; /* an address that escaped once has escaped for new blocks too */
};
void jumps_work_release(struct jumps_work *work);

/* The instructions and blocks of the function must be known. Targets that are not yet blocks are
 * not followed: make them blocks and call again with the same work. */
void jumps_find(struct jumps *jumps, const struct cfg *cfg, const struct image *image,
                const struct symbols *symbols, struct jumps_work *work);
