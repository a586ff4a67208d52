/* gait graph: the control flow graph of a function, with heat and probabilities. */
#include "analysis/graph/block_graph.h"
#include "analysis/report/pick.h"
#include "base/err.h"
#include "base/vec.h"
#include "cmd/cmd.h"
#include "cmd/options/function_view.h"
#include "layout/graphviz.h"
#include "view/graph/graph_layout.h"
#include "view/graph/graph_views.h"
#include "view/head.h"

#include <stdio.h>
#include <stdlib.h>

/* Graphviz takes a third of a second for so many; a person sees no more of more. */
enum { BLOCKS_USUAL = 100 };

enum format { FORMAT_TEXT, FORMAT_DOT, FORMAT_SVG };

struct options {
    struct view_options view;
    struct function_view function;
    uint32_t blocks; /* 0: all */
    enum format format;
};

static const struct flag flags[] = {
    VIEW_INPUT,
    {"format", 0, "FORMAT", "text, dot or svg", " (text); svg needs Graphviz",
     TAKE(word, struct options, format)},
    {"blocks", 0, "N", NULL, "at most so many blocks, the hottest (100); 0: all",
     TAKE(u32, struct options, blocks)},
    VIEW_WEIGHT(" (time for sampled and plain profiles)"),
    VIEW_MODULE("functions of this module only"),
    VIEW_TIME,
    VIEW_EVENT,
    VIEW_PID("this process only"),
    VIEW_TID("this thread only"),
    VIEW_JSON("as JSON, schema gait/graph/1, with the places where Graphviz puts blocks"),
    VIEW_OUTPUT,
    {0},
};

static const struct command_line this_command = {
    .usage = "usage: gait graph [options] FUNCTION [FILE]\n\nShows the control flow graph of a "
             "function: blocks with their cost, edges with their\nprobabilities (gait.data). "
             "FUNCTION: a name, or MODULE+0xADDRESS.\n",
    .flags = flags,
    .also = view_flags,
};

static bool svg_write(const struct block_graph *graph, struct err *err)
{
    char *dot = NULL, *svg;
    size_t bytes;
    FILE *to = open_memstream(&dot, &bytes);
    graph_dot(to, graph);
    fclose(to);
    bool good = graphviz_render(dot, "svg", &svg, err);
    free(dot);
    if (!good)
        return false;
    fputs(svg, stdout);
    graphviz_free(svg);
    return true;
}

/* Without Graphviz there is the graph, and why it is not laid out. */
static void json_write(const struct block_graph *graph)
{
    struct graph_layout layout;
    struct err why;
    bool there = graph_layout_make(&layout, graph, &why);
    graph_json(stdout, graph, there ? &layout : NULL, there ? NULL : why.text);
    if (there)
        graph_layout_release(&layout);
}

static bool graph_show(const struct options *options, const struct block_graph *graph,
                       struct err *err)
{
    const struct report *report = graph->annotation->report;
    if (options->view.json) {
        json_write(graph);
        return true;
    }
    if (options->format == FORMAT_SVG)
        return svg_write(graph, err);
    if (options->format == FORMAT_DOT) {
        graph_dot(stdout, graph);
        return true;
    }
    struct ink ink = output_begin(&options->view);
    head_text(stdout, report->scene, 0);
    graph_text(stdout, graph, &ink);
    losses_text(stdout, report->scene, 0, report->stray);
    return true;
}

static bool report_show(struct report *report, void *of, struct err *err)
{
    const struct options *options = of;
    const struct report_row *row = pick_function(report, options->function.typed, err);
    struct annotator annotator;
    struct annotation annotation;
    if (!row)
        return false;
    annotator_begin(&annotator, report, &row, 1, ASSEMBLY_ATT);
    bool good = annotation_make(&annotation, &annotator, row, err);
    if (good) {
        struct block_graph graph;
        block_graph_make(&graph, &annotation, options->blocks);
        good = graph_show(options, &graph, err);
        block_graph_release(&graph);
        annotation_release(&annotation);
    }
    annotator_end(&annotator);
    return good;
}

int cmd_graph(int argc, char **argv)
{
    struct options options = {.blocks = BLOCKS_USUAL,
                              .function = {.command = "graph FUNCTION", .show = report_show}};
    struct err err;
    if (!flags_parse(&this_command, &options, argc, argv, &err) ||
        !function_view_words(&options.view, &options.function, argc, argv, &err))
        return say_err(&err);
    if (!options.function.typed) {
        err_set(&err, ERR_USAGE, "expected a function: gait graph FUNCTION [FILE]");
        return say_err(&err);
    }
    return function_view_run(&options.view, &options.function, &options);
}
