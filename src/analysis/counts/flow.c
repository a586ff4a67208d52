#include "analysis/counts/flow.h"

#include <string.h>

struct builder {
    struct flow *flow;
    const struct scene *scene;
    const struct cfg *cfg;
    const struct profile *profile;
    uint32_t side;
};

/* ---- ranges */

static void range_walk(struct builder *builder, const struct range_key *key,
                       const struct quantity *quantity)
{
    const struct cfg *cfg = builder->cfg;
    struct flow *flow = builder->flow;
    uint32_t at = cfg_find_first(cfg, key->start, key->last);
    if (at == INSTRUCTION_NONE) {
        flow->stray++;
        return;
    }
    for (;;) {
        const struct instruction *instruction = &cfg->instructions.at[at];
        quantity_add(&flow->instructions[at], quantity);
        struct svma next = instruction_next(instruction);
        if (instruction->at.v >= key->last.v || !cfg_covers(cfg, next))
            return;
        uint32_t on = cfg_find(cfg, next);
        if (on == INSTRUCTION_NONE) {
            flow->stray++;
            return;
        }
        if (cfg->block_of[on] != cfg->block_of[at]) {
            uint32_t edge = cfg_edge_find(cfg, instruction->at, next, CFG_NEXT);
            if (edge != EDGE_NONE)
                quantity_add(&flow->edges[edge], quantity);
        }
        at = on;
    }
}

/* ---- edges */

static bool edge_kind_of(uint64_t kind, enum cfg_edge_kind *ret_kind)
{
    switch ((enum edge_kind)kind) {
    case EDGE_TAKEN: *ret_kind = CFG_TAKEN; return true;
    case EDGE_FALL: *ret_kind = CFG_FALL; return true;
    case EDGE_JUMP: *ret_kind = CFG_JUMP; return true;
    case EDGE_IJUMP: *ret_kind = CFG_INDIRECT; return true;
    case EDGE_SPLIT:
    case EDGE_SYSCALL: *ret_kind = CFG_NEXT; return true;
    default: return false;
    }
}

static void edge_add_leaving(struct builder *builder, const struct edge_key *key,
                             const struct quantity *quantity)
{
    enum cfg_edge_kind kind;
    bool inside = scene_module(builder->scene, builder->side, key->from_module) ==
                  scene_module(builder->scene, builder->side, key->to_module);
    if (!inside || !edge_kind_of(key->kind, &kind) || !cfg_covers(builder->cfg, key->to))
        return;
    uint32_t edge = cfg_edge_find(builder->cfg, key->from, key->to, kind);
    if (edge == EDGE_NONE && kind == CFG_INDIRECT)
        edge = cfg_edge_find(builder->cfg, key->from, key->to, CFG_CASE);
    if (edge != EDGE_NONE)
        quantity_add(&builder->flow->edges[edge], quantity);
    else if (kind != CFG_NEXT) /* most cuts lie inside of blocks */
        builder->flow->stray++;
}

/* Arrivals behind a call that ends a block because what follows it is a target as well. */
static void edge_add_return(struct builder *builder, const struct edge_key *key,
                            const struct quantity *quantity)
{
    const struct cfg *cfg = builder->cfg;
    uint32_t to = cfg_find(cfg, key->to);
    if (to == INSTRUCTION_NONE) {
        builder->flow->stray++;
        return;
    }
    block_id block = cfg->block_of[to];
    if (cfg->blocks.at[block].start.v != key->to.v || !block)
        return;
    const struct cfg_block *before = &cfg->blocks.at[block - 1];
    const struct instruction *last =
        &cfg->instructions.at[before->first + before->instructions - 1];
    uint32_t edge = cfg_edge_find(cfg, last->at, key->to, CFG_NEXT);
    bool is_call = last->kind == INSTRUCTION_CALL || last->kind == INSTRUCTION_ICALL;
    if (edge != EDGE_NONE && is_call)
        quantity_add(&builder->flow->edges[edge], quantity);
}

/* ---- times */

static void time_add(struct builder *builder, uint32_t record)
{
    const struct stacks *stacks = &builder->profile->stacks;
    const struct stack_cell *cell = map_key(&stacks->cells, record);
    struct quantity quantity = {.time = stacks->weights.at[record]};
    if (bare_has(&builder->scene->bare[builder->side], cell->node))
        quantity.bare = quantity.time;
    uint32_t at = cfg_find(builder->cfg, (struct svma){stacks_key(stacks, cell->node).address});
    if (at != INSTRUCTION_NONE) {
        quantity_add(&builder->flow->instructions[at], &quantity);
        return;
    }
    quantity_add(&builder->flow->body, &quantity);
    builder->flow->stray++;
}

/* ---- all */

static void touch_read(struct builder *builder, const struct touch *touch)
{
    if (touch->kind == TOUCH_TIME) {
        time_add(builder, touch->record);
        return;
    }
    if (touch->kind == TOUCH_RANGE) {
        const struct table *ranges = &builder->profile->ranges;
        struct quantity quantity = quantity_of(builder->profile, &ranges->at[touch->record]);
        range_walk(builder, map_key(&ranges->keys, touch->record), &quantity);
        return;
    }
    const struct table *edges = &builder->profile->edges;
    const struct edge_key *key = map_key(&edges->keys, touch->record);
    struct quantity quantity = quantity_of(builder->profile, &edges->at[touch->record]);
    if (touch->kind == TOUCH_OUT)
        edge_add_leaving(builder, key, &quantity);
    else if (key->kind == EDGE_RETURN)
        edge_add_return(builder, key, &quantity);
}

static void totals_make(struct flow *flow, const struct cfg *cfg, struct svma start)
{
    for (size_t i = 0; i < cfg->instructions.n; i++)
        quantity_add(&flow->body, &flow->instructions[i]);
    uint32_t first = cfg_find(cfg, start);
    if (first == INSTRUCTION_NONE)
        return;
    flow->entries = flow->instructions[first];
    for (size_t i = 0; i < cfg->edges.n; i++)
        if (cfg->edges.at[i].to.v == start.v)
            quantity_subtract(&flow->entries, &flow->edges[i]);
}

void flow_build(struct flow *flow, const struct scene *scene, const struct scene_function *function,
                uint32_t side, const struct cfg *cfg)
{
    *flow = (struct flow){
        .instructions = mem_alloc(cfg->instructions.n * sizeof *flow->instructions),
        .edges = mem_alloc(cfg->edges.n * sizeof *flow->edges),
    };
    struct builder builder = {flow, scene, cfg, scene->sides[side], side};
    for (size_t i = 0; i < function->n_touches; i++) {
        const struct touch *touch = &scene->touches.at[function->first_touch + i];
        if (touch->side == side)
            touch_read(&builder, touch);
    }
    const struct binary *binary = scene->modules.at[function->module].binary;
    totals_make(flow, cfg, binary->symbols.functions.at[function->function].start);
}

void flow_release(struct flow *flow)
{
    mem_free(flow->instructions);
    mem_free(flow->edges);
    *flow = (struct flow){0};
}
