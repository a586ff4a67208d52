/* Code of PLAN_SOME: whether a passage is measured is asked at operations; what is then to be done, the dispatcher does. */
#pragma once

#include "walk/plan_taken.h"

/* What the dispatcher does of the operation when a passage is measured: out of the way, and on behind `hot`. It reads the register. */
struct measured {
    struct taken taken;
    struct plan_path path;
    uint8_t *out; /* the branch that leads there */
};

/* Branches off if none is left: one is measured, or, where one begins, this is to be. `begins`: one less is left. */
struct measured measured_emit(struct taken *t, const struct plan_path *path, bool begins);
/* BACK, branching off if what called waits, or somebody who was left for good. */
struct measured measured_emit_back(struct taken *t, uint16_t flags);
/* Behind the operation's code, registers given back: the way that branches off. */
void measured_emit_out(struct taken *t, const struct plan *plan, const struct wire_plan *operation,
                       struct measured *measured);
