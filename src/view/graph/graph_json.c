#include "view/graph/graph_views.h"

#include "view/graph/graph_layout.h"
#include "view/head.h"

#include <math.h>

static struct estimate rounded(struct estimate estimate)
{
    return (struct estimate){round(estimate.value), round(estimate.lo), round(estimate.hi)};
}

static double pixel(double x)
{
    return round(10 * x) / 10 + 0; /* no -0 */
}

static void block_json(struct json *json, const struct block_graph *graph, size_t i,
                       const struct graph_layout *layout)
{
    const struct graph_block *block = &graph->at[i];
    const struct annotation *annotation = graph->annotation;
    struct scene *scene = annotation->report->scene;
    json_object(json, NULL);
    json_integer(json, "id", i);
    json_string(json, "address", address_text(scene, annotation->row->module, block->at.v));
    json_string(json, "last", address_text(scene, annotation->row->module, block->last.v));
    json_integer(json, "instructions", block->instructions);
    json_integer(json, "size", block->bytes);
    json_string(json, "file", block->file ? block->file : "[unknown]");
    json_integer(json, "line", block->first_line);
    json_integer(json, "line_last", block->last_line);
    json_bool(json, "entry", block->entry);
    json_bool(json, "leaves", block->leaves);
    estimate_json(json, "count", "lo", "hi", rounded(block->count));
    estimate_json(json, "share", "share_lo", "share_hi", block->share);
    estimate_json(json, "time", "time_lo", "time_hi", block->time);
    json_number(json, "heat", block->heat);
    json_integer(json, "more_in", block->more_in);
    json_integer(json, "more_out", block->more_out);
    if (layout) {
        json_number(json, "x", pixel(layout->boxes[i].x));
        json_number(json, "y", pixel(layout->boxes[i].y));
        json_number(json, "width", pixel(layout->boxes[i].w));
        json_number(json, "height", pixel(layout->boxes[i].h));
    }
    json_object_end(json);
}

static void edge_json(struct json *json, const struct block_graph *graph, size_t i,
                      const struct graph_layout *layout)
{
    const struct graph_edge *edge = &graph->edges.at[i];
    json_object(json, NULL);
    json_integer(json, "from", edge->from);
    json_integer(json, "to", edge->to);
    json_string(json, "kind", cfg_edge_kind_name((enum cfg_edge_kind)edge->kind));
    json_bool(json, "back", edge->back);
    estimate_json(json, "count", "lo", "hi", rounded(edge->count));
    estimate_json(json, "probability", "probability_lo", "probability_hi", edge->probability);
    if (layout) {
        struct graph_route route = layout->routes[i];
        json_array(json, "points");
        for (size_t k = 0; k < route.n; k++) {
            json_number(json, NULL, pixel(layout->points.at[route.first + k].x));
            json_number(json, NULL, pixel(layout->points.at[route.first + k].y));
        }
        json_array_end(json);
    }
    json_object_end(json);
}

void graph_json(FILE *to, const struct block_graph *graph, const struct graph_layout *layout,
                const char *why)
{
    const struct report *report = graph->annotation->report;
    const struct report_row *row = graph->annotation->row;
    struct json json;
    json_begin(&json, to);
    head_json(&json, "graph", report->scene, 0, BY_BLOCK, report->weight, report->stray);
    json_string(&json, "function", scene_readable(report->scene, row->name));
    json_string(&json, "linkage", row->name);
    json_string(&json, "address", address_text(report->scene, row->module, row->at));
    json_integer(&json, "all_blocks", graph->all_blocks);
    json_integer(&json, "all_edges", graph->all_edges);
    json_string(&json, "layout", layout ? "dot" : "none");
    json_string(&json, "layout_why", why ? why : "");
    json_number(&json, "width", layout ? pixel(layout->width) : (double)NAN);
    json_number(&json, "height", layout ? pixel(layout->height) : (double)NAN);
    json_array(&json, "rows");
    for (size_t i = 0; i < graph->n; i++)
        block_json(&json, graph, i, layout);
    json_array_end(&json);
    json_array(&json, "edges");
    for (size_t i = 0; i < graph->edges.n; i++)
        edge_json(&json, graph, i, layout);
    json_array_end(&json);
    json_object_end(&json);
    json_end(&json);
}
