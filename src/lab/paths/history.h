/* How well ways through a program are told by the directions of its last branches (paths/trail.h):
 * its exact course, taken by single steps, against what three schemes make of (PC, history) and of
 * another PC, inside of functions and across them. */
#pragma once

#include "paths/trail_course.h"
#include "program/elf/image.h"
#include "program/symbols/symbols.h"

struct err;

struct history {
    struct image image;
    struct symbols symbols;
    struct svma entry;
    struct trail_graph graph;
    struct trail_course course;
    struct history_steps {
        VEC(struct svma); /* of the program's own file; 0: elsewhere, however long */
    } steps;
    uint64_t taken; /* steps; a call of what lies elsewhere is one */
};

/* Runs the command, step by step from its first instruction on, until it ends or so many were
 * taken; then it is killed. */
bool history_take(struct history *history, char *const *command, uint64_t steps_most,
                  struct err *err);
void history_release(struct history *history);
/* How many instructions before the place that is asked about the other of its pair ran: each as
 * likely. At most 50. */
struct history_pair {
    uint32_t least, most;
};

/* Asks at about so many places, spread over the course. */
void history_score(const struct history *history, uint32_t bits, bool across, uint32_t places,
                   struct history_pair pair, struct trail_scores *ret_scores);
