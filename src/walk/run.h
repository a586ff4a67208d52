/* The dispatcher: runs a thread forward in one flavour until something ends it. */
#pragma once

#include "walk/cache.h"

struct walk {
    struct cache *cache;
    bool brief; /* the first superblock is kept brief: it starts wherever an interrupt fell */
    bool
        flushes; /* a full cache is flushed under way; else it ends the walk, and cache.full tells */
    /* Exact runs: executes the system call before which the context stands and moves pc past it.
     * False: it must run natively, the run ends here. Sampled walks never meet one. */
    bool (*syscall)(struct walk *walk, uint32_t exit);
};

/* Runs from context.pc. LOSS_N: the budget is used up or the records are full; else why it ended
 * (enum loss). Either way the context holds the program's state at an instruction boundary. */
uint32_t walk_run(struct walk *walk, enum flavour flavour);
