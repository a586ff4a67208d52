/* Operations of a plan (wire/plan.h) carried out without code, by the dispatcher. */
#pragma once

#include "walk/context.h"
#include "walk/plan_path.h"

/* Makes context.path true, of which that was known. */
void path_apply(struct plan_path path, struct context *context);
/* Carries them out here, where the program stands with the context's registers. */
void plan_apply(const struct plan *plan, plan_place place, struct context *context);
/* One, which its code has left to the dispatcher (LEAVE_PLAN). */
void plan_apply_left(const struct plan *plan, struct context *context);
/* Adds the table of paths of a thread that ends to another bank's. */
void paths_merge(struct context *context, uint8_t *bank);
