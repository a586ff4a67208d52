/* What functions cost with all that they called, of a traced exact profile (profile->call_costs):
 * executed instructions, counted once under recursion. */
#pragma once

#include "analysis/counts/scene.h"

struct inclusive {
    struct map keys; /* module of the scene, start of the function */
    VEC(uint64_t);   /* instructions */
};

void inclusive_make(struct inclusive *inclusive, const struct scene *scene, uint32_t side);
void inclusive_release(struct inclusive *inclusive);
/* false: it was not seen to be called. */
bool inclusive_find(const struct inclusive *inclusive, uint32_t module, uint64_t start,
                    uint64_t *ret_instructions);
