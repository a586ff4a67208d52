#include "view/graph/graph_layout.h"

#include "base/err.h"
#include "layout/graphviz.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Pixels of a block as the page draws it, and per inch, which Graphviz counts in. */
enum { BLOCK_WIDTH = 172, BLOCK_HEIGHT = 48, INCH = 72 };

/* ---- what Graphviz is given: no names, so that none can do harm */

/* Frequent edges are to be short and straight. */
static int weight_of(const struct graph_edge *edge)
{
    return edge->count.value > 1 ? 1 + (int)log2(edge->count.value) / 2 : 1;
}

static char *dot_make(const struct block_graph *graph)
{
    char *text = NULL;
    size_t bytes;
    FILE *to = open_memstream(&text, &bytes);
    fprintf(to,
            "digraph { graph [nodesep=0.25 ranksep=0.4 nslimit=8 mclimit=0.5]\n"
            "node [shape=box fixedsize=true label=\"\" width=%.3f height=%.3f]\n",
            (double)BLOCK_WIDTH / INCH, (double)BLOCK_HEIGHT / INCH);
    for (size_t i = 0; i < graph->n; i++)
        fprintf(to, "n%zu\n", i);
    for (size_t i = 0; i < graph->edges.n; i++) {
        const struct graph_edge *edge = &graph->edges.at[i];
        const struct graph_edge *before = i ? edge - 1 : NULL;
        if (!before || before->from != edge->from || before->to != edge->to)
            fprintf(to, "n%u -> n%u [weight=%d]\n", edge->from, edge->to, weight_of(edge));
    }
    fputs("}\n", to);
    fclose(to);
    return text;
}

/* ---- what it answers, in its format "plain": lines of words, inches from the lower left corner */

struct words {
    const char *at;
};

static double number_take(struct words *words)
{
    char *end;
    double value = strtod(words->at, &end);
    words->at = end;
    return isfinite(value) ? value : 0;
}

/* "n12"; the number of blocks if it is none. */
static size_t block_take(struct words *words, size_t blocks)
{
    char *end;
    words->at += strspn(words->at, " ");
    if (*words->at != 'n')
        return blocks;
    unsigned long block = strtoul(words->at + 1, &end, 10);
    words->at = end;
    return block < blocks ? block : blocks;
}

static void node_take(struct graph_layout *layout, const struct block_graph *graph,
                      struct words words)
{
    size_t block = block_take(&words, graph->n);
    double x = INCH * number_take(&words), y = INCH * number_take(&words);
    double w = INCH * number_take(&words), h = INCH * number_take(&words);
    if (block < graph->n)
        layout->boxes[block] = (struct graph_box){x - w / 2, layout->height - y - h / 2, w, h};
}

static void edge_take(struct graph_layout *layout, const struct block_graph *graph,
                      struct words words)
{
    size_t from = block_take(&words, graph->n), to = block_take(&words, graph->n);
    size_t n = (size_t)fmax(number_take(&words), 0);
    struct graph_route route = {layout->points.n, n};
    for (size_t i = 0; i < n && *words.at; i++) {
        double x = INCH * number_take(&words), y = INCH * number_take(&words);
        *vec_push(&layout->points) = (struct graph_point){x, layout->height - y};
    }
    for (size_t i = 0; i < graph->edges.n && layout->points.n == route.first + n; i++)
        if (graph->edges.at[i].from == from && graph->edges.at[i].to == to)
            layout->routes[i] = route;
}

static void plain_read(struct graph_layout *layout, const struct block_graph *graph,
                       const char *text)
{
    for (const char *line = text; line; line = strchr(line, '\n'), line = line ? line + 1 : NULL) {
        if (strncmp(line, "graph ", 6) == 0) {
            struct words words = {line + 6};
            number_take(&words); /* the scale, which is 1 */
            layout->width = INCH * number_take(&words);
            layout->height = INCH * number_take(&words);
        } else if (strncmp(line, "node ", 5) == 0) {
            node_take(layout, graph, (struct words){line + 5});
        } else if (strncmp(line, "edge ", 5) == 0) {
            edge_take(layout, graph, (struct words){line + 5});
        }
    }
}

bool graph_layout_make(struct graph_layout *layout, const struct block_graph *graph,
                       struct err *err)
{
    char *dot = dot_make(graph), *plain;
    bool good = graphviz_render(dot, "plain", &plain, err);
    free(dot);
    *layout = (struct graph_layout){0};
    if (!good)
        return false;
    layout->boxes = mem_alloc((graph->n + 1) * sizeof *layout->boxes);
    layout->routes = mem_alloc((graph->edges.n + 1) * sizeof *layout->routes);
    plain_read(layout, graph, plain);
    graphviz_free(plain);
    return true;
}

void graph_layout_release(struct graph_layout *layout)
{
    mem_free(layout->boxes);
    mem_free(layout->routes);
    vec_release(&layout->points);
}
