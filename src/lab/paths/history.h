/* How well the directions of the last branches identify the path to an instruction (paths/trail.h):
 * the exact execution of a command, as its trace has it, against four ways to reconstruct it.
 *
 * Only the executable's own code is asked about; libraries have no graph, and paths end there. A
 * run can be as long as one likes: kept are how often control took each step, and the last
 * instructions before each of some places, which are spread evenly over the instructions. */
#pragma once

#include "base/map.h"
#include "compress/random.h"
#include "lab/pipeline/modelled_run.h"
#include "paths/trail_course.h"
#include "program/elf/image.h"
#include "program/symbols/symbols.h"

struct err;

enum { HISTORY_REACH = 4096 };

/* The instructions before a place, and the place itself as the last. */
struct history_moment {
    struct svma *steps; /* 0: elsewhere, however long; never one twice in a row */
    size_t n;
};

struct history {
    struct image image;
    struct symbols symbols;
    struct trail_graph graph;
    struct {
        VEC(struct history_moment);
    } moments;
    uint64_t taken, own; /* instructions of the run, and of these in the executable */

    /* While it runs. */
    struct replay *replay;
    uint32_t module;   /* of the executable; UINT32_MAX: not met yet */
    struct svma *ring; /* HISTORY_REACH */
    uint64_t n_ring;   /* steps so far */
    uint64_t every, due;
    struct random random;
    struct map keys; /* from, to */
    struct {
        VEC(struct trail_seen);
    } seen;
};

/* Runs the command under a trace until it ends or so many instructions ran; then it is killed. */
bool history_take(struct history *history, const struct modelled_run *run, struct err *err);
void history_release(struct history *history);

/* Of the pair: how many instructions before the place the other one ran: each as likely. */
struct history_question {
    uint32_t bits;
    bool across;
    uint32_t least, most;
};

/* Asks every question at every place. ret_scores: one for each question. */
void history_score(const struct history *history, const struct history_question *questions,
                   size_t n, struct trail_scores *ret_scores);
