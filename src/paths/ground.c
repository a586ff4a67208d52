#include "paths/ground.h"

#include "base/memory.h"
#include "program/symbols/no_return.h"
#include "program/symbols/symbols.h"

#include <stdlib.h>

struct maker {
    struct ground *ground;
    const struct cfg *cfg;
    const struct symbols *symbols;
    uint32_t *first_node; /* of each block, and one more */
    bool *threaded;       /* of each jump of the cfg: an interpreter's */
    bool *reached;        /* of each block: something leads to its very beginning */
};

/* ---- nodes */

static bool is_call(const struct instruction *instruction)
{
    return instruction->kind == INSTRUCTION_CALL || instruction->kind == INSTRUCTION_ICALL;
}

static bool returns_twice(const struct maker *maker, const struct instruction *instruction)
{
    return instruction->kind == INSTRUCTION_CALL &&
           returns_twice_at(maker->symbols, instruction->target);
}

static void node_add(struct maker *maker, block_id block, uint32_t first, uint32_t n)
{
    struct path_graph_node *node = vec_push(&maker->ground->graph.nodes);
    for (uint32_t i = first; i < first + n; i++) {
        const struct instruction *instruction = &maker->cfg->instructions.at[i];
        bool last = i + 1 == first + n;
        bool leaves = is_call(instruction) || instruction->kind == INSTRUCTION_SYSCALL;
        node->loose |= leaves && !(last && instruction->no_return);
        node->cold |= last && (instruction->no_return || instruction->kind == INSTRUCTION_TRAP);
    }
    *vec_push(&maker->ground->nodes) = (struct ground_node){block, first, n};
}

static void reach(struct maker *maker, struct svma at)
{
    uint32_t i = cfg_find(maker->cfg, at);
    if (i != INSTRUCTION_NONE)
        maker->reached[maker->cfg->block_of[i]] = true;
}

static void blocks_reach(struct maker *maker, const struct svma *arrivals, size_t n)
{
    const struct cfg *cfg = maker->cfg;
    reach(maker, cfg->entry);
    for (size_t e = 0; e < cfg->edges.n; e++)
        maker->reached[cfg->edges.at[e].to_block] = true;
    for (size_t i = 0; i < cfg->exits.n; i++)
        if (cfg->exits.at[i].kind == INSTRUCTION_CALL)
            reach(maker, cfg->exits.at[i].to);
    for (size_t i = 0; i < n; i++)
        reach(maker, arrivals[i]);
}

/* Where nothing leads, padding may come first: whoever gets there does not begin with it. Nothing
 * but padding is no node. */
static void nodes_make(struct maker *maker)
{
    const struct cfg *cfg = maker->cfg;
    for (block_id b = 0; b < cfg->blocks.n; b++) {
        const struct cfg_block *block = &cfg->blocks.at[b];
        uint32_t from = block->first, end = block->first + block->instructions;
        maker->first_node[b] = (uint32_t)maker->ground->nodes.n;
        while (!maker->reached[b] && from < end && cfg->instructions.at[from].nop)
            from++;
        for (uint32_t i = from; i + 1 < end; i++)
            if (returns_twice(maker, &cfg->instructions.at[i])) {
                node_add(maker, b, from, i + 1 - from);
                from = i + 1;
            }
        if (from < end)
            node_add(maker, b, from, end - from);
    }
    maker->first_node[cfg->blocks.n] = (uint32_t)maker->ground->nodes.n;
}

/* ---- interpreters */

static void threads_mark(struct maker *maker)
{
    const struct jumps *jumps = &maker->cfg->jumps;
    for (size_t i = 0; i < jumps->n; i++)
        for (size_t j = 0; j < i && !maker->threaded[i]; j++)
            if (jumps->at[i].n_targets > 1 && jumps->at[j].n_targets > 1 &&
                jumps->at[i].table.v == jumps->at[j].table.v)
                maker->ground->threaded = maker->threaded[i] = maker->threaded[j] = true;
}

static int by_instruction(const void *key, const void *jump)
{
    uint32_t wanted = *(const uint32_t *)key, at = ((const struct jump *)jump)->instruction;
    return wanted < at ? -1 : wanted > at;
}

static const struct jump *jump_find(const struct maker *maker, uint32_t instruction,
                                    bool *ret_threaded)
{
    const struct jumps *jumps = &maker->cfg->jumps;
    const struct jump *found =
        jumps->n ? bsearch(&instruction, jumps->at, jumps->n, sizeof *jumps->at, by_instruction)
                 : NULL;
    *ret_threaded = found && maker->threaded[found - jumps->at];
    return found;
}

static bool is_threaded(const struct maker *maker, uint32_t instruction)
{
    bool threaded = false;
    jump_find(maker, instruction, &threaded);
    return threaded;
}

/* ---- edges */

struct numbered_edge {
    uint32_t from, to, edge;
    bool cut;
};

static int by_from(const void *a, const void *b)
{
    const struct numbered_edge *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return x->edge < y->edge ? -1 : x->edge > y->edge;
}

/* Edges of the cfg come by address of their jump; nodes by address of their start. */
static void edges_make(struct maker *maker)
{
    const struct cfg *cfg = maker->cfg;
    struct {
        VEC(struct numbered_edge);
    } edges = {0};
    for (uint32_t e = 0; e < cfg->edges.n; e++) {
        const struct cfg_edge *edge = &cfg->edges.at[e];
        if (maker->first_node[edge->from_block] == maker->first_node[edge->from_block + 1])
            continue; /* padding */
        uint32_t from = maker->first_node[edge->from_block + 1] - 1;
        uint32_t to = maker->first_node[edge->to_block];
        const struct ground_node *node = &maker->ground->nodes.at[from];
        uint32_t last = node->first + node->n - 1;
        if (edge->kind == CFG_CASE && is_threaded(maker, last)) {
            maker->ground->graph.nodes.at[to].start = true;
            continue;
        }
        bool cut = edge->kind == CFG_NEXT && returns_twice(maker, &cfg->instructions.at[last]);
        maker->ground->graph.nodes.at[to].start |= cut;
        *vec_push(&edges) = (struct numbered_edge){from, to, e, cut};
    }
    for (block_id b = 0; b < cfg->blocks.n; b++)
        for (uint32_t v = maker->first_node[b]; v + 1 < maker->first_node[b + 1]; v++) {
            maker->ground->graph.nodes.at[v + 1].start = true;
            *vec_push(&edges) = (struct numbered_edge){v, v + 1, EDGE_NONE, true};
        }
    if (edges.n)
        qsort(edges.at, edges.n, sizeof *edges.at, by_from);
    for (size_t i = 0; i < edges.n; i++) {
        *vec_push(&maker->ground->graph.edges) =
            (struct path_graph_edge){edges.at[i].from, edges.at[i].to, edges.at[i].cut};
        *vec_push(&maker->ground->edges) = (struct ground_edge){edges.at[i].edge};
    }
    vec_release(&edges);
}

/* ---- ends */

static void end_add(struct maker *maker, uint32_t node, struct svma to)
{
    *vec_push(&maker->ground->graph.ends) = (struct path_graph_end){node};
    *vec_push(&maker->ground->ends) = (struct ground_end){to};
}

static bool goes_on_inside(const struct maker *maker, struct svma at)
{
    return cfg_find(maker->cfg, at) != INSTRUCTION_NONE;
}

static size_t exits_first(const struct cfg *cfg, struct svma from)
{
    size_t low = 0, high = cfg->exits.n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (cfg->exits.at[middle].from.v < from.v)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* An indirect jump: entries of its table that leave the function; all of it, if it has none or is
 * not followed. */
static void ends_of_jump(struct maker *maker, uint32_t node, const struct instruction *last)
{
    const struct cfg *cfg = maker->cfg;
    bool threaded = false;
    uint32_t index = (uint32_t)(last - cfg->instructions.at);
    const struct jump *jump = jump_find(maker, index, &threaded);
    if (!jump || jump->reason != REASON_NONE || threaded || !jump->n_targets) {
        end_add(maker, node, (struct svma){0});
        bool outside = jump && (jump->tail || jump->reason == REASON_SLOT);
        maker->ground->unsure |= !threaded && !outside;
        return;
    }
    for (size_t i = exits_first(cfg, last->at); i < cfg->exits.n; i++) {
        const struct cfg_exit *exit = &cfg->exits.at[i];
        if (exit->from.v != last->at.v)
            break;
        if (!exit->unresolved)
            end_add(maker, node, exit->to);
    }
}

static void ends_of(struct maker *maker, uint32_t node)
{
    const struct instruction *last = ground_last(maker->ground, maker->cfg, node);
    struct svma next = instruction_next(last), nowhere = {0};
    bool splits = node + 1 < maker->ground->nodes.n &&
                  maker->ground->nodes.at[node + 1].block == maker->ground->nodes.at[node].block;
    switch ((enum instruction_kind)last->kind) {
    case INSTRUCTION_RETURN:
    case INSTRUCTION_TRAP: end_add(maker, node, nowhere); return;
    case INSTRUCTION_IJUMP: ends_of_jump(maker, node, last); return;
    case INSTRUCTION_JUMP:
        if (!goes_on_inside(maker, last->target))
            end_add(maker, node, nowhere);
        return;
    case INSTRUCTION_COND:
        if (!goes_on_inside(maker, last->target))
            end_add(maker, node, last->target);
        if (!goes_on_inside(maker, next))
            end_add(maker, node, next);
        return;
    case INSTRUCTION_PLAIN:
    case INSTRUCTION_CALL:
    case INSTRUCTION_ICALL:
    case INSTRUCTION_SYSCALL:
        if (!splits && (last->no_return || !goes_on_inside(maker, next)))
            end_add(maker, node, nowhere);
        return;
    }
}

/* ---- starts */

static void start_mark(struct maker *maker, struct svma at)
{
    uint32_t i = cfg_find(maker->cfg, at);
    if (i == INSTRUCTION_NONE)
        return;
    uint32_t node = maker->first_node[maker->cfg->block_of[i]];
    if (maker->ground->nodes.at[node].first == i)
        maker->ground->graph.nodes.at[node].start = true;
    else
        maker->ground->unsure = true;
}

static void starts_mark(struct maker *maker, const struct svma *arrivals, size_t n)
{
    const struct cfg *cfg = maker->cfg;
    struct path_graph *graph = &maker->ground->graph;
    bool *reached = mem_alloc(graph->nodes.n * sizeof *reached);
    for (size_t e = 0; e < graph->edges.n; e++)
        reached[graph->edges.at[e].to] = true;
    for (size_t v = 0; v < graph->nodes.n; v++)
        if (!reached[v] && v != graph->entry) {
            graph->nodes.at[v].cold |= !graph->nodes.at[v].start;
            graph->nodes.at[v].start = true;
        }
    for (size_t i = 0; i < cfg->exits.n; i++)
        if (cfg->exits.at[i].kind == INSTRUCTION_CALL && cfg_covers(cfg, cfg->exits.at[i].to))
            start_mark(maker, cfg->exits.at[i].to);
    for (size_t i = 0; i < n; i++)
        start_mark(maker, arrivals[i]);
    mem_free(reached);
}

bool ground_make(struct ground *ground, const struct cfg *cfg, const struct symbols *symbols,
                 const struct svma *arrivals, size_t n_arrivals)
{
    *ground = (struct ground){0};
    uint32_t entry = cfg_find(cfg, cfg->entry);
    if (entry == INSTRUCTION_NONE)
        return false;
    struct maker maker = {.ground = ground, .cfg = cfg, .symbols = symbols};
    maker.first_node = mem_alloc((cfg->blocks.n + 1) * sizeof *maker.first_node);
    maker.threaded = mem_alloc((cfg->jumps.n + 1) * sizeof *maker.threaded);
    maker.reached = mem_alloc((cfg->blocks.n + 1) * sizeof *maker.reached);
    blocks_reach(&maker, arrivals, n_arrivals);
    nodes_make(&maker);
    threads_mark(&maker);
    ground->graph.entry = maker.first_node[cfg->block_of[entry]];
    edges_make(&maker);
    for (uint32_t v = 0; v < ground->nodes.n; v++)
        ends_of(&maker, v);
    starts_mark(&maker, arrivals, n_arrivals);
    mem_free(maker.first_node);
    mem_free(maker.threaded);
    mem_free(maker.reached);
    return true;
}

void ground_release(struct ground *ground)
{
    path_graph_release(&ground->graph);
    vec_release(&ground->nodes);
    vec_release(&ground->edges);
    vec_release(&ground->ends);
}
