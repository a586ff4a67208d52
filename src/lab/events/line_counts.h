/* Counts by source line, as a profile for compilers has them, and back to blocks (Chen et
 * al., 2.2).
 *
 * A line runs as often as the block of it that runs most often: it may be in several, and copies of
 * it are not told apart. A block runs as often as its lines say on average. What a line cannot tell
 * is lost on the way: two blocks of one line, code without a line, copies. */
#pragma once

#include "analysis/counts/flow.h"

struct line_counts {
    const struct lines *lines;
    struct map keys; /* of struct line_key; index i has at[i] */
    VEC(uint64_t);
};

void line_counts_open(struct line_counts *counts, struct binary *binary);
void line_counts_close(struct line_counts *counts);
/* False: the module has no lines at all. */
bool line_counts_known(const struct line_counts *counts);
/* One more function; all of a module come before the first question. */
void line_counts_add(struct line_counts *counts, const struct cfg *cfg, const struct flow *flow);
/* What the lines of a block say of it; 0: it has none. */
uint64_t line_counts_block(const struct line_counts *counts, const struct cfg *cfg, block_id block);
