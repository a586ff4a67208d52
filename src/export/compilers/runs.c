#include "export/compilers/runs.h"

#include "program/cfg/cfg.h"
#include "profile/profile.h"

#include <stdlib.h>

/* ---- runs */

struct builder {
    struct runs *runs;
    struct open_runs {
        VEC(struct run); /* the youngest last; last is not known yet */
    } open;
    uint64_t total; /* of the open ones */
};

static void runs_open(struct builder *builder, uint64_t start, uint64_t count)
{
    *vec_push(&builder->open) = (struct run){.start = start, .count = count};
    builder->total += count;
}

static void runs_end(struct builder *builder, uint64_t last, uint64_t count)
{
    builder->total -= count;
    while (count) {
        struct run *youngest = &builder->open.at[builder->open.n - 1];
        uint64_t part = youngest->count < count ? youngest->count : count;
        *vec_push(builder->runs) = (struct run){youngest->start, last, part};
        youngest->count -= part;
        count -= part;
        if (!youngest->count)
            builder->open.n--;
    }
}

/* How often control went from the block straight into the next; edges are sorted as blocks are, and
 * *at is moved on. */
static uint64_t falls(const struct code_edges *edges, size_t *at, const struct code_block *block)
{
    uint64_t sum = 0, next = block->start + block->bytes;
    for (; *at < edges->n; (*at)++) {
        const struct code_edge *edge = &edges->at[*at];
        if (edge->function > block->function ||
            (edge->function == block->function && edge->from > block->last))
            break;
        if (edge->function == block->function && edge->from == block->last && edge->to == next &&
            (edge->kind == CFG_FALL || edge->kind == CFG_NEXT))
            sum += edge->count;
    }
    return sum;
}

static int run_order(const void *a, const void *b)
{
    const struct run *x = a, *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return x->last < y->last ? -1 : x->last > y->last;
}

static void runs_join(struct runs *runs)
{
    size_t kept = 0;
    if (runs->n)
        qsort(runs->at, runs->n, sizeof *runs->at, run_order);
    for (size_t i = 0; i < runs->n; i++)
        if (kept && run_order(&runs->at[kept - 1], &runs->at[i]) == 0)
            runs->at[kept - 1].count += runs->at[i].count;
        else
            runs->at[kept++] = runs->at[i];
    runs->n = kept;
}

void runs_make(struct runs *runs, const struct code_counts *code)
{
    struct builder builder = {.runs = runs};
    const struct code_block *before = NULL;
    uint64_t fell = 0;
    size_t edge = 0;
    *runs = (struct runs){0};
    for (size_t i = 0; i < code->blocks.n; i++) {
        const struct code_block *block = &code->blocks.at[i];
        bool goes_on = before && before->function == block->function &&
                       before->start + before->bytes == block->start;
        /* What was estimated need not add up: a block is never run through more often than it ran.
         */
        uint64_t through = goes_on && fell < builder.total ? fell : goes_on ? builder.total : 0;
        through = through < block->count ? through : block->count;
        if (before)
            runs_end(&builder, before->last, builder.total - through);
        if (block->count > through)
            runs_open(&builder, block->start, block->count - through);
        fell = falls(&code->edges, &edge, block);
        before = block;
    }
    if (before)
        runs_end(&builder, before->last, builder.total);
    vec_release(&builder.open);
    runs_join(runs);
}

void runs_recorded(struct runs *runs, const struct export_job *job, bool raw)
{
    const struct table *table = &job->profile->runs;
    *runs = (struct runs){0};
    for (uint32_t i = 0; i < table->n; i++) {
        const struct range_key *key = map_key(&table->keys, i);
        if (key->instructions != RUN_BRANCH && (key->instructions == RUN_RAW) == raw &&
            scene_module(job->scene, 0, key->module) == job->code.module)
            *vec_push(runs) = (struct run){key->start.v, key->last.v, table->at[i].count};
    }
    runs_join(runs);
}

void runs_of_job(struct runs *runs, const struct export_job *job)
{
    if (job->options->raw && job->profile->runs.n)
        runs_recorded(runs, job, false);
    else
        runs_make(runs, &job->code);
}

void runs_release(struct runs *runs)
{
    vec_release(runs);
}

/* ---- branches */

static int branch_order(const void *a, const void *b)
{
    const struct branch *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return x->to < y->to ? -1 : x->to > y->to;
}

void branches_make(struct branches *branches, const struct code_counts *code)
{
    *branches = (struct branches){0};
    for (size_t i = 0; i < code->edges.n; i++) {
        const struct code_edge *edge = &code->edges.at[i];
        if (edge->count && edge->kind != CFG_FALL && edge->kind != CFG_NEXT)
            *vec_push(branches) =
                (struct branch){edge->from, edge->to, edge->count,
                                edge->kind != CFG_TAKEN && edge->kind != CFG_JUMP};
    }
    for (size_t i = 0; i < code->calls.n; i++) {
        const struct code_call *call = &code->calls.at[i];
        if (call->to_us && call->kind != EDGE_FALL)
            *vec_push(branches) =
                (struct branch){call->from_us ? call->from : BRANCH_ELSEWHERE, call->to,
                                call->count, call->kind == EDGE_ICALL || call->kind == EDGE_IJUMP};
    }
    size_t kept = 0;
    if (branches->n)
        qsort(branches->at, branches->n, sizeof *branches->at, branch_order);
    for (size_t i = 0; i < branches->n; i++)
        if (kept && branch_order(&branches->at[kept - 1], &branches->at[i]) == 0)
            branches->at[kept - 1].count += branches->at[i].count;
        else
            branches->at[kept++] = branches->at[i];
    branches->n = kept;
}

void branches_release(struct branches *branches)
{
    vec_release(branches);
}
