#include "view/graph/graph_views.h"

#include "analysis/graph/block_graph.h"
#include "text/clean.h"
#include "text/ink.h"
#include "view/head.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* ---- text */

static void probability_text(FILE *to, struct estimate probability)
{
    if (isnan(probability.value))
        return;
    fprintf(to, "  %.1f%%", 100 * probability.value);
    if (probability.hi > probability.lo)
        fprintf(to, " (%.1f to %.1f)", 100 * probability.lo, 100 * probability.hi);
}

static void edges_text(FILE *to, const struct block_graph *graph, size_t block)
{
    bool exact = graph->annotation->report->scene->sides[0]->mode == PROFILE_EXACT;
    for (size_t i = 0; i < graph->edges.n; i++) {
        const struct graph_edge *edge = &graph->edges.at[i];
        if (edge->from != block)
            continue;
        fprintf(to, "      -> 0x%" PRIx64 "  %s", graph->at[edge->to].at.v,
                cfg_edge_kind_name((enum cfg_edge_kind)edge->kind));
        probability_text(to, edge->probability);
        if (edge->count.value > 0)
            fprintf(to, "  %s", count_text(edge->count.value, exact));
        fputs(edge->back ? "  (back)\n" : "\n", to);
    }
}

static void block_text(FILE *to, const struct block_graph *graph, size_t i, const struct ink *ink)
{
    const struct graph_block *block = &graph->at[i];
    struct scene *scene = graph->annotation->report->scene;
    const struct profile *profile = scene->sides[0];
    enum ink_tone tone = block->share.value > 0 ? ink_of_share(block->share.value) : INK_PLAIN;
    fprintf(to, "%s0x%" PRIx64 "%s  %s", ink_begin(ink, INK_HEAD), block->at.v,
            ink_end(ink, INK_HEAD),
            number_text(block->instructions, "instruction", "instructions"));
    if (block->share.value > 0)
        fprintf(to, "  %s%s%s", ink_begin(ink, tone), share_text(profile, block->share),
                ink_end(ink, tone));
    if (block->count.value > 0)
        fprintf(to, "  %s times", count_text(block->count.value, profile->mode == PROFILE_EXACT));
    if (block->file && block->first_line)
        fprintf(to, "  %s:%u", text_clean(&scene->arena, base_of(block->file)), block->first_line);
    fprintf(to, "%s%s\n", block->entry ? "  (entry)" : "", block->leaves ? "  (leaves)" : "");
    edges_text(to, graph, i);
    if (block->more_out)
        fprintf(to, "      -> %s not shown\n",
                number_text(block->more_out, "other that is", "others that are"));
}

void graph_text(FILE *to, const struct block_graph *graph, const struct ink *ink)
{
    const struct report *report = graph->annotation->report;
    const struct report_row *row = graph->annotation->row;
    fprintf(to, "\n%s%s%s  %s\n", ink_begin(ink, INK_HEAD), name_text(report->scene, row->name),
            ink_end(ink, INK_HEAD), address_text(report->scene, row->module, row->at));
    for (size_t i = 0; i < graph->n; i++)
        block_text(to, graph, i, ink);
    if (graph->n < graph->all_blocks)
        fprintf(to, "%zu of %zu blocks, the hottest; --blocks N shows more, --blocks 0 all\n",
                graph->n, graph->all_blocks);
}

/* ---- for Graphviz */

/* From white to orange, as the page has it. */
static void colour_text(FILE *to, double heat)
{
    double part = sqrt(heat);
    fprintf(to, "\"#%02x%02x%02x\"", (unsigned)(255 - 25 * part), (unsigned)(255 - 96 * part),
            (unsigned)(255 - 255 * part));
}

/* Inside of quotes: names of files may hold anything. */
static void quoted_text(FILE *to, const char *text)
{
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            fputc('\\', to);
        fputc((unsigned char)*text < ' ' ? '?' : *text, to);
    }
}

static void block_dot(FILE *to, const struct block_graph *graph, size_t i)
{
    const struct graph_block *block = &graph->at[i];
    const struct profile *profile = graph->annotation->report->scene->sides[0];
    fprintf(to, "  n%zu [label=\"0x%" PRIx64, i, block->at.v);
    if (block->file && block->first_line) {
        fputs("\\n", to);
        quoted_text(to, base_of(block->file));
        fprintf(to, ":%u", block->first_line);
    }
    if (block->share.value > 0)
        fprintf(to, "\\n%.2f%%", 100 * block->share.value);
    if (block->count.value > 0)
        fprintf(to, "\\n%s times", count_text(block->count.value, profile->mode == PROFILE_EXACT));
    fputs("\" fillcolor=", to);
    colour_text(to, block->heat);
    fprintf(to, "%s]\n", block->entry ? " penwidth=2" : "");
}

static void edge_dot(FILE *to, const struct graph_edge *edge, double most)
{
    double count = edge->count.value > 0 ? edge->count.value : 0;
    fprintf(to, "  n%u -> n%u [penwidth=%.1f", edge->from, edge->to,
            most > 0 ? 0.6 + 3 * sqrt(count / most) : 1);
    if (!isnan(edge->probability.value))
        fprintf(to, " label=\"%.1f%%\"", 100 * edge->probability.value);
    fprintf(to, "%s]\n", count > 0 || most == 0 ? "" : " style=dashed");
}

void graph_dot(FILE *to, const struct block_graph *graph)
{
    struct scene *scene = graph->annotation->report->scene;
    double most = 0;
    for (size_t i = 0; i < graph->edges.n; i++)
        if (graph->edges.at[i].count.value > most)
            most = graph->edges.at[i].count.value;
    fputs("digraph \"", to);
    quoted_text(to, scene_readable(scene, graph->annotation->row->name));
    fputs("\" {\n  node [shape=box style=filled fontname=monospace fontsize=10]\n"
          "  edge [fontname=monospace fontsize=9]\n",
          to);
    for (size_t i = 0; i < graph->n; i++)
        block_dot(to, graph, i);
    for (size_t i = 0; i < graph->edges.n; i++)
        edge_dot(to, &graph->edges.at[i], most);
    fputs("}\n", to);
}
