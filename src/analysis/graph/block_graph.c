#include "analysis/graph/block_graph.h"

#include "analysis/report/annotate_sum.h"

#include <math.h>
#include <stdlib.h>

static const struct estimate unknown = {NAN, NAN, NAN};

/* ---- blocks */

/* What decides which are hottest; NaN counts as nothing. */
static double heat_of(const struct graph_block *block)
{
    return block->share.value > 0 ? block->share.value : 0;
}

static double count_of(struct estimate count)
{
    return count.value > 0 ? count.value : 0;
}

static void span_find(struct graph_block *block, const struct annotation *annotation,
                      const struct cfg_block *code)
{
    block->file = annotation->at[code->first].file;
    for (uint32_t i = 0; i < code->instructions; i++) {
        const struct annotated *line = &annotation->at[code->first + i];
        if (!line->line || line->file != block->file)
            continue;
        if (!block->first_line || line->line < block->first_line)
            block->first_line = line->line;
        if (line->line > block->last_line)
            block->last_line = line->line;
    }
}

static bool block_leaves(const struct cfg *cfg, const struct cfg_block *code)
{
    const struct instruction *last = &cfg->instructions.at[code->first + code->instructions - 1];
    if (last->kind == INSTRUCTION_RETURN)
        return true;
    return (last->kind == INSTRUCTION_JUMP || last->kind == INSTRUCTION_COND) &&
           !cfg_covers(cfg, last->target);
}

static struct graph_block block_of(const struct annotation *annotation, block_id id)
{
    const struct cfg *cfg = &annotation->counted.cfg;
    const struct cfg_block *code = &cfg->blocks.at[id];
    struct annotated_sum sum = {0};
    for (uint32_t i = 0; i < code->instructions; i++)
        annotated_sum_add(&sum, annotation, code->first + i);
    struct graph_block block = {.block = id,
                                .at = code->start,
                                .last = code->last,
                                .instructions = code->instructions,
                                .bytes = code->bytes,
                                .entry = code->start.v == cfg->entry.v,
                                .leaves = block_leaves(cfg, code),
                                .share = annotated_sum_share(&sum, annotation),
                                .time = annotated_sum_time(&sum, annotation),
                                .count = annotation->at[code->first].count};
    span_find(&block, annotation, code);
    return block;
}

static int hotter_first(const void *a, const void *b)
{
    const struct graph_block *x = a, *y = b;
    if (x->entry != y->entry)
        return x->entry ? -1 : 1;
    if (heat_of(x) != heat_of(y))
        return heat_of(x) > heat_of(y) ? -1 : 1;
    if (count_of(x->count) != count_of(y->count))
        return count_of(x->count) > count_of(y->count) ? -1 : 1;
    return x->at.v < y->at.v ? -1 : x->at.v > y->at.v;
}

static int by_address(const void *a, const void *b)
{
    const struct graph_block *x = a, *y = b;
    return x->at.v < y->at.v ? -1 : x->at.v > y->at.v;
}

/* Blocks between two parts of the function, where nothing leads to and nothing is done. */
static bool *padding_find(const struct cfg *cfg)
{
    bool *padding = mem_alloc(cfg->blocks.n + 1);
    for (block_id id = 0; id < cfg->blocks.n; id++) {
        const struct cfg_block *code = &cfg->blocks.at[id];
        padding[id] = code->start.v != cfg->entry.v;
        for (uint32_t i = 0; i < code->instructions; i++)
            padding[id] &= cfg->instructions.at[code->first + i].nop;
    }
    for (size_t e = 0; e < cfg->edges.n; e++)
        padding[cfg->edges.at[e].to_block] = false;
    return padding;
}

static void blocks_take(struct block_graph *graph, const bool *padding, size_t most)
{
    const struct cfg *cfg = &graph->annotation->counted.cfg;
    double hottest = 0;
    for (block_id id = 0; id < cfg->blocks.n; id++)
        if (!padding[id])
            *vec_push(graph) = block_of(graph->annotation, id);
    graph->all_blocks = graph->n;
    if (!graph->n)
        return;
    qsort(graph->at, graph->n, sizeof *graph->at, hotter_first);
    if (most && graph->n > most)
        graph->n = most;
    for (size_t i = 0; i < graph->n; i++)
        hottest = fmax(hottest, heat_of(&graph->at[i]));
    for (size_t i = 0; i < graph->n; i++)
        graph->at[i].heat = hottest > 0 ? heat_of(&graph->at[i]) / hottest : 0;
    qsort(graph->at, graph->n, sizeof *graph->at, by_address);
}

/* ---- edges */

/* A conditional branch's figures are those of its annotation, so that both views say the same. */
static struct estimate probability_of(const struct annotation *annotation, size_t edge,
                                      const struct quantity *out)
{
    const struct cfg *cfg = &annotation->counted.cfg;
    const struct cfg_edge *one = &cfg->edges.at[edge];
    const struct cfg_block *from = &cfg->blocks.at[one->from_block];
    struct estimate taken = annotation->at[from->first + from->instructions - 1].taken;
    if (annotation->plain)
        return unknown;
    if (one->kind == CFG_TAKEN)
        return taken;
    if (one->kind == CFG_FALL)
        return (struct estimate){1 - taken.value, 1 - taken.hi, 1 - taken.lo};
    const struct quantity *own = &annotation->counted.flows[0].edges[edge];
    if (one->kind == CFG_NEXT || one->kind == CFG_JUMP) /* the only way on */
        return own->count ? (struct estimate){1, 1, 1} : unknown;
    struct quantity rest = out[one->from_block];
    quantity_subtract(&rest, own);
    return estimate_part(annotation->report->scene->sides[0], own, &rest);
}

static int more_first(const void *a, const void *b)
{
    const struct graph_edge *x = a, *y = b;
    if (count_of(x->count) != count_of(y->count))
        return count_of(x->count) > count_of(y->count) ? -1 : 1;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    if (x->to != y->to)
        return x->to < y->to ? -1 : 1;
    return x->kind < y->kind ? -1 : x->kind > y->kind;
}

static int by_ends(const void *a, const void *b)
{
    const struct graph_edge *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    if (x->to != y->to)
        return x->to < y->to ? -1 : 1;
    return x->kind < y->kind ? -1 : x->kind > y->kind;
}

/* The drawn block of each block of the function; BLOCK_NONE: it is not drawn. */
static uint32_t *drawn_of(const struct block_graph *graph)
{
    size_t blocks = graph->annotation->counted.cfg.blocks.n;
    uint32_t *drawn = mem_alloc((blocks + 1) * sizeof *drawn);
    for (size_t i = 0; i < blocks; i++)
        drawn[i] = BLOCK_NONE;
    for (uint32_t i = 0; i < graph->n; i++)
        drawn[graph->at[i].block] = i;
    return drawn;
}

static void edge_skip(struct block_graph *graph, uint32_t from, uint32_t to)
{
    if (from != BLOCK_NONE)
        graph->at[from].more_out++;
    if (to != BLOCK_NONE)
        graph->at[to].more_in++;
}

static void edges_take(struct block_graph *graph, const bool *padding, bool limited)
{
    const struct annotation *annotation = graph->annotation;
    const struct cfg *cfg = &annotation->counted.cfg;
    const struct quantity *edges = annotation->counted.flows[0].edges;
    const struct profile *profile = annotation->report->scene->sides[0];
    struct quantity *out = mem_alloc((cfg->blocks.n + 1) * sizeof *out);
    uint32_t *drawn = drawn_of(graph);
    for (size_t e = 0; e < cfg->edges.n; e++)
        quantity_add(&out[cfg->edges.at[e].from_block], &edges[e]);
    for (size_t e = 0; e < cfg->edges.n; e++) {
        const struct cfg_edge *one = &cfg->edges.at[e];
        uint32_t from = drawn[one->from_block], to = drawn[one->to_block];
        if (padding[one->from_block])
            continue;
        graph->all_edges++;
        if (from == BLOCK_NONE || to == BLOCK_NONE) {
            edge_skip(graph, from, to);
            continue;
        }
        *vec_push(&graph->edges) = (struct graph_edge){
            .from = from,
            .to = to,
            .kind = one->kind,
            .back = one->to.v <= one->from.v,
            .count = annotation->plain ? unknown : estimate_count(profile, &edges[e]),
            .probability = probability_of(annotation, e, out)};
    }
    size_t most = limited ? 4 * graph->n : graph->edges.n;
    if (graph->edges.n > most) {
        qsort(graph->edges.at, graph->edges.n, sizeof *graph->edges.at, more_first);
        for (size_t i = most; i < graph->edges.n; i++)
            edge_skip(graph, graph->edges.at[i].from, graph->edges.at[i].to);
        graph->edges.n = most;
    }
    if (graph->edges.n)
        qsort(graph->edges.at, graph->edges.n, sizeof *graph->edges.at, by_ends);
    mem_free(drawn);
    mem_free(out);
}

void block_graph_make(struct block_graph *graph, const struct annotation *annotation, size_t blocks)
{
    *graph = (struct block_graph){.annotation = annotation};
    bool *padding = padding_find(&annotation->counted.cfg);
    blocks_take(graph, padding, blocks);
    edges_take(graph, padding, blocks != 0);
    mem_free(padding);
}

void block_graph_release(struct block_graph *graph)
{
    vec_release(&graph->edges);
    vec_release(graph);
}
