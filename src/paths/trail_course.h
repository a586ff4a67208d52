/* The exact course of a program, instruction by instruction, as pieces of its code (paths/trail.h):
 * what ways that were reconstructed from history are held against. */
#pragma once

#include "paths/trail.h"

#include <stddef.h>

struct image;
struct symbols;

/* A piece that control came to. */
struct trail_met {
    uint32_t piece;
    uint32_t depth; /* in calls, from some number on */
    size_t step;    /* of the course */
    bool cond;      /* the piece before it ended in a conditional branch */
    bool taken;     /* which was taken */
    bool entered;   /* by a call, or a jump out of another function */
    bool strange;   /* whence control came is no code that is known */
};

struct trail_course {
    const struct trail_graph *graph;
    const struct svma *steps; /* instructions, one after the other; none twice in a row */
    size_t n_steps;
    VEC(struct trail_met);
};

/* Graph and steps must stay. */
void trail_course_make(struct trail_course *course, const struct trail_graph *graph,
                       const struct image *image, const struct symbols *symbols,
                       const struct svma *steps, size_t n_steps);
void trail_course_release(struct trail_course *course);

/* The way that was gone to the index-th piece, as far as so many branches reach or as is asked for;
 * and their directions. */
void trail_course_way(const struct trail_course *course, size_t index, uint32_t bits, bool across,
                      struct trail_way *ret_way, uint64_t *ret_history);

/* Ways to guess: by counts, by history, by history and another instruction; by both history and
 * counts. A success is one way alone, and the right one. */
struct trail_scores {
    uint32_t asked, counts, history, pair;
    uint32_t seen;    /* by history, of ways whose every step was seen at some time */
    uint32_t gave_up; /* too many ways */
    uint32_t wrong;   /* the right one was not among those found: a mistake of ours */
};

/* back: how many instructions before the piece the other one ran; there are as many. */
void trail_course_ask(const struct trail_course *course, size_t index, uint32_t bits, bool across,
                      size_t back, struct trail_scores *scores);
