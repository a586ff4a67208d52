/* From a shape to code. */
#pragma once

#include "walk/emit.h"
#include "walk/shape.h"

/* What the dispatcher must know of an exit. */
struct exit {
    uint64_t target; /* avma the exit leads to; 0 if it is indirect */
    /* SEGMENT_IJUMP/ICALL of a count flavour: the site. SEGMENT_SYSCALL: where the call itself can be
     * run from. Others: the displacement field to patch (writable alias), 0 if it cannot be linked. */
    uint64_t link;
    uint64_t instructions; /* executed from the entry to here */
};

/* Which registers are not in place at a cache pc, when an instruction there faults. */
enum { IN_SLOT_NONE, IN_SLOT_RAX };

struct translation {
    enum flavour flavour;
    const struct regions *regions;
    uint32_t first_exit; /* id of exit 0 */
    uint32_t counter;    /* count: index of the entry counter */
    uint32_t site;       /* count: what an indirect jump or call would use */
    struct exit exits[SHAPE_SEGMENTS + 1];

    /* Locating a fault: the cache pc sought; found when located is set. */
    uint64_t sought;
    bool located;
    uint64_t located_pc;      /* avma of the program's instruction */
    uint32_t located_step;    /* its index in the shape */
    uint32_t located_in_slot; /* IN_SLOT_ */
};

/* No superblock's code is longer. */
enum { TRANSLATION_BYTES_MAX = 4096 };

/* Writes the code; it runs from the cursor's start. Fills exits, and located if sought was met. */
void translate(struct translation *translation, const struct shape *shape, struct cursor *cursor);

/* Writes a landing: the place where indirect branches to `pc` arrive with the target in %rax. On
 * another target it goes to `next`, else it adds one to `counter` unless that is UINT32_MAX, and goes
 * on at `entry`. */
void translate_landing(const struct regions *regions, struct cursor *cursor, uint64_t pc,
                       uint64_t entry, uint64_t next, uint32_t counter);
