/* What is known at the start of each block of a function, carried along all paths until nothing
 * changes.
 *
 * Jumps are resolved on the way, for paths go through them; what that says counts only when nothing
 * changes any more. */
#pragma once

#include "program/cfg/tracker.h"

struct cfg;
struct jumps;
struct jump_search;

struct jump_paths {
    const struct jump_search *search;
    const struct cfg *cfg; /* of the search, as are the jumps */
    struct jumps *jumps;
    struct tracker tracker;
    struct path_block {
        struct state *before; /* what is known at its start; NULL: not reached */
        uint32_t way_in;      /* the only edge that led to it so far, or PATH_MANY_WAYS */
        uint8_t visits;
        uint32_t version;      /* counts changes of what is known */
        uint32_t like;         /* a block that was found alike when it had */
        uint32_t like_version; /* this version */
        uint32_t named_in;     /* the last fan whose state has names of this block's joins */
    } * blocks;
    struct state *states; /* room for what is known, one for each block */
    uint32_t fans;        /* states that were brought to all targets of a jump */
    uint64_t *waiting;    /* a bit for each block */
    uint32_t lowest;      /* no block below is waiting */
    bool lost;            /* something was forgotten since this was last reset */
};
#define PATH_MANY_WAYS UINT32_MAX

/* The search must outlive it, and its jumps be listed. */
void jump_paths_init(struct jump_paths *paths, const struct jump_search *search);
void jump_paths_release(struct jump_paths *paths);

/* From the function's entry; forgets what was known. */
void jump_paths_entry(struct jump_paths *paths);
/* Then from blocks that no path leads to: landing pads, targets of jumps that are not resolved,
 * dead code. */
void jump_paths_roots(struct jump_paths *paths);
/* Says of every jump that was reached where it goes. */
void jump_paths_settle(struct jump_paths *paths);
