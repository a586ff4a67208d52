/* Carries the counts of one function to the graph of its new build and makes them consistent
 * there. */
#pragma once

#include "carry/pair.h"
#include "infer/infer.h"

/* What was counted at a block, an edge or an entry that has its partner is taken as seen, the rest
 * is not known. */
void carry_counts(struct infer_problem *problem, const struct carry_pair *pair, uint64_t grain);

/* Writes what was inferred as rows of a profile: runs, branches, direct calls and where they come
 * back to. */
void carry_rows(struct profile *into, uint32_t module, const struct cfg *cfg,
                const struct infer_problem *problem);

/* Sums that say the same as a count with its deviation. */
struct sums carry_sums(const struct profile *profile, uint64_t count, double sd);
