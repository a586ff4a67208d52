#include "carry/counts.h"

#include <math.h>

struct counter {
    struct infer_problem *problem;
    const struct carry_pair *pair;
    const struct flow *flow;
    uint64_t *arrived, *departed; /* by old block, over its edges */
    bool *used;                   /* old edges that have their partner */
};

static uint64_t beyond(uint64_t count, uint64_t other)
{
    return count > other ? count - other : 0;
}

/* ---- edges */

/* The old edge between the partners of the new one's ends: of the same kind if there is one,
 * because a branch may have both its ways to one place; but a branch may also have been turned
 * round. EDGE_NONE: there was none. */
static uint32_t edge_partner(const struct counter *counter, const struct cfg_edge *edge)
{
    const struct carry_pair *pair = counter->pair;
    const struct cfg_edges *edges = &pair->counted->cfg.edges;
    block_id from = pair->blocks.old_of[edge->from_block], to = pair->blocks.old_of[edge->to_block];
    uint32_t other = EDGE_NONE;
    if (from == BLOCK_NONE || to == BLOCK_NONE)
        return EDGE_NONE;
    size_t low = 0, high = edges->n;
    uint64_t last = pair->counted->cfg.blocks.at[from].last.v;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (edges->at[middle].from.v < last)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < edges->n && edges->at[low].from.v == last; low++) {
        if (edges->at[low].to_block != to || counter->used[low])
            continue;
        if (edges->at[low].kind == edge->kind)
            return (uint32_t)low;
        other = (uint32_t)low;
    }
    return other;
}

static void edges_carry(struct counter *counter)
{
    const struct cfg *cfg = &counter->pair->new_cfg;
    for (size_t i = 0; i < cfg->edges.n; i++) {
        const struct cfg_edge *edge = &cfg->edges.at[i];
        struct infer_edge *made = vec_push(&counter->problem->edges);
        *made = (struct infer_edge){.from = edge->from_block, .to = edge->to_block};
        uint32_t old = edge_partner(counter, edge);
        if (old == EDGE_NONE)
            continue;
        const struct quantity *quantity = &counter->flow->edges[old];
        counter->used[old] = true;
        made->gone = (struct infer_count){
            .seen = quantity->count, .sd = quantity->count_sd, .measured = true};
    }
}

/* ---- blocks */

/* Whether the code itself can leave the function there. */
static bool may_leave(const struct cfg *cfg, block_id b, uint32_t ways)
{
    const struct cfg_block *block = &cfg->blocks.at[b];
    const struct instruction *last = &cfg->instructions.at[block->first + block->instructions - 1];
    return !ways || last->kind == INSTRUCTION_IJUMP || last->no_return ||
           (last->kind == INSTRUCTION_COND && ways < 2);
}

static void block_carry(struct counter *counter, block_id b, uint32_t ways, bool entry)
{
    const struct carry_pair *pair = counter->pair;
    struct infer_block *made = vec_push(&counter->problem->blocks);
    block_id old = pair->blocks.old_of[b];
    bool leaves = may_leave(&pair->new_cfg, b, ways);
    made->entered.ruled = !entry;
    made->left.ruled = !leaves;
    if (old == BLOCK_NONE)
        return;
    const struct quantity *quantity = flow_block(counter->flow, &pair->counted->cfg, old);
    uint64_t entered = beyond(quantity->count, counter->arrived[old]),
             left = beyond(quantity->count, counter->departed[old]);
    struct infer_count count = {.sd = quantity->count_sd, .measured = true};
    made->ran = made->entered = made->left = count;
    made->ran.seen = quantity->count;
    made->entered.seen = entered;
    made->entered.ruled = !entry && !entered;
    /* A block that was left to the world and goes on now, because something was put behind it, is
     * left no more. */
    made->left.seen = leaves || ways == 0 ? left : 0;
    made->left.ruled = !leaves;
}

static void blocks_carry(struct counter *counter)
{
    const struct cfg *cfg = &counter->pair->new_cfg;
    uint32_t *ways = mem_alloc(cfg->blocks.n * sizeof *ways + 1);
    uint32_t first = cfg_find(cfg, cfg->entry);
    block_id entry = first == INSTRUCTION_NONE ? BLOCK_NONE : cfg->block_of[first];
    for (size_t i = 0; i < cfg->edges.n; i++)
        ways[cfg->edges.at[i].from_block]++;
    for (block_id b = 0; b < cfg->blocks.n; b++)
        block_carry(counter, b, ways[b], b == entry);
    counter->problem->entry = entry;
    mem_free(ways);
}

void carry_counts(struct infer_problem *problem, const struct carry_pair *pair, uint64_t grain)
{
    const struct flow *flow = &pair->counted->flows[0];
    size_t n = pair->counted->cfg.blocks.n, edges = pair->counted->cfg.edges.n;
    *problem = (struct infer_problem){.grain = grain};
    struct counter counter = {.problem = problem,
                              .pair = pair,
                              .flow = flow,
                              .arrived = mem_alloc(n * sizeof(uint64_t) + 1),
                              .departed = mem_alloc(n * sizeof(uint64_t) + 1),
                              .used = mem_alloc(edges + 1)};
    for (size_t i = 0; i < edges; i++) {
        const struct cfg_edge *edge = &pair->counted->cfg.edges.at[i];
        counter.arrived[edge->to_block] += flow->edges[i].count;
        counter.departed[edge->from_block] += flow->edges[i].count;
    }
    blocks_carry(&counter);
    edges_carry(&counter);
    mem_free(counter.arrived);
    mem_free(counter.departed);
    mem_free(counter.used);
}
