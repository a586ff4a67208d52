/* Counts paths in the node of the current context (wire/plan.h, PLAN_IN_NODE). */
#pragma once

#include "walk/count/plan.h"
#include "walk/emit/plan_room.h"

/* Emits one count. With `bits`: of context.path plus the value; else of the value alone. If the
 * node is another function's, the code leaves `left` to the dispatcher, the path in
 * context.left_path. No register or flag of the program changes. */
void node_count_emit(const struct wire_plan *operation, uint32_t left, struct code_cursor *c,
                     const struct plan_room *room, bool flags_free);
/* The same for a path that is counted by its number (PLAN_COUNT_PATH); `register_value` is in the
 * register. False: it has no counter. */
bool node_count_known_emit(const struct plan *plan, const struct wire_plan *operation,
                           uint32_t left, uint64_t register_value, struct code_cursor *c,
                           const struct plan_room *room, bool flags_free);
