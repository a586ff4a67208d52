/* The control flow graph of a function, as text, DOT and JSON. */
#pragma once

#include <stdio.h>

struct block_graph;
struct err;
struct graph_layout;
struct ink;

void graph_text(FILE *to, const struct block_graph *graph, const struct ink *ink);
/* For Graphviz, with labels and colours. */
void graph_dot(FILE *to, const struct block_graph *graph);
/* layout: NULL: there is none, and `why` says why. */
void graph_json(FILE *to, const struct block_graph *graph, const struct graph_layout *layout,
                const char *why);
