/* The loops of one function, as items. */
#pragma once

#include "analysis/counts/counted.h"
#include "analysis/counts/items.h"

/* Those that any side has seen to go round, or to be entered. */
void items_list_loops(struct items *items, const struct scene *scene,
                      const struct counted_function *function);
