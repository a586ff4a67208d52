/* What is known, where code is made, of the register of a plan (wire/plan.h).
 *
 * Superblocks have one entry, so that behind a PLAN_SET what is in the register is a constant, and
 * what is added to it one sum: neither takes code. Memory, context.path, is made true where
 * somebody reads it: on ways out to code that does not know it, and when the dispatcher or a signal
 * comes between. */
#pragma once

#include "walk/count/plan.h"

#include <stdbool.h>
#include <stdint.h>

struct plan_path {
    uint64_t value; /* known: of the register; else what context.path lacks of it */
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

/* Behind an operation, and behind all of a place. */
struct plan_path path_behind(struct plan_path path, const struct wire_plan *operation);
struct plan_path plan_follow(const struct plan *plan, plan_place place, struct plan_path path);
/* On arrival at an instruction: nothing needs to be known where the first that is done is to set
 * it. */
struct plan_path plan_enter(const struct plan *plan, uint64_t pc, struct plan_path path);
