/* Code of PLAN_SOME (walk/count/passages.h): operations test whether a burst is on; if so, code out
 * of line reads the clock and writes down what it saw. */
#pragma once

#include "walk/emit/plan_taken.h"

/* The code out of line. */
struct measured {
    struct taken taken;
    struct plan_path path;
    uint8_t *out;  /* the branch that leads there */
    uint64_t back; /* where it returns */
};

/* Branches off during a burst. `begins`: counts down to the next burst. */
struct measured measured_emit(struct taken *t, const struct plan_path *path, bool begins);
/* BACK: branches off during a burst, or if the caller waits, or a passage was left for good. */
struct measured measured_emit_back(struct taken *t, uint16_t flags);
/* After the operation's code, registers restored: the code out of line. */
void measured_emit_out(struct taken *t, const struct plan *plan, const struct wire_plan *operation,
                       struct measured *measured);
