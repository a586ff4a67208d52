/* What functions take of the CPU time as it was measured, which knows what the model does not:
 * misses of loads without addresses, for one. A change can gain no more than what it touches takes.
 */
#pragma once

#include "analysis/counts/estimate.h"
#include "analysis/counts/scene.h"
#include "base/map.h"
#include "base/vec.h"

struct whatif_measured {
    struct map functions; /* module of the scene, and function */
    VEC(struct quantity);
};

void measured_begin(struct whatif_measured *measured);
void measured_add(struct whatif_measured *measured, uint32_t module, function_id function,
                  const struct quantity *body);
/* All functions of the scene. */
void measured_make(struct whatif_measured *measured, const struct scene *scene);
void measured_release(struct whatif_measured *measured);
/* What ran in the function; nothing if it was not seen. */
struct quantity measured_of(const struct whatif_measured *measured, uint32_t module,
                            function_id function);
/* A part of the modelled cycles was gained in code that takes `part` of them; of the user time it
 * takes `share`. */
struct estimate measured_gain(struct estimate gain, double part, struct estimate share);
