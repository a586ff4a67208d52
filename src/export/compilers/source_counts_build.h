/* How counts by place of the source are put together, by lines or by probes. */
#pragma once

#include "export/compilers/source_counts.h"
#include "program/symbols/symbols.h"

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
/* Whose code it is, whatever is inlined there; BODY_NONE: debug information does not say. */
uint32_t source_function_name(struct source_counts *counts, uint64_t at);
/* Where an instruction comes from; false: debug information does not say. */
bool source_spot_find(struct source_counts *counts, uint64_t at, uint32_t *ret_body,
                      struct source_place *ret_place);
/* A block's counts, to the places that its code comes from. */
void source_block_add(struct source_counts *counts, const struct code_block *block);

/* Of branch records: of functions in which a run begins, all that did not run has 0. */
void source_unrecorded_add(struct source_counts *counts);
/* Whether the function that debug information calls so begins there, to llvm-profgen: a symbol of
 * another name does not say so, unless the function is in one piece. */
bool source_entry_believed(struct source_counts *counts, function_id function, uint32_t name);
