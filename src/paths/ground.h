/* The graph of a function's code: what its nodes, edges and ends are in the binary.
 *
 * Nodes are the blocks of its graph (program/cfg/cfg.h), but behind a call of setjmp and its kind
 * another node begins: control comes there several times, and each time begins a path. Paths begin,
 * too, where nothing is seen to lead to: at landing pads, and where a jump may go that is not
 * understood. Jumps that share one table are the handlers of an interpreter: each is an end, each
 * of their targets a start, and a path is one handler; numbered along, they would be without
 * number.
 *
 * What depends on a run is not in it: the same binary has the same ground. */
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
    uint32_t edge; /* of the cfg; EDGE_NONE: goes on behind a call that returns twice */
};
struct ground_end {
    struct svma
        to; /* 0: whatever its last instruction does, else the path ends only if it leads there */
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
    bool threaded; /* it has handlers that jump to each other: paths end where Ball and Larus would
                      let them go on */
    bool unsure;   /* a jump may lead into the middle of a path: what is counted then is no path's
                      number, or a wrong one's */
};

/* False: there is no code. `arrivals`, sorted: where control comes from other functions, besides
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
/* How many instructions run when the node does: a trap, always its last, faults instead. */
static inline uint32_t ground_ran(const struct ground *ground, const struct cfg *cfg, uint32_t node)
{
    bool traps = ground_last(ground, cfg, node)->kind == INSTRUCTION_TRAP;
    return ground->nodes.at[node].n - traps;
}
