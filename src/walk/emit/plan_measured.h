/* Code of PLAN_SOME (walk/count/passages.h): whether a burst lasts is asked at operations; what is
 * then done, out of the way, is to look at the clock and write down what was seen. */
#pragma once

#include "walk/emit/plan_taken.h"

/* The way that branches off, and comes back behind the branch. */
struct measured {
    struct taken taken;
    struct plan_path path;
    uint8_t *out;  /* the branch that leads there */
    uint64_t back; /* where it comes back */
};

/* Branches off while a burst lasts. `begins`: one less is left until the next begins. */
struct measured measured_emit(struct taken *t, const struct plan_path *path, bool begins);
/* BACK, branching off if a burst lasts, if what called waits, or somebody who was left for good. */
struct measured measured_emit_back(struct taken *t, uint16_t flags);
/* Behind the operation's code, registers given back: the way that branches off. */
void measured_emit_out(struct taken *t, const struct plan *plan, const struct wire_plan *operation,
                       struct measured *measured);
