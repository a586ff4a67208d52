/* Builds the graph of a function: decodes it, finds its jump tables, makes blocks and edges. */
#pragma once

#include "program/cfg/cfg.h"
#include "program/symbols/symbols.h"

struct image;

/* Control that was seen to arrive. */
struct cfg_seen {
    struct svma from, to; /* from: the branch, or 0 when not known */
    bool returned;        /* by a return: a target only if no call stands before it */
};

void cfg_build(struct cfg *cfg, const struct image *image, const struct symbols *symbols,
               function_id function, const struct cfg_seen *seen, size_t n_seen);
