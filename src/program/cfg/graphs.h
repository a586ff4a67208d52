/* The graphs of all functions of a binary, kept small: what is left of each when its instructions
 * are forgotten. Built by all cores; the same whatever their number.
 *
 * Addresses are 32 bits, counted from `base`. A block's edges are a row: from the block's
 * first_edge to the next block's. Instructions, and what was seen, are cfg_build's to give. */
#pragma once

#include "program/cfg/cfg.h"

#include <stddef.h>

struct image;
struct symbols;

struct graph_block {
    uint32_t start;
    uint32_t bytes;
    uint32_t instructions : 24;
    uint32_t last_bytes : 8; /* of its last instruction */
    uint32_t first_edge;
};
struct graph_edge {
    uint32_t to : 28;  /* block of the same function */
    uint32_t kind : 4; /* enum cfg_edge_kind */
};
struct graph_exit {
    uint32_t from, to; /* to: UINT32_MAX when unresolved, or out of reach of 32 bits */
    uint8_t kind;      /* enum instruction_kind */
    uint8_t reason;    /* enum cfg_reason, when unresolved */
    bool unresolved;
};

/* One function. Arrays live as long as the graphs; there is one block more than n_blocks, whose
 * first_edge is n_edges. */
struct graph {
    const struct graph_block *blocks; /* by start */
    const struct graph_edge *edges;
    const struct graph_exit *exits; /* by from, to */
    uint32_t n_blocks, n_edges, n_exits;
    uint32_t undecoded;
    uint32_t entry; /* block, or BLOCK_NONE */
};

struct graphs {
    struct svma base;
    size_t n;                    /* functions */
    struct graph *at;            /* by function_id */
    struct graph_memory *memory; /* of each shard of functions */
    size_t n_shards;
    uint64_t instructions, blocks, edges, exits;
    uint64_t tables;                   /* indirect jumps that are resolved */
    uint64_t unresolved[REASON_KINDS]; /* indirect jumps that are not, by reason */
};

void graphs_build(struct graphs *graphs, const struct image *image, const struct symbols *symbols);
void graphs_release(struct graphs *graphs);

static inline struct svma graph_address(const struct graphs *graphs, uint32_t offset)
{
    return (struct svma){graphs->base.v + offset};
}
