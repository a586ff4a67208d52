/* From a shape to code. */
#pragma once

#include "walk/emit.h"
#include "walk/shape.h"
#include "walk/tables.h"

/* What the dispatcher must know of an exit. */
struct exit {
    uint64_t target; /* avma the exit leads to; 0 if it is indirect */
    /* SEGMENT_IJUMP/ICALL of a count flavour: the site. SEGMENT_SYSCALL: where the call itself can be
     * run from. Others: the displacement field to patch (writable alias), 0 if it cannot be linked. */
    uint64_t link;
    uint32_t instructions; /* executed from the entry to here */
    uint32_t counter;      /* count flavour: what this exit adds one to; 0: nothing */
    uint8_t flavour;       /* enum flavour */
    uint8_t budget;        /* plain: which of the budgets it charges */
    bool tested;           /* it goes backward: plain code tests the budget here */
    bool linked;           /* it goes straight on to its target's own code */
};

/* What a plain exit adds to its budget. */
static inline uint32_t exit_charge(const struct exit *exit)
{
    return exit->instructions << BUDGET_BITS | 1;
}

/* Which registers are not in place at a cache pc, when an instruction there faults. */
enum { IN_SLOT_NONE, IN_SLOT_R11 };

struct translation {
    enum flavour flavour;
    const struct regions *regions;
    uint32_t first_exit; /* id of exit 0 */
    uint32_t counter;    /* count: index of the entry counter */
    uint32_t site;       /* count: what an indirect jump or call would use */
    const struct tables *tables;
    bool rotates;        /* the CPU has rorx: landings are indexed by bits 4..19 */
    struct exit exits[SHAPE_SEGMENTS + 1];

    /* Locating a fault: the cache pc sought; found when located is set. */
    uint64_t sought;
    bool located;
    uint64_t located_pc;      /* avma of the program's instruction */
    uint32_t located_step;    /* its index in the shape */
    uint32_t located_in_slot; /* IN_SLOT_ */
};

/* No piece of code is longer, in its hot or in its cold part. */
enum { TRANSLATION_BYTES_MAX = 2048 };

/* Writes the code; it runs from the hot cursor's start. Ways out that are rarely taken go to the cold
 * cursor, so that what runs lies together. Fills exits, and located if sought was met. */
void translate(struct translation *translation, const struct shape *shape, struct cursor *hot,
               struct cursor *cold);

/* A conditional branch has been taken for the first time: writes what its exit does, then a jump to
 * `entry`. Until then the branch leads to the dispatcher, which does the work itself: most branches
 * never go one of their ways, and pay nothing for it. */
void translate_exit(const struct regions *regions, const struct exit *exit, uint32_t id,
                    uint64_t entry, struct cursor *hot, struct cursor *cold);

/* Writes a landing: the place where indirect branches to `pc` arrive with the target in %r11. On
 * another target it goes to `next`, else it adds one to `counter` unless that is 0, and goes on at
 * `entry`. */
void translate_landing(const struct regions *regions, struct cursor *hot, uint64_t pc,
                       uint64_t entry, uint64_t next, uint32_t counter);
