/* Instructions that were watched on their way through a processor, one by one: hardware's records,
 * or the model's (records/sample.h).
 *
 * Of two that were taken as a pair the second stands right behind the first, and both have the same
 * SAMPLE_PAIR. Beyond that their order says nothing: the file sorts them, and numbers pairs anew.
 */
#pragma once

#include "base/vec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sample;

struct sample_list {
    VEC(struct sample);
};

/* Whether those at index and index + 1 are a pair. */
bool sample_list_pair_at(const struct sample_list *samples, size_t index);
/* modules: those of the other's samples in this profile, by number; all of them are there. */
void sample_list_merge(struct sample_list *into, const struct sample_list *other,
                       const uint32_t *modules, size_t n_modules);
