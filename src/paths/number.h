/* Numbers the paths of a function (Ball and Larus 1996).
 *
 * A path has no back edge. It begins at a start or after a back edge, and ends at an end or with
 * the next back edge. A back edge leads to a node that a depth-first walk, in the order of nodes
 * and edges, has not left yet; so any graph without its back edges is acyclic. In the acyclic graph
 * each back edge becomes an arc to the exit, and each node where paths may begin gets an arc from
 * the entry. Every arc has a value, such that the sum along each path is a different number from 0
 * to `total` - 1.
 *
 * If more than `limit` paths begin at a node, nodes after it are cut, those expected to run least
 * first: all paths end there. `cuts` lists them.
 *
 * The same graph and limit always give the same numbers: decoding needs the code only. */
#pragma once

#include "paths/path_graph.h"

/* At most so many paths begin at a node: two such numbers still fit 64 bits. If the starts of a
 * function have more together, its limit is lower. */
#define PATHS_LIMIT (UINT64_C(1) << 62)

#define ARC_NONE UINT32_MAX

enum arc_kind {
    ARC_BEGIN, /* entry to a node; of: the node */
    ARC_STEP,  /* along an edge; of: the edge */
    ARC_BREAK, /* an edge that ends a path; its target begins another */
    ARC_END,   /* an end to the exit; of: the end */
};

struct arc {
    uint32_t from, to;
    uint32_t of;
    uint8_t kind; /* enum arc_kind */
    uint64_t value;
    uint64_t weight; /* expected executions */
};

struct path_numbering {
    uint32_t n;           /* nodes of the graph; then come: */
    uint32_t entry, exit; /* n, n + 1 */
    struct numbering_arcs {
        VEC(struct arc); /* by from; of a node in the order of edges, then ends */
    } arcs;
    uint32_t *first;  /* first arc of each node and of the entry, and one more */
    uint32_t *begins; /* arc from the entry to each node, or ARC_NONE */
    uint32_t *order;  /* topological order of the nodes */
    uint64_t *paths;  /* paths that begin at each node */
    bool *back;       /* of each edge of the graph: paths end with it */
    uint64_t total;   /* paths of the function */
    struct numbering_cuts {
        VEC(uint32_t); /* nodes, in the order they were cut */
    } cuts;
};

/* Marks as starts the nodes that no edge leads to. */
void number_paths(struct path_numbering *numbering, struct path_graph *graph, uint64_t limit);
void numbering_release(struct path_numbering *numbering);

/* The arc of an edge, STEP or BREAK. */
uint32_t numbering_arc(const struct path_numbering *numbering, const struct path_graph *graph,
                       uint32_t edge);
