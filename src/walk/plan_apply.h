/* Operations of a plan (wire/plan.h) carried out without code, by the dispatcher. */
#pragma once

#include "walk/context.h"
#include "walk/plan_path.h"

/* The thread's table of paths (struct wire_path): where one is looked for first, in the quarter of its function, at the sum of the lowest two 16 bits
 * of its number, the salt and the node, modulo PATH_HOMES: what code can tell quickly. Functions with a hundred thousand paths crowd there; who finds
 * no room near by goes behind the quarters, where all bits of the number count. */
enum { PATH_HOMES = 1 << 16, PATH_QUARTERS = 4, PATHS_BEHIND = 1 << 20 };

static inline uint64_t path_slots_at(uint32_t function)
{
    return PATHS_AT + (uint64_t)(function % PATH_QUARTERS) * PATH_HOMES * sizeof(struct wire_path);
}

static inline uint32_t path_salt(uint32_t function)
{
    return function / PATH_QUARTERS * 0x9e37u % PATH_HOMES;
}

/* Makes context.path true, of which that was known. */
void path_apply(struct plan_path path, struct context *context);
/* Carries them out here, where the program stands with the context's registers. */
void plan_apply(const struct plan *plan, plan_place place, struct context *context);
/* One, which its code has left to the dispatcher (LEAVE_PLAN). With PLAN_SOME the code looks at the clock, so that we are not measured: before it
 * leaves, slot_clock; or, where a passage begins or goes on, behind, when path_began is still without it. */
void plan_apply_left(const struct plan *plan, struct context *context);
/* Adds paths of a thread that ends, those in these bytes of its table, to another bank's. */
void paths_merge(struct context *context, uint8_t *bank, uint64_t from, uint64_t to);
