/* The dispatcher: runs a thread on copies of one flavour until something ends the walk. */
#pragma once

#include "walk/cache/cache.h"

struct walk {
    struct cache *cache;
    struct context *context;
    uint64_t translate_ticks; /* spent on translation for this thread */
    uint32_t calls;      /* system calls that the current sample has made: agent/sampling/calls.h */
    uint64_t call_ticks; /* spent on system calls of sampled walks, all of it */
    uint64_t program_ticks; /* of these, those of the current sample that are the program's own */
    uint64_t between_ticks; /* of plain walks, outside of copies: those above, and the dispatcher */
    uint64_t guards;   /* guarded superblocks compared with the program's code before they ran */
    uint64_t from;     /* the indirect branch that led here, or 0 */
    uint32_t transfer; /* the transfer of that branch, if it is new */
    bool moved;        /* code has run since this was last cleared */
    bool brief;        /* the first superblock is short: it starts where an interrupt fell */
    bool single;       /* superblocks of one instruction, for comparison with faster walks */
    bool waits;        /* for other threads that translate; else the walk ends (LOSS_busy) */
    /* Called under the lock when the cache is full. True: it was flushed. NULL or false: the walk
     * ends, and cache.full is set. */
    bool (*make_room)(struct walk *walk);
    /* Executes the system call at context.pc and moves pc on; `next` is the instruction after it.
     * False: the run ends at context.pc; if that is the call, it must run natively. */
    bool (*syscall)(struct walk *walk, uint64_t next);
    /* Exact runs: executes the instruction at context.pc in place and moves pc on, to `next` if it
     * does not branch. False: the run ends before it. Sampled walks never call it. */
    bool (*step)(struct walk *walk, uint64_t next);
    /* A signal is held, and the program is in the middle of a superblock, which goes on: deliver it
     * as soon as possible. NULL: there are no signals. */
    void (*put_off)(struct walk *walk);
};

/* Spent on copying code and on system calls: not the time of what is walked. */
static inline uint64_t walk_ticks_apart(const struct walk *walk)
{
    return walk->translate_ticks + walk->call_ticks;
}

/* Runs from context.pc. Returns LOSS_N if the budget is used up or the records are full, else why
 * it ended (enum loss). In both cases the context holds the program's state at an instruction
 * boundary. */
uint32_t walk_run(struct walk *walk, enum flavour flavour);
