/* Paths of a function, numbered (Ball and Larus 1996).
 *
 * A path is a walk along edges that never goes back: it begins at a start, or behind an edge that
 * goes back, and ends at an end, or with the next edge that goes back. Edges that go back are those
 * that a depth-first walk, in the order of nodes and edges, finds leading to a node that it has not
 * left yet; in graphs of any kind what remains has no circle. In it stands, for each of them, an
 * arc to the exit; one arc from the entry to each node where a path may begin; and each arc has a
 * value, such that the sum along every path is another number, from 0 to `total` less one.
 *
 * Where a node would begin more than `limit` paths, nodes behind it are cut, those first that are
 * expected to run least: all their edges are made such that paths end there. They are told
 * (`cuts`).
 *
 * The same graph and limit give the same numbers always: who decodes needs nothing but the code. */
#pragma once

#include "paths/path_graph.h"

/* More than this no node begins: two such are still 64 bits. Where the starts of a function have
 * more together, its limit is less. */
#define PATHS_LIMIT (UINT64_C(1) << 62)

#define ARC_NONE UINT32_MAX

enum arc_kind {
    ARC_BEGIN, /* entry to a node; of: the node */
    ARC_STEP,  /* along an edge; of: the edge */
    ARC_BREAK, /* an edge to the exit: the path ends with it, and its target begins another */
    ARC_END,   /* an end to the exit; of: the end */
};

struct arc {
    uint32_t from, to;
    uint32_t of;
    uint8_t kind; /* enum arc_kind */
    uint64_t value;
    uint64_t weight; /* how often it is expected to be taken */
};

struct path_numbering {
    uint32_t n;           /* nodes of the graph; then come: */
    uint32_t entry, exit; /* n, n + 1 */
    struct numbering_arcs {
        VEC(struct arc); /* by from; of a node in the order of edges, then ends */
    } arcs;
    uint32_t *first;  /* of each node and the entry, and one more: its arcs in arcs */
    uint32_t *begins; /* of each node: the arc from the entry, or ARC_NONE */
    uint32_t *order;  /* nodes, each before all that it has arcs to */
    uint64_t *paths;  /* of each node: how many begin there */
    bool *back;       /* of each edge of the graph: paths end with it */
    uint64_t total;   /* of the function */
    struct numbering_cuts {
        VEC(uint32_t); /* nodes, as they were cut */
    } cuts;
};

/* Marks nodes of the graph as starts that nothing else leads to. */
void number_paths(struct path_numbering *numbering, struct path_graph *graph, uint64_t limit);
void numbering_release(struct path_numbering *numbering);

/* The arc of an edge, STEP or BREAK. */
uint32_t numbering_arc(const struct path_numbering *numbering, const struct path_graph *graph,
                       uint32_t edge);
