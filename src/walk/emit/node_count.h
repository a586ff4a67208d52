/* Paths counted in the node of the current context (wire/plan.h, PLAN_IN_NODE). */
#pragma once

#include "walk/count/plan.h"
#include "walk/emit/plan_room.h"

/* Code that counts one: of `bits`, what is in context.path and the value; else the value alone.
 * `left`: what the dispatcher is told, should the node be another function's; the path is then in
 * context.left_path. No register or flag of the program's changes. */
void node_count_emit(const struct wire_plan *operation, uint32_t left, struct code_cursor *c,
                     const struct plan_room *room, bool flags_free);
/* The same of a path that is counted by its number (PLAN_COUNT_PATH), `register_value` being what
 * is in the register. False: it has no counter. */
bool node_count_known_emit(const struct plan *plan, const struct wire_plan *operation,
                           uint32_t left, uint64_t register_value, struct code_cursor *c,
                           const struct plan_room *room, bool flags_free);
