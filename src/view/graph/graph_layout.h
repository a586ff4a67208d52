/* Where Graphviz puts the blocks and edges of a graph. */
#pragma once

#include "analysis/graph/block_graph.h"

/* Pixels, from the upper left corner. */
struct graph_box {
    double x, y, w, h;
};
struct graph_point {
    double x, y;
};
struct graph_route {
    size_t first, n; /* of points: ends and handles of Bezier curves, 3k + 1; 0: not drawn */
};

struct graph_layout {
    double width, height;
    struct graph_box *boxes;    /* for each block */
    struct graph_route *routes; /* for each edge */
    struct graph_points {
        VEC(struct graph_point);
    } points;
};

/* False: Graphviz is not there, or fails; the error says what to do. */
bool graph_layout_make(struct graph_layout *layout, const struct block_graph *graph,
                       struct err *err);
void graph_layout_release(struct graph_layout *layout);
