/* Instructions that were followed through the pipeline, one by one: records of hardware or of the
 * model (records/sample.h).
 *
 * The second of a pair comes right after the first; both have the same SAMPLE_PAIR. Otherwise the
 * order means nothing: the file sorts them and numbers pairs anew. */
#pragma once

#include "base/vec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sample;

struct sample_list {
    VEC(struct sample);
};

/* Whether the samples at index and index + 1 are a pair. */
bool sample_list_pair_at(const struct sample_list *samples, size_t index);
/* modules: the index in this profile of each module of the other. */
void sample_list_merge(struct sample_list *into, const struct sample_list *other,
                       const uint32_t *modules, size_t n_modules);
