/* Operations of a plan (wire/plan.h) as code.
 *
 * What is put by lies in the shadow of the stack: four words for each aligned one of the stack,
 * found by the low 32 bits of the stack pointer. So every frame has its own, whoever never returns
 * needs no tidying up, and memory is touched where the stack is. */
#pragma once

#include "walk/emit/plan_room.h"
#include "walk/count/plan_path.h"

/* No operation's code is longer. */
enum { PLAN_CODE_BYTES = 600 };

/* Code that carries them out; no register or flag of the program's changes. `path`: what is known
 * before, and then behind. */
void plan_emit(const struct plan *plan, plan_place place, struct code_cursor *c,
               const struct plan_room *room, struct plan_path *path);
/* Code that makes context.path true. */
void plan_settle(struct code_cursor *c, const struct plan_room *room, struct plan_path *path);
