#include "analysis/counts/inferred.h"

#include "program/symbols/starts.h"
#include "analysis/counts/classes.h"
#include "analysis/counts/problem.h"
#include "analysis/counts/ties.h"

#include <math.h>

static const struct profile *profile_of(const struct inference *inference)
{
    return inference->scene->sides[inference->side];
}

static bool is_plain(const struct inference *inference)
{
    return profile_of(inference)->mode == PROFILE_PLAIN;
}

/* Only walks see calls. The other methods are there as they were published: one function at a time.
 */
static bool is_tied(const struct inference *inference)
{
    return profile_of(inference)->mode == PROFILE_SAMPLED && inference->method == INFER_CONFIDENCE;
}

/* ---- all functions */

static void function_number(struct inference *inference, function_id function)
{
    inference->functions[inference->program.functions.n] = function;
    inference->index[function] = (uint32_t)inference->program.functions.n;
    *vec_push(&inference->program.functions) = (struct infer_problem){0};
}

static struct problem_parts parts_of(const struct inference *inference,
                                     const struct counted_function *function)
{
    return (struct problem_parts){.scene = inference->scene,
                                  .function = &function->seen,
                                  .side = inference->side,
                                  .cfg = &function->cfg,
                                  .flow = &function->flows[inference->side]};
}

static void function_problem(struct inference *inference, const struct counted_function *function,
                             struct ties *ties)
{
    uint32_t own = inference->index[function->seen.function];
    struct infer_problem *problem = &inference->program.functions.at[own];
    struct problem_parts parts = parts_of(inference, function);
    if (is_plain(inference)) {
        problem_make_plain(problem, &parts, inference->method);
        if (inference->method == INFER_CLASSES)
            classes_by_events(problem, &parts, &inference->events);
        if (inference->method == INFER_PERFECT && inference->scene->n_sides == SIDES_MAX)
            classes_by_truth(problem, &parts, &function->flows[!inference->side]);
        infer_solve(problem, inference->method);
        problem_weigh_plain(problem, parts.cfg);
        return;
    }
    problem_make(problem, &parts);
    if (ties)
        ties_add(ties, &parts, own, problem);
}

/* ---- what is entered once */

static uint64_t processes_count(const struct profile *profile)
{
    uint64_t n = 0;
    for (size_t i = 0; i < profile->threads.n; i++)
        n += !i || profile->threads.at[i].pid != profile->threads.at[i - 1].pid;
    if (n < profile->totals.recordings)
        n = profile->totals.recordings;
    return n ? n : 1;
}

/* At most once a process: being seen once counts as many passages, and these cannot have been. */
static void starts_fix(struct inference *inference)
{
    const struct binary *binary = inference->scene->modules.at[inference->module].binary;
    uint64_t processes = processes_count(profile_of(inference));
    struct starts starts;
    starts_find(&starts, &binary->image, &binary->symbols);
    for (size_t i = 0; i < starts.n; i++) {
        uint32_t index = inference->index[starts.at[i]];
        struct infer_problem *problem =
            index == TIES_NONE ? NULL : &inference->program.functions.at[index];
        if (!problem || problem->entry == BLOCK_NONE)
            continue;
        struct infer_count *entered = &problem->blocks.at[problem->entry].entered;
        uint64_t most = processes * problem->one;
        entered->firm = true;
        entered->sd = 0;
        if (entered->seen > most)
            entered->seen = most;
        if (entered->seen < problem->one)
            entered->seen = problem->one;
    }
    starts_release(&starts);
}

bool inference_is_whole(const struct scene *scene, uint32_t side)
{
    return scene->sides[side]->mode == PROFILE_EXACT && profile_whole(scene->sides[side]);
}

void inference_open(struct inference *inference, const struct scene *scene, uint32_t side,
                    uint32_t module, const struct counted_functions *functions)
{
    size_t n = scene->modules.at[module].binary->symbols.functions.n;
    *inference = (struct inference){.scene = scene,
                                    .side = side,
                                    .module = module,
                                    .method = scene->method,
                                    .whole = inference_is_whole(scene, side)};
    if (inference->whole)
        return;
    if (inference->method == INFER_CLASSES)
        event_sums_open(&inference->events, scene, side);
    inference->index = mem_alloc(n * sizeof *inference->index + 1);
    inference->functions = mem_alloc(n * sizeof *inference->functions + 1);
    memset(inference->index, 0xFF, n * sizeof *inference->index);
    struct ties ties = {&inference->program.calls, inference->index};
    for (size_t i = 0; i < functions->n; i++)
        function_number(inference, functions->at[i].seen.function);
    for (size_t i = 0; i < functions->n; i++)
        function_problem(inference, &functions->at[i], is_tied(inference) ? &ties : NULL);
    if (is_tied(inference))
        starts_fix(inference);
    if (!is_plain(inference))
        infer_program_solve(&inference->program, inference->method);
}

void inference_close(struct inference *inference)
{
    infer_program_release(&inference->program);
    mem_free(inference->index);
    mem_free(inference->functions);
    if (inference->method == INFER_CLASSES && !inference->whole)
        event_sums_close(&inference->events);
}

bool inference_calls(const struct inference *inference, uint64_t to)
{
    const struct symbols *symbols =
        &inference->scene->modules.at[inference->module].binary->symbols;
    function_id function = symbols_find(symbols, (struct svma){to});
    return is_tied(inference) && function != FUNCTION_NONE &&
           symbols->functions.at[function].start.v == to && inference->index[function] != TIES_NONE;
}

/* ---- what is inferred */

struct taker {
    struct flow *flow;
    const struct cfg *cfg;
    const struct infer_problem *problem;
    bool exact;
};

/* What nobody saw is not known better than to being seen once; what was changed though it was
 * exact, to its change. */
static void quantity_set(const struct taker *taker, struct quantity *quantity, uint64_t count)
{
    double off = fabs((double)count - (double)quantity->count);
    double sd = taker->exact ? off : fmax(off, (double)taker->problem->grain);
    if (off > 0 && (taker->exact || !quantity->count))
        quantity->count_sd = quantity->alone_sd = sd;
    quantity->count = count;
}

/* Behind a call only what came back goes on. */
static void block_take(const struct taker *taker, block_id id, uint32_t ways)
{
    const struct cfg_block *block = &taker->cfg->blocks.at[id];
    const struct infer_block *inferred = &taker->problem->blocks.at[id];
    uint64_t count = inferred->ran.inferred;
    uint32_t call = INSTRUCTION_NONE;
    if (taker->exact && count == inferred->ran.seen)
        return;
    if (block_leaves(taker->cfg, block, ways) == LEAVES_CALLING)
        call = block_last_call(taker->cfg, block);
    for (uint32_t i = block->first; i < block->first + block->instructions; i++) {
        quantity_set(taker, &taker->flow->instructions[i], count);
        if (i == call)
            count -= inferred->left.inferred;
    }
}

static void entries_take(const struct taker *taker)
{
    struct quantity *entries = &taker->flow->entries;
    if (taker->problem->entry == BLOCK_NONE)
        return;
    const struct infer_count *entered = &taker->problem->blocks.at[taker->problem->entry].entered;
    quantity_set(taker, entries, entered->inferred);
    if (entered->firm && entered->sd == 0)
        entries->count_sd = entries->alone_sd = 0;
}

static void counts_take(const struct taker *taker)
{
    struct flow *flow = taker->flow;
    const struct cfg *cfg = taker->cfg;
    uint32_t *ways = blocks_ways(cfg);
    for (uint32_t i = 0; i < cfg->blocks.n; i++)
        block_take(taker, i, ways[i]);
    mem_free(ways);
    for (size_t i = 0; i < cfg->edges.n; i++)
        quantity_set(taker, &flow->edges[i], taker->problem->edges.at[i].gone.inferred);
    flow->body = (struct quantity){.time = flow->body.time, .bare = flow->body.bare};
    for (size_t i = 0; i < cfg->instructions.n; i++) {
        struct quantity quantity = flow->instructions[i];
        quantity.time = quantity.bare = 0;
        quantity_add(&flow->body, &quantity);
    }
    entries_take(taker);
}

static uint64_t beyond(uint64_t count, uint64_t other)
{
    return count > other ? count - other : 0;
}

/* Passages of a whole exact run that do not begin at the entry or end where the code lets them. */
static void uneven_tell(struct flow *flow, const struct problem_parts *parts)
{
    const struct cfg *cfg = parts->cfg;
    struct infer_problem problem;
    problem_make(&problem, parts);
    uint64_t *in = mem_alloc(2 * cfg->blocks.n * sizeof *in + 1), *out = in + cfg->blocks.n;
    uint32_t *ways = blocks_ways(cfg);
    for (size_t i = 0; i < problem.edges.n; i++) {
        const struct infer_edge *edge = &problem.edges.at[i];
        in[edge->to] += edge->gone.seen;
        out[edge->from] += edge->gone.seen;
    }
    for (uint32_t i = 0; i < cfg->blocks.n; i++) {
        uint64_t ran = problem.blocks.at[i].ran.seen, entered = problem.blocks.at[i].entered.seen;
        bool leaves = block_leaves(cfg, &cfg->blocks.at[i], ways[i]) == LEAVES;
        flow->begun += i == problem.entry ? beyond(ran, in[i] + entered) : beyond(ran, in[i]);
        flow->begun += beyond(out[i], ran);
        flow->ended += beyond(in[i], ran) + (leaves ? 0 : beyond(ran, out[i]));
    }
    mem_free(ways);
    mem_free(in);
    infer_release(&problem);
}

void inference_apply(const struct inference *inference, struct counted_function *function)
{
    struct flow *flow = &function->flows[inference->side];
    if (inference->whole) {
        struct problem_parts parts = parts_of(inference, function);
        uneven_tell(flow, &parts);
        return;
    }
    counts_take(&(struct taker){
        .flow = flow,
        .cfg = &function->cfg,
        .problem = &inference->program.functions.at[inference->index[function->seen.function]],
        .exact = profile_of(inference)->mode == PROFILE_EXACT});
}
