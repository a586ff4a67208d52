/* What is known of a plan's register (wire/plan.h) at translation.
 *
 * Superblocks have one entry, so after a PLAN_SET the register is a constant, and additions are one
 * sum: neither takes code. context.path is stored only where it is read: on the way to code that
 * does not know it, and when the dispatcher or a signal comes between. */
#pragma once

#include "walk/count/plan.h"

#include <stdbool.h>
#include <stdint.h>

struct plan_path {
    uint64_t value; /* if known: of the register; else what must be added to context.path */
    bool known;
};

static inline bool path_settled(const struct plan_path *path)
{
    return !path->known && !path->value;
}

static inline bool path_same(const struct plan_path *a, const struct plan_path *b)
{
    return a->known == b->known && a->value == b->value;
}

/* After an operation, and after all operations of a place. */
struct plan_path path_behind(struct plan_path path, const struct wire_plan *operation);
struct plan_path plan_follow(const struct plan *plan, plan_place place, struct plan_path path);
/* On arrival at an instruction: nothing need be known if its first operation sets the register. */
struct plan_path plan_enter(const struct plan *plan, uint64_t pc, struct plan_path path);
