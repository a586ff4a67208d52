#include "view/inferred.h"

#include "infer/likely.h"

#include <math.h>

struct maker {
    struct infer_problem problem;
    struct flow *flow;
    const struct scene *scene;
    const struct cfg *cfg;
    const struct image *image;
    const struct profile *profile;
    uint32_t side;
    uint64_t *arrived; /* by block, over its edges; then what leaves it by edges */
    uint64_t *departed;
};

static struct infer_count count_of(const struct tally *tally)
{
    return (struct infer_count){.seen = tally->count, .sd = tally->count_sd, .measured = true};
}

/* What a block may do beside following its edges. */
enum leaving { LEAVES_NEVER, LEAVES_CALLING, LEAVES };

static enum leaving block_leaves(const struct cfg *cfg, const struct cfg_block *block,
                                 uint32_t ways)
{
    const struct instruction *first = &cfg->instructions.at[block->first];
    const struct instruction *last = first + block->instructions - 1;
    if (!ways || last->kind == INSTRUCTION_IJUMP || last->no_return ||
        (last->kind == INSTRUCTION_COND && ways < 2))
        return LEAVES;
    for (const struct instruction *at = first; at <= last; at++)
        if (at->kind == INSTRUCTION_CALL || at->kind == INSTRUCTION_ICALL ||
            at->kind == INSTRUCTION_SYSCALL)
            return LEAVES_CALLING;
    return LEAVES_NEVER;
}

/* ---- what was sampled plainly
 *
 * A block's count is the time that samples found in it, for each of its instructions: as if all took the same. Edges
 * are not seen; what branches are likely to do stands in, and weighs little. */

enum { TIME_FINE = 64 }; /* steps of a nanosecond */

static bool is_plain(const struct maker *maker)
{
    return maker->profile->mode == PROFILE_PLAIN;
}

static uint64_t sample_weight(const struct profile *profile)
{
    const struct totals *totals = &profile->totals;
    return totals->interrupts ? totals->time / totals->interrupts + 1 : 1;
}

static struct infer_count count_timed(const struct maker *maker, const struct cfg_block *block)
{
    uint64_t time = 0, n = block->instructions;
    for (uint32_t i = 0; i < n; i++)
        time += maker->flow->instructions[block->first + i].time;
    double one = (double)sample_weight(maker->profile), samples = (double)time / one;
    return (struct infer_count){.seen = time * TIME_FINE / n,
                                .sd = (sqrt(samples) + 1) * one * TIME_FINE / (double)n,
                                .measured = true};
}

static void edges_guess(struct maker *maker, enum infer_method method)
{
    const struct cfg *cfg = maker->cfg;
    double *odds = mem_alloc(cfg->edges.n * sizeof *odds + 1);
    bool guess = method == INFER_STATIC || method == INFER_CONFIDENCE;
    likely_edges(odds, cfg, maker->image);
    for (size_t i = 0; i < cfg->edges.n; i++) {
        const struct cfg_edge *edge = &cfg->edges.at[i];
        double ran = (double)maker->problem.blocks.at[edge->from_block].ran.seen;
        *vec_push(&maker->problem.edges) =
            (struct infer_edge){.from = edge->from_block,
                                .to = edge->to_block,
                                .gone = {.seen = guess ? (uint64_t)(ran * odds[i]) : 0}};
    }
    mem_free(odds);
}

/* Where the code lets control in and out, and nothing more. */
static void outside_guess(struct maker *maker, const uint32_t *ways)
{
    for (uint32_t i = 0; i < maker->cfg->blocks.n; i++) {
        struct infer_block *block = &maker->problem.blocks.at[i];
        enum leaving leaving = block_leaves(maker->cfg, &maker->cfg->blocks.at[i], ways[i]);
        block->entered.ruled = i != maker->problem.entry;
        block->left.ruled = leaving != LEAVES;
    }
}

static void count_scale(struct infer_count *count, double by)
{
    count->inferred = (uint64_t)((double)count->inferred * by + 0.5);
}

/* How much time a function takes is known better than where in it: a block that waits for memory has many samples, and
 * flow raises all that is around it. The function as a whole keeps its weight. */
static void weight_keep(struct maker *maker)
{
    struct infer_problem *problem = &maker->problem;
    double seen = 0, inferred = 0;
    for (size_t i = 0; i < problem->blocks.n; i++) {
        const struct infer_count *ran = &problem->blocks.at[i].ran;
        seen += (double)ran->seen * maker->cfg->blocks.at[i].instructions;
        inferred += (double)ran->inferred * maker->cfg->blocks.at[i].instructions;
    }
    double by = inferred > 0 ? seen / inferred : 1;
    for (size_t i = 0; i < problem->blocks.n; i++) {
        count_scale(&problem->blocks.at[i].ran, by);
        count_scale(&problem->blocks.at[i].entered, by);
        count_scale(&problem->blocks.at[i].left, by);
    }
    for (size_t i = 0; i < problem->edges.n; i++)
        count_scale(&problem->edges.at[i].gone, by);
}

/* ---- what was walked */

static void edges_make(struct maker *maker)
{
    const struct cfg *cfg = maker->cfg;
    for (size_t i = 0; i < cfg->edges.n; i++) {
        const struct cfg_edge *edge = &cfg->edges.at[i];
        struct infer_count gone = count_of(&maker->flow->edges[i]);
        *vec_push(&maker->problem.edges) =
            (struct infer_edge){.from = edge->from_block, .to = edge->to_block, .gone = gone};
        maker->arrived[edge->to_block] += gone.seen;
        maker->departed[edge->from_block] += gone.seen;
    }
}

static uint64_t beyond(uint64_t count, uint64_t other)
{
    return count > other ? count - other : 0;
}

/* Whether calls in a block do not come back: exceptions, longjmp, exit. In a sampled profile a window may just have ended in one;
 * but that is chance, and happens no more often than chance does. */
static bool calls_leave(const struct maker *maker, const struct infer_count *ran, uint64_t rest)
{
    return maker->profile->mode == PROFILE_EXACT ||
           (double)rest * (double)ran->seen > 2 * ran->sd * ran->sd;
}

static void leaving_make(struct maker *maker, const uint32_t *ways)
{
    for (uint32_t i = 0; i < maker->cfg->blocks.n; i++) {
        struct infer_block *block = &maker->problem.blocks.at[i];
        enum leaving leaving = block_leaves(maker->cfg, &maker->cfg->blocks.at[i], ways[i]);
        uint64_t rest = beyond(block->ran.seen, maker->departed[i]);
        bool left = leaving == LEAVES ||
                    (leaving == LEAVES_CALLING && calls_leave(maker, &block->ran, rest));
        block->left = (struct infer_count){.seen = left ? rest : 0,
                                           .sd = left ? block->ran.sd : 0,
                                           .measured = true,
                                           .ruled = leaving == LEAVES_NEVER};
    }
}

/* The block that an edge from outside the function arrives at; BLOCK_NONE: at none, or in its midst. A return
 * comes back into the midst of a block, or along an edge, if a call stands before it. */
static block_id arrival_block(const struct maker *maker, const struct touch *touch,
                              const struct edge_key *key)
{
    const struct cfg *cfg = maker->cfg;
    bool call = key->kind == EDGE_CALL || key->kind == EDGE_ICALL;
    if (touch->kind != TOUCH_IN && !(touch->kind == TOUCH_OUT && call))
        return BLOCK_NONE;
    if (scene_module(maker->scene, maker->side, key->to_module) != touch->module)
        return BLOCK_NONE;
    uint32_t at = cfg_find(cfg, (struct svma){key->to});
    if (at == INSTRUCTION_NONE)
        return BLOCK_NONE;
    block_id block = cfg->block_of[at];
    if (cfg->blocks.at[block].start.v != key->to)
        return BLOCK_NONE;
    if (key->kind == EDGE_RETURN && at > 0) {
        const struct instruction *before = &cfg->instructions.at[at - 1];
        bool calls = before->kind == INSTRUCTION_CALL || before->kind == INSTRUCTION_ICALL;
        if (calls && instruction_next(before).v == key->to)
            return BLOCK_NONE;
    }
    return block;
}

static void entering_make(struct maker *maker, const struct scene_function *function)
{
    for (size_t i = 0; i < maker->problem.blocks.n; i++)
        maker->problem.blocks.at[i].entered = (struct infer_count){.measured = true, .ruled = true};
    for (size_t i = 0; i < function->n_touches; i++) {
        const struct touch *touch = &maker->scene->touches.at[function->first_touch + i];
        bool edge = touch->kind == TOUCH_IN || touch->kind == TOUCH_OUT;
        if (touch->side != maker->side || !edge)
            continue;
        const struct table *edges = &maker->profile->edges;
        block_id block = arrival_block(maker, touch, map_key(&edges->keys, touch->record));
        if (block == BLOCK_NONE)
            continue;
        struct tally tally = tally_of(maker->profile, &edges->at[touch->record]);
        struct infer_count *entered = &maker->problem.blocks.at[block].entered;
        entered->seen += tally.count;
        entered->sd += tally.count_sd;
        entered->ruled = false;
    }
}

/* The system enters functions at their start, too: signal handlers, and the first of all. */
static void entry_make(struct maker *maker)
{
    if (maker->problem.entry == BLOCK_NONE)
        return;
    struct infer_block *block = &maker->problem.blocks.at[maker->problem.entry];
    block->entered.seen = beyond(block->ran.seen, maker->arrived[maker->problem.entry]);
    block->entered.sd = block->ran.sd;
    block->entered.ruled = false;
}

/* What one passage of one instruction counts, on the mean. */
static uint64_t grain_of(const struct profile *profile)
{
    const struct totals *totals = &profile->totals;
    if (profile->mode == PROFILE_PLAIN)
        return sample_weight(profile) * TIME_FINE;
    if (profile->mode == PROFILE_EXACT || !totals->instructions)
        return 1;
    uint64_t grain = totals->count / totals->instructions;
    return grain ? grain : 1;
}

static void problem_make(struct maker *maker, const struct scene_function *function,
                         enum infer_method method)
{
    const struct cfg *cfg = maker->cfg;
    uint64_t *memory = mem_alloc(2 * cfg->blocks.n * sizeof *memory + 1);
    uint32_t *ways = mem_alloc(cfg->blocks.n * sizeof *ways + 1);
    maker->arrived = memory;
    maker->departed = memory + cfg->blocks.n;
    maker->problem.grain = grain_of(maker->profile);
    maker->problem.points = is_plain(maker);
    for (size_t i = 0; i < cfg->edges.n; i++)
        ways[cfg->edges.at[i].from_block]++;
    for (uint32_t i = 0; i < cfg->blocks.n; i++)
        vec_push(&maker->problem.blocks)->ran = is_plain(maker)
                                                    ? count_timed(maker, &cfg->blocks.at[i])
                                                    : count_of(flow_block(maker->flow, cfg, i));
    uint32_t first = cfg_find(cfg, cfg->entry);
    maker->problem.entry = first == INSTRUCTION_NONE ? BLOCK_NONE : cfg->block_of[first];
    if (is_plain(maker)) {
        edges_guess(maker, method);
        outside_guess(maker, ways);
    } else {
        edges_make(maker);
        entering_make(maker, function);
        entry_make(maker);
        leaving_make(maker, ways);
    }
    mem_free(ways);
    mem_free(memory);
}

/* ---- what is inferred */

static void tally_set(struct tally *tally, const struct infer_count *count)
{
    if (!count->seen && count->inferred)
        tally->count_sd = tally->alone_sd = (double)count->inferred;
    tally->count = count->inferred;
}

/* Runs start and end inside of blocks, so that instructions of one differ a little: they keep that, and
 * move with their block. */
static void instruction_move(struct tally *tally, const struct infer_count *ran)
{
    struct infer_count own = {.seen = tally->count, .inferred = ran->inferred};
    if (ran->inferred && ran->seen)
        own.inferred = ran->inferred > ran->seen ? tally->count + (ran->inferred - ran->seen)
                                                 : beyond(tally->count, ran->seen - ran->inferred);
    tally_set(tally, &own);
}

static void counts_take(struct maker *maker)
{
    struct flow *flow = maker->flow;
    const struct cfg *cfg = maker->cfg;
    for (uint32_t i = 0; i < cfg->blocks.n; i++) {
        const struct cfg_block *block = &cfg->blocks.at[i];
        const struct infer_count *ran = &maker->problem.blocks.at[i].ran;
        for (uint32_t k = 0; k < block->instructions; k++) {
            struct tally *tally = &flow->instructions[block->first + k];
            if (is_plain(maker))
                tally_set(tally, ran);
            else if (ran->inferred != ran->seen)
                instruction_move(tally, ran);
        }
    }
    for (size_t i = 0; i < cfg->edges.n; i++)
        tally_set(&flow->edges[i], &maker->problem.edges.at[i].gone);
    uint64_t time = flow->body.time;
    flow->body = (struct tally){.time = time};
    for (size_t i = 0; i < cfg->instructions.n; i++) {
        struct tally tally = flow->instructions[i];
        tally.time = 0;
        tally_add(&flow->body, &tally);
    }
    if (maker->problem.entry != BLOCK_NONE)
        tally_set(&flow->entries, &maker->problem.blocks.at[maker->problem.entry].entered);
}

void flow_infer(struct flow *flow, const struct scene *scene, const struct scene_function *function,
                uint32_t side, const struct cfg *cfg, enum infer_method method)
{
    struct maker maker = {.image = &scene->modules.at[function->module].binary->image,
                          .flow = flow,
                          .scene = scene,
                          .cfg = cfg,
                          .profile = scene->sides[side],
                          .side = side};
    problem_make(&maker, function, method);
    infer_solve(&maker.problem, method);
    if (is_plain(&maker))
        weight_keep(&maker);
    counts_take(&maker);
    infer_release(&maker.problem);
}
