/* Code of transfers between functions (contexts.h): a comparison or two, a load, a counter. The
 * first passage of each is left to the dispatcher. */
#pragma once

#include "walk/count/contexts.h"
#include "walk/emit/plan_room.h"

/* Emits a transfer; no register or flag of the program changes. */
void contexts_emit(const struct contexts *contexts, uint32_t transfer, struct code_cursor *hot,
                   struct code_cursor *cold, const struct plan_room *room);

/* In context.exit, when the code leaves (LEAVE_PLAN): a transfer, not an operation. */
#define CONTEXTS_LEFT (UINT32_C(1) << 31)
