/* Where the indirect jumps of a function go, as far as it can be proved.
 *
 * What is known of registers and memory (program/cfg/tracker.h) is carried along all paths of the
 * function until nothing changes. A jump through a constant table is resolved when the index has a
 * range there (a comparison, a mask, a width) or the file says how far the table reaches
 * (program/elf/evidence.h). A mask or a width says what the index can be, not where the table ends:
 * then every entry must lead to an instruction of the function, or be a tail call. An entry may
 * also name the very end of the function: that is what compilers write for cases which cannot
 * happen. */
#pragma once

#include "program/cfg/jumps.h"
#include "program/cfg/tracked_stacks.h"

struct cfg;
struct image;
struct operation;
struct symbols;

/* Steps that one function is worth: twenty times what the largest known ones need. */
#define JUMPS_EFFORT (UINT64_C(1) << 25)

/* What stays while one function is asked of again. */
struct jumps_work {
    uint64_t effort;              /* that is left */
    struct operation *operations; /* of each instruction; NULL: nobody needed them yet */
    struct tracked_stacks stacks; /* an address that escaped has escaped from new blocks, too */
};
void jumps_work_release(struct jumps_work *work);

/* The indirect jumps of a function of which instructions and blocks are known. Targets that are no
 * block yet are not followed: make them blocks and ask again, with the same work. */
void jumps_find(struct jumps *jumps, const struct cfg *cfg, const struct image *image,
                const struct symbols *symbols, struct jumps_work *work);
