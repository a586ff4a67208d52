/* The dispatcher: runs a thread forward in one flavour until something ends it. */
#pragma once

#include "walk/cache/cache.h"

struct walk {
    struct cache *cache;
    struct context *context;
    uint64_t translate_ticks; /* spent on making code for this thread */
    uint64_t guards;   /* superblocks that were compared with the program's code before they ran */
    uint64_t from;     /* the computed branch that led here, or 0 */
    uint32_t transfer; /* what that was, seen for the first time */
    bool brief;  /* the first superblock is kept brief: it starts wherever an interrupt fell */
    bool single; /* superblocks of one instruction: the slow truth that others are held to */
    bool waits;  /* for other threads that translate; else the walk ends (LOSS_busy) */
    /* A full cache was flushed or may be again; NULL or false: the walk ends, and cache.full tells.
     * Called under the lock. */
    bool (*make_room)(struct walk *walk);
    /* Exact runs: executes the system call before which the context stands, and behind which stands
     * `next`, and moves pc on. False: it must run natively, the run ends here. Sampled walks never
     * meet one. */
    bool (*syscall)(struct walk *walk, uint64_t next);
    /* Exact runs: executes the instruction at context.pc where it stands, and moves pc on, to
     * `next` if it does not branch. False: the run ends here, before it. Sampled walks never ask.
     */
    bool (*step)(struct walk *walk, uint64_t next);
    /* A signal is held, and the program stands in the middle of a superblock, which goes on: it is
     * to be delivered as soon as may be. NULL: there are none. */
    void (*put_off)(struct walk *walk);
};

/* Runs from context.pc. LOSS_N: the budget is used up or the records are full; else why it ended
 * (enum loss). Either way the context holds the program's state at an instruction boundary. */
uint32_t walk_run(struct walk *walk, enum flavour flavour);
