/* Paths in streams of exits: followed along the graphs of functions, call by call, and counted by
 * number.
 *
 * This computes the same numbers as the operations on edges (paths/plan.h), another way: it adds up
 * the values of the arcs that control took. So traces verify exact runs, and sampled windows have
 * paths at all. A path is counted if its beginning and its end were seen; nothing is known of what
 * precedes a stream. A return goes to the innermost frame that waits for it. Control that arrives
 * elsewhere, by an exception or longjmp, continues in the innermost frame of that function. */
#pragma once

#include "base/vec.h"
#include "consumers/context_paths.h"
#include "consumers/path_book.h"
#include "consumers/path_series.h"
#include "consumers/step_costs.h"
#include "process/units.h"

struct batch;

/* A segment of a unit, as nodes of its function. */
struct path_stretch {
    struct book_function *function; /* NULL: not readable */
    uint32_t version;               /* 0: not computed yet */
    uint32_t node, last_node;       /* of its first and last instruction */
    bool begins;                    /* at the node's first instruction */
    bool ends;                      /* at last_node's last instruction */
    uint32_t rest; /* index + 1 in rests: it continues in the next function without a branch; 0: it
                      does not */
};

struct path_walks {
    struct units *units;
    struct path_book *book;
    struct batch *batch;
    struct path_series series;
    struct step_cost_sum costs, told;  /* of all instructions, and of those along whole paths */
    struct context_paths *in_contexts; /* gets paths that run in known contexts; or NULL */
    struct path_stretches {
        VEC(struct path_stretch);
    } stretches, rests; /* stretches: as units->segments */
};

struct path_frame {
    struct book_function *function;
    uint32_t node;
    bool known;  /* the beginning of the path was seen */
    bool signal; /* it was interrupted by a signal: the frame above does not return to it */
    uint64_t sum;
    uint64_t begin;             /* position in the stream */
    struct series_ended ended;  /* paths before it, of this activation */
    struct step_cost_sum costs; /* of its instructions so far */
    uint64_t back;              /* avma of its return; 0: not known */
    uint32_t context;           /* 0: none, or not known yet */
};

/* One stream. */
struct path_walk {
    struct path_frames {
        VEC(struct path_frame);
    } frames;
    bool fresh;               /* its place is not known */
    uint64_t ran;             /* instructions, since its beginning */
    struct step_costs *costs; /* of the instructions; NULL: not known */
    const uint32_t *contexts; /* of the segments that come; NULL: not known */
    uint64_t weight;          /* of each path; */
    uint32_t instructions; /* length of a window: long paths are less often whole in it, and weigh
                              more; 0: a whole stream */
};

void path_walks_init(struct path_walks *walks, struct units *units, struct path_book *book,
                     struct batch *batch);
void path_walks_release(struct path_walks *walks);
void path_walk_release(struct path_walk *walk);

/* Starts a stream; what precedes it is not known. */
void path_walk_begin(struct path_walk *walk, uint64_t weight, uint32_t instructions);
/* The stream continues elsewhere: in a signal's handler, or back from it. */
void path_walk_jump(struct path_walks *walks, struct path_walk *walk, struct place to);
/* The target of an exit. */
struct path_end {
    uint64_t avma; /* 0: not known */
    struct place place;
    uint32_t segment; /* index + 1 of the segment there; 0: not known */
};
/* All exits must be known to the units, and each must start where the one before went. */
void path_walk_exits(struct path_walks *walks, struct path_walk *walk, const uint32_t *exits,
                     size_t n, const struct path_end *end);
