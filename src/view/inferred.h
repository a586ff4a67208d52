/* Counts of one function made consistent: what infer/ says of them, put in their place. */
#pragma once

#include "infer/infer.h"
#include "view/flow.h"

/* Blocks, edges, entries and bodies. Deviations stay those of what was seen; a count that was not seen at all is known
 * to itself. What the profile counted exactly, and consistently, stays as it is. */
void flow_infer(struct flow *flow, const struct scene *scene, const struct scene_function *function,
                uint32_t side, const struct cfg *cfg, enum infer_method method);
