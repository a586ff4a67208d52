/* Operations of a plan (wire/plan.h), carried out by the dispatcher without code. */
#pragma once

#include "walk/base/context.h"
#include "walk/count/plan_path.h"

/* Stores the path number that was known at translation. */
void path_apply(struct plan_path path, struct context *context);
/* Carries them out where the program stands, with the registers of the context. */
void plan_apply(const struct plan *plan, plan_place place, struct context *context);
/* Carries out an operation that its code left to the dispatcher (LEAVE_PLAN). With PLAN_SOME the
 * code may have done it already and left only to have its clock reads evaluated, or to resume a
 * passage that waited (passages.h). */
void plan_apply_left(const struct plan *plan, struct context *context);
