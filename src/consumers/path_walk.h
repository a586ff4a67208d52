/* Paths in streams of exits: walked along the graphs of functions, call by call, and counted by
 * number.
 *
 * This is another way to the same numbers as operations on edges (paths/plan.h): it asks where
 * control went and adds up the values of arcs. So traces prove exact runs, and windows of samples
 * tell paths at all. A path is counted if its beginning was seen, and its end: nothing is known of
 * what lies before a stream. A return goes to the innermost frame that waits for it; who arrives
 * elsewhere, by an exception or longjmp, is in the innermost frame of that function. */
#pragma once

#include "base/vec.h"
#include "consumers/path_book.h"
#include "consumers/path_series.h"
#include "consumers/step_costs.h"
#include "process/units.h"

struct batch;

/* A segment of a unit, as a function's nodes. */
struct path_stretch {
    struct book_function *function; /* NULL: none that could be read */
    uint32_t version;               /* 0: not looked at yet */
    uint32_t node, last_node;       /* of its first instruction, and of its last */
    bool begins;                    /* with the node's first instruction */
    bool ends;                      /* with the last one of last_node */
    uint32_t rest; /* 0, or index + 1 in rests: it goes on in the next function, without a branch */
};

struct path_walks {
    struct units *units;
    struct path_book *book;
    struct batch *batch;
    struct path_series series;
    struct step_cost_sum costs, told; /* of all that was walked, and of whole paths */
    struct path_stretches {
        VEC(struct path_stretch);
    } stretches, rests; /* stretches: as units->segments */
};

struct path_frame {
    struct book_function *function;
    uint32_t node;
    bool known;  /* the beginning of the path was seen */
    bool signal; /* it was interrupted: whoever is above it does not return to it */
    uint64_t sum;
    uint64_t begin;             /* where in the stream the path began */
    struct series_ended ended;  /* before it, in this activation */
    struct step_cost_sum costs; /* of what ran along it so far */
    uint64_t back;              /* avma to which it returns; 0: not known */
};

/* One stream. */
struct path_walk {
    struct path_frames {
        VEC(struct path_frame);
    } frames;
    bool fresh;               /* nothing is known of where it is */
    uint64_t ran;             /* instructions, since it was begun */
    struct step_costs *costs; /* of what the exits executed; NULL: they are not known */
    uint64_t weight;          /* of each path; */
    uint32_t instructions;    /* of a window: what takes long is less often whole in it, and weighs
                                 more; 0: all of it is known */
};

void path_walks_init(struct path_walks *walks, struct units *units, struct path_book *book,
                     struct batch *batch);
void path_walks_release(struct path_walks *walks);
void path_walk_release(struct path_walk *walk);

/* Starts a stream whose past is not known. */
void path_walk_begin(struct path_walk *walk, uint64_t weight, uint32_t instructions);
/* The stream goes on elsewhere: a signal's handler, or back from it. */
void path_walk_jump(struct path_walks *walks, struct path_walk *walk, struct place to);
/* Where an exit went. */
struct path_end {
    uint64_t avma; /* 0: not known */
    struct place place;
    uint32_t segment; /* that begins there, plus 1; 0: not known */
};
/* All exits must be known to the units, each starting where the one before went. */
void path_walk_exits(struct path_walks *walks, struct path_walk *walk, const uint32_t *exits,
                     size_t n, const struct path_end *end);
