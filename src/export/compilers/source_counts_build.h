/* How counts by place of the source are put together, by lines or by probes. */
#pragma once

#include "export/compilers/source_counts.h"

void source_counts_begin(struct source_counts *counts);
/* Makes one order of everything, and tells each body which part is its own. */
void source_counts_sort(struct source_counts *counts);
/* Forgets what only building needs. */
void source_counts_end(struct source_counts *counts);

/* The number of a name as the dialect has it; BODY_NONE: nothing. */
uint32_t source_name_add(struct source_counts *counts, const char *linkage);
/* Each is made if it is not there yet. */
uint32_t source_body_add(struct source_counts *counts, uint32_t parent, struct source_place site,
                         uint32_t name);
struct source_sample *source_sample_add(struct source_counts *counts, uint32_t body,
                                        struct source_place place);
void source_target_add(struct source_counts *counts, const struct source_target *target);
/* The name of the function that starts there; BODY_NONE: none that debug information knows. */
uint32_t source_entry_find(struct source_counts *counts, uint64_t at);
