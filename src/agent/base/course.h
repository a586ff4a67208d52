/* A trail so far: agent/sampling/trail.h. */
#pragma once

#include "walk/base/context.h"

#include <stdbool.h>
#include <stdint.h>

/* A piece of plain code: what it executed and how long that took. */
struct plain_piece {
    uint64_t instructions, direct, indirect, ticks;
    uint64_t copies; /* of these ticks: in copies, without the dispatcher */
};

/* Code is cold at first: the later half of its pieces tells a trail's pace. */
struct course {
    struct plain_piece all, late; /* late: since the trail was half as long as now, or shorter */
    uint64_t charged[CONTEXT_BUDGETS]; /* of all.instructions: which code it was, roughly */
    uint64_t late_from;                /* instructions */
    uint64_t wanted;                   /* ticks of the program's own time */
    uint64_t native;                   /* of that: so far */
    uint64_t asked;                    /* instructions of the next piece */
    uint64_t faults;                   /* of the thread, when they were last read */
    bool lost;                         /* the thread lost its CPU: the trail gives no rate */
    bool is_long;
    bool new_code; /* much of it was copied for the first time */
};
