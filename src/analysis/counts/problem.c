#include "analysis/counts/problem.h"

#include <math.h>

struct maker {
    struct infer_problem *problem;
    const struct problem_parts *parts;
    const struct cfg *cfg;
    const struct profile *profile;
    uint64_t *arrived, *departed; /* by block, over its edges */
};

uint32_t *blocks_ways(const struct cfg *cfg)
{
    uint32_t *ways = mem_alloc(cfg->blocks.n * sizeof *ways + 1);
    for (size_t i = 0; i < cfg->edges.n; i++)
        ways[cfg->edges.at[i].from_block]++;
    return ways;
}

uint32_t block_last_call(const struct cfg *cfg, const struct cfg_block *block)
{
    for (uint32_t i = block->first + block->instructions; i-- > block->first;) {
        uint8_t kind = cfg->instructions.at[i].kind;
        if (kind == INSTRUCTION_CALL || kind == INSTRUCTION_ICALL || kind == INSTRUCTION_SYSCALL)
            return i;
    }
    return INSTRUCTION_NONE;
}

enum leaving block_leaves(const struct cfg *cfg, const struct cfg_block *block, uint32_t ways)
{
    const struct instruction *last = &cfg->instructions.at[block->first + block->instructions - 1];
    if (!ways || last->kind == INSTRUCTION_IJUMP || last->no_return ||
        (last->kind == INSTRUCTION_COND && ways < 2))
        return LEAVES;
    return block_last_call(cfg, block) != INSTRUCTION_NONE ? LEAVES_CALLING : LEAVES_NEVER;
}

static uint64_t beyond(uint64_t count, uint64_t other)
{
    return count > other ? count - other : 0;
}

static struct infer_count count_of(const struct quantity *quantity)
{
    return (struct infer_count){
        .seen = quantity->count, .sd = quantity->count_sd, .measured = true};
}

/* Windows begin and end inside of blocks, and in what they call, so that instructions of a block
 * differ. It has one count, and each of them is a measure of it. */
static struct infer_count count_block(const struct maker *maker, const struct cfg_block *block)
{
    const struct quantity *quantities = &maker->parts->flow->instructions[block->first];
    if (maker->profile->mode == PROFILE_EXACT)
        return count_of(quantities);
    double count = 0, sd = 0, n = block->instructions;
    for (uint32_t i = 0; i < block->instructions; i++) {
        count += (double)quantities[i].count;
        sd += quantities[i].count_sd;
    }
    return (struct infer_count){
        .seen = (uint64_t)(count / n + 0.5), .sd = sd / n, .measured = true};
}

static void edges_make(struct maker *maker)
{
    const struct cfg *cfg = maker->cfg;
    for (size_t i = 0; i < cfg->edges.n; i++) {
        const struct cfg_edge *edge = &cfg->edges.at[i];
        struct infer_count gone = count_of(&maker->parts->flow->edges[i]);
        *vec_push(&maker->problem->edges) =
            (struct infer_edge){.from = edge->from_block, .to = edge->to_block, .gone = gone};
        maker->arrived[edge->to_block] += gone.seen;
        maker->departed[edge->from_block] += gone.seen;
    }
}

/* ---- the ways out */

/* Whether calls in a block do not come back: exceptions, longjmp, exit. In a sampled profile
 * windows may just have ended in them; but each ends once, and as many begin there: more than twice
 * the deviation of that difference is no chance. */
static bool calls_leave(const struct maker *maker, uint64_t rest)
{
    double windows = (double)maker->profile->totals.windows;
    return maker->profile->mode == PROFILE_EXACT ||
           (double)rest > 2 * sqrt(2 * windows) * (double)maker->problem->grain;
}

/* A block whose calls come back goes on as often as it runs. One whose calls do not has run as
 * often as it was begun. */
static void leaving_make(struct maker *maker)
{
    uint32_t *ways = blocks_ways(maker->cfg);
    for (uint32_t i = 0; i < maker->cfg->blocks.n; i++) {
        struct infer_block *block = &maker->problem->blocks.at[i];
        enum leaving leaving = block_leaves(maker->cfg, &maker->cfg->blocks.at[i], ways[i]);
        struct infer_count begun = count_of(flow_block(maker->parts->flow, maker->cfg, i));
        bool left = leaving == LEAVES;
        if (leaving == LEAVES_CALLING &&
            calls_leave(maker, beyond(begun.seen, maker->departed[i]))) {
            block->ran = begun;
            left = true;
        }
        uint64_t rest = beyond(block->ran.seen, maker->departed[i]);
        block->left = (struct infer_count){.seen = left ? rest : 0,
                                           .sd = left ? block->ran.sd : 0,
                                           .measured = true,
                                           .ruled = !left};
    }
    mem_free(ways);
}

/* ---- the ways in */

/* The block that an edge from outside the function arrives at; BLOCK_NONE: at none, or in its
 * midst. A return comes back into the midst of a block, or along an edge, if a call stands before
 * it. */
static block_id arrival_block(const struct maker *maker, const struct touch *touch,
                              const struct edge_key *key)
{
    const struct cfg *cfg = maker->cfg;
    bool call = key->kind == EDGE_CALL || key->kind == EDGE_ICALL;
    if (touch->kind != TOUCH_IN && !(touch->kind == TOUCH_OUT && call))
        return BLOCK_NONE;
    if (scene_module(maker->parts->scene, maker->parts->side, key->to_module) != touch->module)
        return BLOCK_NONE;
    uint32_t at = cfg_find(cfg, key->to);
    if (at == INSTRUCTION_NONE)
        return BLOCK_NONE;
    block_id block = cfg->block_of[at];
    if (cfg->blocks.at[block].start.v != key->to.v)
        return BLOCK_NONE;
    if (key->kind == EDGE_RETURN && at > 0) {
        const struct instruction *before = &cfg->instructions.at[at - 1];
        bool calls = before->kind == INSTRUCTION_CALL || before->kind == INSTRUCTION_ICALL;
        if (calls && instruction_next(before).v == key->to.v)
            return BLOCK_NONE;
    }
    return block;
}

static void entering_make(struct maker *maker)
{
    const struct scene_function *function = maker->parts->function;
    struct infer_blocks *blocks = &maker->problem->blocks;
    for (size_t i = 0; i < blocks->n; i++)
        blocks->at[i].entered = (struct infer_count){.measured = true, .ruled = true};
    for (size_t i = 0; i < function->n_touches; i++) {
        const struct touch *touch = &maker->parts->scene->touches.at[function->first_touch + i];
        bool edge = touch->kind == TOUCH_IN || touch->kind == TOUCH_OUT;
        if (touch->side != maker->parts->side || !edge)
            continue;
        const struct table *edges = &maker->profile->edges;
        block_id block = arrival_block(maker, touch, map_key(&edges->keys, touch->record));
        if (block == BLOCK_NONE)
            continue;
        struct quantity quantity = quantity_of(maker->profile, &edges->at[touch->record]);
        struct infer_count *entered = &blocks->at[block].entered;
        entered->seen += quantity.count;
        entered->sd += quantity.count_sd;
        entered->ruled = false;
    }
}

/* The system enters functions at their start, too: signal handlers, and the first of all. */
static void entry_make(struct maker *maker)
{
    if (maker->problem->entry == BLOCK_NONE)
        return;
    struct infer_block *block = &maker->problem->blocks.at[maker->problem->entry];
    block->entered.seen = beyond(block->ran.seen, maker->arrived[maker->problem->entry]);
    block->entered.sd = fmax(block->ran.sd, (double)maker->problem->grain);
    block->entered.ruled = false;
}

/* ---- all */

/* What one passage of one instruction counts, on the mean. */
static uint64_t grain_of(const struct profile *profile)
{
    const struct totals *totals = &profile->totals;
    if (profile->mode == PROFILE_EXACT || !totals->instructions)
        return 1;
    uint64_t grain = totals->count / totals->instructions;
    return grain ? grain : 1;
}

void problem_make(struct infer_problem *problem, const struct problem_parts *parts)
{
    const struct cfg *cfg = parts->cfg;
    uint64_t *memory = mem_alloc(2 * cfg->blocks.n * sizeof *memory + 1);
    struct maker maker = {.problem = problem,
                          .parts = parts,
                          .cfg = cfg,
                          .profile = parts->scene->sides[parts->side],
                          .arrived = memory,
                          .departed = memory + cfg->blocks.n};
    uint32_t first = cfg_find(cfg, cfg->entry);
    *problem = (struct infer_problem){.grain = grain_of(maker.profile),
                                      .one = estimate_one(maker.profile),
                                      .entry = first == INSTRUCTION_NONE ? BLOCK_NONE
                                                                         : cfg->block_of[first]};
    for (uint32_t i = 0; i < cfg->blocks.n; i++)
        vec_push(&problem->blocks)->ran = count_block(&maker, &cfg->blocks.at[i]);
    edges_make(&maker);
    entering_make(&maker);
    entry_make(&maker);
    leaving_make(&maker);
    mem_free(memory);
}
