/* The exact execution of a program, instruction by instruction, as pieces of code (paths/trail.h):
 * the truth for ways that were reconstructed from history. */
#pragma once

#include "paths/trail.h"

#include <stddef.h>

struct image;
struct symbols;

/* A piece that ran. */
struct trail_met {
    uint32_t piece;
    uint32_t depth; /* call depth, from an arbitrary base */
    size_t step;    /* of the course */
    bool cond;      /* the piece before it ended in a conditional branch */
    bool taken;     /* which was taken */
    bool entered;   /* by a call, or a jump out of another function */
    bool strange;   /* control came from unknown code */
};

struct trail_course {
    const struct trail_graph *graph;
    const struct svma *steps; /* executed instructions; never one twice in a row */
    size_t n_steps;
    VEC(struct trail_met);
};

/* Graph and steps must outlive it. */
void trail_course_make(struct trail_course *course, const struct trail_graph *graph,
                       const struct image *image, const struct symbols *symbols,
                       const struct svma *steps, size_t n_steps);
void trail_course_release(struct trail_course *course);

/* The true way to the index-th piece, over at most `bits` branches, and their directions. False: it
 * is longer than the course. */
bool trail_course_way(const struct trail_course *course, size_t index, uint32_t bits, bool across,
                      struct trail_way *ret_way, uint64_t *ret_history);

/* Successes of each scheme: counts of arcs, counts of pieces, history, history and a second
 * instruction, history over recorded steps only, history and then counts of arcs. A success is a
 * single way, and the right one. */
struct trail_scores {
    uint32_t asked, counts, blocks, history, pair, seen, likely;
    uint32_t gave_up; /* too many ways, or longer than the course: nobody succeeds */
    uint32_t wrong;   /* the right way was not found: a bug */
};

/* Whether the last instruction is in the last piece: control may have arrived in the middle of one.
 */
bool trail_course_known(const struct trail_course *course);
/* Asks about the last instruction of the course, which must be known. back: the second
 * instruction ran so many before it. */
void trail_course_ask(const struct trail_course *course, uint32_t bits, bool across, size_t back,
                      struct trail_scores *scores);
