/* Emits the operations of a plan (wire/plan.h).
 *
 * Saved values lie in the shadow of the stack: four words for each aligned word of the stack, found
 * by the low 32 bits of the stack pointer. So every frame has its own, calls that never return need
 * no clean-up, and the shadow uses memory only where the stack does. */
#pragma once

#include "walk/emit/plan_room.h"
#include "walk/count/plan_path.h"

/* The most code of one operation. */
enum { PLAN_CODE_BYTES = 600 };

/* Emits the operations of a place; no register or flag of the program changes. `path`: what is
 * known before, then after. */
void plan_emit(const struct plan *plan, plan_place place, struct code_cursor *c,
               const struct plan_room *room, struct plan_path *path);
/* Emits code that stores what is known in context.path. */
void plan_settle(struct code_cursor *c, const struct plan_room *room, struct plan_path *path);
