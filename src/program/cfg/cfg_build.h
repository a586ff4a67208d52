/* Builds the graph of a function: decodes it, finds its jump tables, makes blocks and edges. */
#pragma once

#include "program/cfg/cfg.h"
#include "program/symbols/symbols.h"

struct image;

/* A recorded branch or return. */
struct cfg_seen {
    struct svma from, to; /* from: the branch, or 0 if not known */
    bool returned;        /* a return: makes a block only if no call precedes its target */
};

void cfg_build(struct cfg *cfg, const struct image *image, const struct symbols *symbols,
               function_id function, const struct cfg_seen *seen, size_t n_seen);
