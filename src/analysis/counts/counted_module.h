/* The counted functions of one module: the one source of counts of blocks, edges and entries for
 * reports, exports and carry.
 *
 * Counts of sides that the scene infers are made consistent (inferred.h). That needs all functions
 * of the module at once: opening the module builds them, on all cores, and they stay in memory
 * until they are dropped. Otherwise a function is built when it is taken. */
#pragma once

#include "analysis/counts/inferred.h"

struct counted_module {
    const struct scene *scene;
    uint32_t module;
    struct counted_functions functions;     /* those that the scene shows */
    bool inferred[SIDES_MAX];               /* sides with consistent counts */
    struct inference inferences[SIDES_MAX]; /* theirs */
};

/* The module has a binary. `inferred`: as the scene says; else all counts stay as recorded. */
void counted_module_open(struct counted_module *counted, const struct scene *scene, uint32_t module,
                         bool inferred);
void counted_module_close(struct counted_module *counted);

/* The function at `index` of `functions`, with graph and counts, until it is dropped. */
const struct counted_function *counted_module_take(struct counted_module *counted, size_t index);
/* Frees its graph and counts. A function is taken and dropped once. */
void counted_module_drop(struct counted_module *counted, size_t index);
