/* Operations of a plan (wire/plan.h) carried out without code, by the dispatcher. */
#pragma once

#include "walk/base/context.h"
#include "walk/count/plan_path.h"

/* Makes context.path true, of which that was known. */
void path_apply(struct plan_path path, struct context *context);
/* Carries them out here, where the program stands with the context's registers. */
void plan_apply(const struct plan *plan, plan_place place, struct context *context);
/* One, which its code has left to the dispatcher (LEAVE_PLAN): it is carried out. With PLAN_SOME
 * the code may have left to have its looks at the clock read, and has carried it out; or to go on
 * with a passage that waited (walk/count/passages.h). */
void plan_apply_left(const struct plan *plan, struct context *context);
