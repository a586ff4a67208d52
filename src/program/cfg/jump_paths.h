/* The known values at the start of each block, propagated along all paths to a fixed point.
 *
 * Paths go through indirect jumps, so jumps are resolved on the way. A resolved target counts only
 * at the fixed point. */
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
        struct state *before; /* the known values at its start; NULL: not reached */
        uint32_t way_in;      /* the only edge that led here so far, or PATH_MANY_WAYS */
        uint8_t visits;
        uint32_t version;      /* counts changes of `before` */
        uint32_t like;         /* a block whose state was alike */
        uint32_t like_version; /* at this version */
        uint32_t named_in;     /* the last fan whose state has names of this block's joins */
    } * blocks;
    struct state *states; /* storage for `before`, one for each block */
    uint32_t fans;        /* states that were propagated to all targets of a jump */
    uint64_t *waiting;    /* a bit for each block */
    uint32_t lowest;      /* no block below is waiting */
    bool lost;            /* something was forgotten since this was last reset */
};
#define PATH_MANY_WAYS UINT32_MAX

/* The search must outlive it and have its jumps listed. */
void jump_paths_init(struct jump_paths *paths, const struct jump_search *search);
void jump_paths_release(struct jump_paths *paths);

/* Starts at the function's entry; forgets all known values. */
void jump_paths_entry(struct jump_paths *paths);
/* Continues from blocks that no path reaches: landing pads, targets of unresolved jumps, dead code.
 */
void jump_paths_roots(struct jump_paths *paths);
/* Stores the targets of every jump that was reached. */
void jump_paths_settle(struct jump_paths *paths);
