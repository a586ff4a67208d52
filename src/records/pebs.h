/* What Intel's precise sampling tells of an instruction, as Linux hands it on: weights and where
 * data came from. The same two words are filled on other machines; what they mean there is the
 * caller's to know. */
#pragma once

#include "records/bits.h"
#include "records/sample.h"

/* weight: PERF_SAMPLE_WEIGHT, or WEIGHT_STRUCT if split. */
struct pebs {
    bool has_weight, split, has_source;
    uint64_t weight, source; /* source: PERF_SAMPLE_DATA_SRC */
};

void pebs_decode(const struct pebs *pebs, struct sample *sample);
/* Tells every part by the kernel's name for it. */
void pebs_tell(const struct pebs *pebs, const struct bits_listener *listener);
