/* Emits the count of a path by its number (PLAN_COUNT_PATH) in the thread's table. */
#pragma once

#include "walk/emit/plan_taken.h"

/* If the path is at the first place it is looked for; else the dispatcher counts it. Needs rorx. */
void plan_table_emit(struct taken *t, const struct plan *plan, const struct wire_plan *operation,
                     struct plan_path *path);
