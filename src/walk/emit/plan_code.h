/* Operations of a plan (wire/plan.h) as code.
 *
 * What is put by lies in the shadow of the stack: four words for each aligned one of the stack,
 * found by the low 32 bits of the stack pointer. So every frame has its own, whoever never returns
 * needs no tidying up, and memory is touched where the stack is. */
#pragma once

#include "walk/context.h"
#include "walk/emit/emit.h"
#include "walk/emit/plan_path.h"
#include "walk/cache/region.h"

#include <stdbool.h>

/* No operation's code is longer. */
enum { PLAN_CODE_BYTES = 600 };

/* What the code may use that stands at a place. */
struct plan_room {
    const struct regions *regions;
    struct cursor *cold; /* for what is hardly ever done */
    uint64_t pc;         /* the program's instruction that comes next */
    bool free;           /* %rcx and %r11 are in their slots already */
    bool rotates;        /* the CPU has rorx */
};

/* Code that carries them out; no register or flag of the program's changes. `path`: what is known
 * before, and then behind. */
void plan_emit(const struct plan *plan, plan_place place, struct cursor *c,
               const struct plan_room *room, struct plan_path *path);
/* Code that makes context.path true. */
void plan_settle(struct cursor *c, const struct plan_room *room, struct plan_path *path);
