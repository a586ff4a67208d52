/* The pieces of a binary's code and whence control comes to each: what trails are looked for in
 * (paths/trail.h). */
#pragma once

#include "paths/trail.h"

#include <stddef.h>

struct image;
struct symbols;

/* Control that was seen to go from one instruction to another, how often: branches both ways,
 * calls, returns. Indirect ones are known by it alone. from 0: from code that is not the binary's.
 */
struct trail_seen {
    struct svma from, to;
    uint64_t count;
};

void trail_build(struct trail_graph *graph, const struct image *image,
                 const struct symbols *symbols, const struct trail_seen *seen, size_t n_seen);
void trail_graph_release(struct trail_graph *graph);
