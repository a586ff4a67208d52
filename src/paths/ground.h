/* The path graph of a function's code: what its nodes, edges and ends are in the binary.
 *
 * Nodes are the blocks of the control flow graph (program/cfg/cfg.h). A block is split after a call
 * of setjmp and its variants: control may return there several times, and each return begins a
 * path. Paths also begin where no known edge leads: at landing pads and at possible targets of
 * unresolved jumps. Jumps that share one table are the handlers of an interpreter: each is an end
 * and each target a start, so a path is one handler. Otherwise there would be too many paths to
 * number.
 *
 * It depends on the binary alone, not on a run. */
#pragma once

#include "base/vec.h"
#include "paths/path_graph.h"
#include "program/cfg/cfg.h"

struct symbols;

struct ground_node {
    block_id block;
    uint32_t first, n; /* instructions of the cfg */
};
struct ground_edge {
    uint32_t edge; /* of the cfg; EDGE_NONE: continues after a call that returns twice */
};
struct ground_end {
    struct svma to; /* 0: any exit; else the path ends only if control goes there */
};

struct ground {
    struct path_graph graph;
    struct ground_nodes {
        VEC(struct ground_node); /* as graph.nodes */
    } nodes;
    struct ground_edges {
        VEC(struct ground_edge); /* as graph.edges */
    } edges;
    struct ground_ends {
        VEC(struct ground_end); /* as graph.ends */
    } ends;
    bool threaded; /* it has interpreter handlers: their paths end where Ball and Larus would go on
                    */
    bool unsure;   /* a jump may enter the middle of a path: that counts a wrong number */
};

/* False: there is no code. `arrivals`, sorted: where control enters from other functions, besides
 * the entry. */
bool ground_make(struct ground *ground, const struct cfg *cfg, const struct symbols *symbols,
                 const struct svma *arrivals, size_t n_arrivals);
void ground_release(struct ground *ground);

static inline const struct instruction *ground_last(const struct ground *ground,
                                                    const struct cfg *cfg, uint32_t node)
{
    const struct ground_node *at = &ground->nodes.at[node];
    return &cfg->instructions.at[at->first + at->n - 1];
}
static inline const struct instruction *ground_first(const struct ground *ground,
                                                     const struct cfg *cfg, uint32_t node)
{
    return &cfg->instructions.at[ground->nodes.at[node].first];
}
/* Instructions that run with the node. A trap, always the last, faults and does not count. */
static inline uint32_t ground_ran(const struct ground *ground, const struct cfg *cfg, uint32_t node)
{
    bool traps = ground_last(ground, cfg, node)->kind == INSTRUCTION_TRAP;
    return ground->nodes.at[node].n - traps;
}
