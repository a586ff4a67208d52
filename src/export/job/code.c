#include "export/job/code.h"

#include "base/err.h"
#include "analysis/counts/counted_module.h"
#include "analysis/counts/items.h"
#include "export/job/coverage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- which module */

static bool module_is(const struct scene_module *module, const char *wanted)
{
    return strcmp(module->module.path, wanted) == 0 || strcmp(module->name, wanted) == 0;
}

static bool module_choose(const struct scene *scene, const char *wanted, uint32_t *ret_module,
                          struct err *err)
{
    for (uint32_t i = 0; i < scene->modules.n; i++)
        if (wanted ? module_is(&scene->modules.at[i], wanted) : scene_is_program(scene, i)) {
            *ret_module = i;
            return true;
        }
    char list[256] = "";
    size_t used = 0, files = 0;
    for (uint32_t i = 0; i < scene->modules.n; i++) {
        const char *name = scene->modules.at[i].name;
        if (!scene->modules.at[i].binary)
            continue;
        files++;
        *ret_module = i;
        if (used + strlen(name) + 3 < sizeof list)
            used +=
                (size_t)snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "", name);
    }
    if (!wanted && files == 1) /* an import that names no program */
        return true;
    if (wanted)
        return err_set(err, ERR_MISSING, "the profile has no module %s; it has %s", wanted,
                       used ? list : "none with a file");
    return err_set(err, ERR_MISSING, "of which module? --module NAME; the profile has %s",
                   used ? list : "none with a file");
}

/* ---- counts */

static uint64_t executions(const struct profile *profile, const struct quantity *quantity)
{
    if (profile->mode != PROFILE_SAMPLED || !quantity->count)
        return quantity->count;
    double estimate = estimate_count(profile, quantity).value + 0.5;
    if (!(estimate >= 1)) /* what was seen ran */
        return 1;
    return estimate < 0x1p63 ? (uint64_t)estimate : INT64_MAX;
}

static bool is_stub(const struct code_counts *counts, function_id function)
{
    return function != FUNCTION_NONE &&
           counts->binary->symbols.functions.at[function].source == FUNCTION_STUB;
}

/* A plain profile saw no calls. Those that the code makes by name run as often as their block. */
static void calls_guess(struct code_counts *counts, const struct cfg *cfg, const struct flow *flow)
{
    for (uint32_t i = 0; i < cfg->instructions.n; i++) {
        const struct instruction *at = &cfg->instructions.at[i];
        uint64_t count = flow_block(flow, cfg, cfg->block_of[i])->count;
        if (at->kind != INSTRUCTION_CALL || !count)
            continue;
        bool to_us =
            !is_stub(counts, scene_function_at(counts->scene, counts->module, at->target.v));
        *vec_push(&counts->calls) = (struct code_call){.from = at->at.v,
                                                       .to = to_us ? at->target.v : 0,
                                                       .from_us = true,
                                                       .to_us = to_us,
                                                       .kind = EDGE_CALL,
                                                       .count = count};
    }
}

/* As recorded: cut where the counts of its instructions change. */
static void block_cut(struct code_counts *counts, const struct coverage *coverage,
                      const struct cfg *cfg, const struct cfg_block *block, function_id function)
{
    const struct profile *profile = counts->scene->sides[0];
    const struct instruction *at = &cfg->instructions.at[block->first];
    struct code_block *part = NULL;
    uint64_t seen = 0;
    for (uint32_t i = 0; i < block->instructions; i++, at++) {
        uint64_t count = coverage_count(coverage, at->at.v);
        if (!part || count != seen) {
            part = vec_push(&counts->blocks);
            *part = (struct code_block){
                .start = at->at.v,
                .function = function,
                .count = executions(profile, &(struct quantity){.count = count})};
            seen = count;
        }
        part->last = at->at.v;
        part->bytes = (uint32_t)(instruction_next(at).v - part->start);
    }
}

/* coverage: NULL unless counts are to be as recorded. */
static void function_count(struct code_counts *counts, const struct counted_function *counted,
                           const struct coverage *coverage)
{
    const struct profile *profile = counts->scene->sides[0];
    const struct cfg *cfg = &counted->cfg;
    const struct flow *flow = &counted->flows[0];
    function_id function = counted->seen.function;
    if (profile->mode == PROFILE_PLAIN)
        calls_guess(counts, cfg, flow);
    for (block_id b = 0; b < cfg->blocks.n && flow->body.count; b++) {
        const struct cfg_block *block = &cfg->blocks.at[b];
        if (coverage)
            block_cut(counts, coverage, cfg, block, function);
        else
            *vec_push(&counts->blocks) =
                (struct code_block){.start = block->start.v,
                                    .last = block->last.v,
                                    .bytes = block->bytes,
                                    .function = function,
                                    .count = executions(profile, flow_block(flow, cfg, b))};
    }
    for (size_t e = 0; e < cfg->edges.n && flow->body.count; e++) {
        const struct cfg_edge *edge = &cfg->edges.at[e];
        *vec_push(&counts->edges) =
            (struct code_edge){.from = edge->from.v,
                               .to = edge->to.v,
                               .kind = edge->kind,
                               .function = function,
                               .count = executions(profile, &flow->edges[e])};
    }
}

static int call_order(const void *a, const void *b)
{
    const struct code_call *x = a, *y = b;
    if (x->from_us != y->from_us)
        return x->from_us ? -1 : 1;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    if (x->to_us != y->to_us)
        return x->to_us ? -1 : 1;
    if (x->to != y->to)
        return x->to < y->to ? -1 : 1;
    return x->kind < y->kind ? -1 : x->kind > y->kind;
}

/* Ends that are elsewhere are all one. */
static void calls_join(struct code_calls *calls)
{
    size_t kept = 0;
    if (calls->n)
        qsort(calls->at, calls->n, sizeof *calls->at, call_order);
    for (size_t i = 0; i < calls->n; i++) {
        struct code_call *last = kept ? &calls->at[kept - 1] : NULL;
        if (last && call_order(last, &calls->at[i]) == 0)
            last->count += calls->at[i].count;
        else
            calls->at[kept++] = calls->at[i];
    }
    calls->n = kept;
}

/* The calls that tie functions together, made consistent with them. */
static void calls_infer(struct code_counts *counts, const struct inference *inference)
{
    const struct infer_calls *calls = &inference->program.calls;
    for (size_t i = 0; i < calls->n; i++) {
        const struct infer_call *call = &calls->at[i];
        bool from_us =
            call->caller != INFER_ELSEWHERE && !is_stub(counts, inference->functions[call->caller]);
        function_id callee = inference->functions[call->callee];
        bool to_us = from_us || !is_stub(counts, callee);
        uint64_t count =
            executions(counts->scene->sides[0], &(struct quantity){.count = call->inferred});
        if (count && to_us)
            *vec_push(&counts->calls) =
                (struct code_call){.from = from_us ? call->at : 0,
                                   .to = counts->binary->symbols.functions.at[callee].start.v,
                                   .from_us = from_us,
                                   .to_us = true,
                                   .kind = call->kind,
                                   .count = count};
    }
}

static void calls_count(struct code_counts *counts, const struct inference *inference)
{
    struct items items;
    items_list(&items, counts->scene, BY_CALL);
    for (size_t i = 0; i < items.n; i++) {
        const struct item *item = &items.at[i];
        if (inference && item->to_module == counts->module && inference_calls(inference, item->to))
            continue;
        bool from_us = item->module == counts->module && !is_stub(counts, item->function);
        bool to_us = item->to_module == counts->module &&
                     (from_us ||
                      !is_stub(counts, scene_function_at(counts->scene, counts->module, item->to)));
        uint64_t count = executions(counts->scene->sides[0], &item->count[0]);
        if (count && (from_us || to_us))
            *vec_push(&counts->calls) = (struct code_call){.from = from_us ? item->at : 0,
                                                           .to = to_us ? item->to : 0,
                                                           .from_us = from_us,
                                                           .to_us = to_us,
                                                           .kind = item->kind,
                                                           .count = count};
    }
    items_release(&items);
}

/* Functions that begin by a return, or by nothing that leads there: signal handlers. Inference has
 * them among its calls. */
static void arrivals_count(struct code_counts *counts)
{
    const struct scene *scene = counts->scene;
    const struct profile *profile = scene->sides[0];
    const struct symbols *symbols = &counts->binary->symbols;
    for (uint32_t i = 0; i < profile->edges.n; i++) {
        const struct edge_key *key = map_key(&profile->edges.keys, i);
        if (key->kind != EDGE_RETURN || scene_module(scene, 0, key->to_module) != counts->module)
            continue;
        function_id function = symbols_find(symbols, key->to);
        struct quantity quantity = quantity_of(profile, &profile->edges.at[i]);
        uint64_t count = executions(profile, &quantity);
        if (count && function != FUNCTION_NONE && !is_stub(counts, function) &&
            symbols->functions.at[function].start.v == key->to.v)
            *vec_push(&counts->calls) = (struct code_call){
                .to = key->to.v, .to_us = true, .kind = EDGE_CALL, .count = count};
    }
}

/* Of a sampled profile with counts as recorded. Exact counts are consistent as they are. */
static bool coverage_make(struct coverage *coverage, const struct scene *scene, uint32_t module)
{
    const struct profile *profile = scene->sides[0];
    *coverage = (struct coverage){0};
    if (profile->mode != PROFILE_SAMPLED || scene->inferred[0])
        return false;
    for (uint32_t i = 0; i < profile->modules.n; i++)
        if (scene_module(scene, 0, i) == module)
            coverage_add(coverage, profile, i);
    coverage_settle(coverage);
    return true;
}

bool code_counts_make(struct code_counts *counts, struct scene *scene, const char *module,
                      struct err *err)
{
    *counts = (struct code_counts){.scene = scene};
    if (!module_choose(scene, module, &counts->module, err))
        return false;
    const struct scene_module *chosen = &scene->modules.at[counts->module];
    if (!chosen->binary)
        return err_set(err, ERR_MISSING, "%s", chosen->missing);
    counts->binary = chosen->binary;
    struct counted_module counted;
    struct coverage coverage;
    bool as_recorded = coverage_make(&coverage, scene, counts->module);
    counted_module_open(&counted, scene, counts->module, true);
    for (size_t i = 0; i < counted.functions.n; i++) {
        if (!is_stub(counts, counted.functions.at[i].seen.function))
            function_count(counts, counted_module_take(&counted, i),
                           as_recorded ? &coverage : NULL);
        counted_module_drop(&counted, i);
    }
    const struct inference *inference = counted.inferred[0] ? &counted.inferences[0] : NULL;
    if (inference)
        calls_infer(counts, inference);
    if (scene->sides[0]->mode != PROFILE_PLAIN)
        calls_count(counts, inference);
    if (scene->sides[0]->mode != PROFILE_PLAIN && !inference)
        arrivals_count(counts);
    counted_module_close(&counted);
    coverage_release(&coverage);
    calls_join(&counts->calls);
    if (counts->blocks.n)
        return true;
    code_counts_release(counts);
    return err_set(err, ERR_MISSING, "the profile is empty: no code of %s was seen to run",
                   chosen->name);
}

void code_counts_release(struct code_counts *counts)
{
    vec_release(&counts->blocks);
    vec_release(&counts->edges);
    vec_release(&counts->calls);
}
