/* The loops of one function, as items. */
#pragma once

#include "analysis/counts/items.h"

/* Those that any side has seen to go round, or to be entered. `flows`: one for each side. */
void items_list_loops(struct items *items, const struct scene *scene,
                      const struct scene_function *function, const struct cfg *cfg,
                      const struct flow *flows);
