/* The control flow graph of an annotated function, to be drawn: blocks with their heat, edges with
 * their probabilities, of large functions the hottest ones. */
#pragma once

#include "analysis/report/annotate.h"

struct graph_block {
    block_id block; /* of the annotation's graph */
    struct svma at, last;
    uint32_t instructions, bytes;
    bool entry;
    bool leaves;                        /* returns, or jumps out of the function */
    uint32_t more_in, more_out;         /* edges that are not drawn */
    struct estimate share, time, count; /* not a number: not known */
    const char *file;                   /* of its first instruction; NULL: not known */
    uint32_t first_line, last_line;     /* the smallest and the largest of that file */
    double heat;                        /* 0 to 1: of the hottest block */
};

struct graph_edge {
    uint32_t from, to;                  /* of the blocks that are drawn */
    uint8_t kind;                       /* enum cfg_edge_kind */
    bool back;                          /* to a block that does not stand behind it in the code */
    struct estimate count, probability; /* of what leaves the block */
};

struct block_graph {
    const struct annotation *annotation;
    VEC(struct graph_block); /* by address */
    struct graph_edges {
        VEC(struct graph_edge); /* by from, then to */
    } edges;
    size_t all_blocks, all_edges; /* of the function, but for padding */
};

/* The `blocks` hottest blocks and the entry; edges between them, at most four times as many, the
 * most frequent first. 0: all. */
void block_graph_make(struct block_graph *graph, const struct annotation *annotation,
                      size_t blocks);
void block_graph_release(struct block_graph *graph);
