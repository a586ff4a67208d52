/* Code that counts a path by its number (PLAN_COUNT_PATH) in the thread's table. */
#pragma once

#include "walk/emit/plan_taken.h"

/* In the thread's table, if it lies there where it is looked for first; else the dispatcher does
 * it. Needs rorx. */
void plan_table_emit(struct taken *t, const struct plan *plan, const struct wire_plan *operation,
                     struct plan_path *path);
