#include "export/compilers/recorded.h"

#include "export/compilers/runs.h"
#include "profile/profile.h"
#include "program/binary.h"
#include "program/insn/disasm.h"
#include "program/insn/sweep.h"

#include <stdlib.h>

bool recorded_wanted(const struct export_job *job)
{
    return job->options->raw && job->profile->runs.n;
}

/* Where the number of runs that go through changes. */
struct change {
    uint64_t at, more, less;
};

struct changes {
    VEC(struct change);
};

static int change_order(const void *a, const void *b)
{
    const struct change *x = a, *y = b;
    return x->at < y->at ? -1 : x->at > y->at;
}

static void block_push(struct code_counts *code, uint64_t start, uint64_t end, uint64_t count)
{
    *vec_push(&code->blocks) =
        (struct code_block){.start = start,
                            .last = end - 1,
                            .bytes = (uint32_t)(end - start),
                            .function = symbols_find(&code->binary->symbols, (struct svma){start}),
                            .count = count};
}

static void blocks_make(struct code_counts *code, const struct runs *runs)
{
    struct changes changes = {0};
    struct instruction last;
    for (size_t i = 0; i < runs->n; i++) {
        const struct run *run = &runs->at[i];
        uint32_t bytes = sweep_bytes(&code->binary->image, (struct svma){run->last}, &last);
        if (!bytes)
            continue;
        *vec_push(&changes) = (struct change){.at = run->start, .more = run->count};
        *vec_push(&changes) = (struct change){.at = run->last + bytes, .less = run->count};
    }
    if (changes.n)
        qsort(changes.at, changes.n, sizeof *changes.at, change_order);
    uint64_t count = 0;
    for (size_t i = 0; i < changes.n; i++) {
        const struct change *change = &changes.at[i];
        if (count && change->at != change[-1].at)
            block_push(code, change[-1].at, change->at, count);
        count += change->more - change->less;
    }
    vec_release(&changes);
}

static void branches_take(struct recorded *recorded, const struct export_job *job)
{
    const struct table *table = &job->profile->runs;
    for (uint32_t i = 0; i < table->n; i++) {
        const struct range_key *key = map_key(&table->keys, i);
        if (key->instructions == RUN_BRANCH &&
            scene_module(job->scene, 0, key->module) == job->code.module)
            *vec_push(&recorded->code.calls) =
                (struct code_call){.from = key->start.v == RUN_ELSEWHERE ? 0 : key->start.v,
                                   .to = key->last.v,
                                   .from_us = key->start.v != RUN_ELSEWHERE,
                                   .to_us = true,
                                   .kind = EDGE_CALL,
                                   .count = table->at[i].count};
    }
}

void recorded_make(struct recorded *recorded, const struct export_job *job)
{
    struct runs runs;
    *recorded = (struct recorded){.code = job->code};
    recorded->code.blocks = (struct code_blocks){0};
    recorded->code.edges = (struct code_edges){0};
    recorded->code.calls = (struct code_calls){0};
    runs_recorded(&runs, job, true);
    for (size_t i = 0; i < runs.n; i++)
        *vec_push(&recorded->starts) = runs.at[i].start;
    blocks_make(&recorded->code, &runs);
    runs_release(&runs);
    branches_take(recorded, job);
}

void recorded_release(struct recorded *recorded)
{
    code_counts_release(&recorded->code);
    vec_release(&recorded->starts);
}
