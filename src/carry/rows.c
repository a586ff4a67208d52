/* Rows of a profile from counts of a graph: runs, branches, direct calls and where they come back
 * to. */
#include "carry/counts.h"

#include "profile/sums.h"

#include <math.h>

struct writer {
    struct profile *into;
    uint32_t module;
    const struct cfg *cfg;
    const struct infer_problem *problem;
};

/* The deviation of sums is the root of what they have beyond their share of all squares: twice that
 * share tells the unit. */
struct sums carry_sums(const struct profile *profile, uint64_t count, double sd)
{
    const struct totals *totals = &profile->totals;
    struct sums sums = {.count = count};
    if (profile->mode == PROFILE_EXACT || !count || !totals->count)
        return sums;
    double share = (double)count / (double)totals->count, xx = (double)totals->count_xx;
    sums.time = (uint64_t)(share * (double)totals->time);
    sums.count_xy = (u128)(share * xx);
    sums.count_yy = (u128)(2 * share * share * xx);
    double unit = quantity_of(profile, &sums).count_sd;
    if (!(unit > 0) || !isfinite(unit) || !isfinite(sd))
        return sums;
    double more = sd / unit > 1e3 ? 1e3 : sd / unit;
    sums.count_yy = (u128)(share * share * xx * (1 + more * more));
    if (sums.count_yy > sums.count_xy) /* no batch has more of it than there is */
        sums.count_yy = sums.count_xy;
    return sums;
}

/* What was not seen at all and is inferred is known to itself. */
static struct sums sums_of(const struct writer *writer, const struct infer_count *count)
{
    double sd = count->seen ? count->sd : (double)count->inferred;
    return carry_sums(writer->into, count->inferred, sd);
}

static void edge_write(const struct writer *writer, enum edge_kind kind, struct svma from,
                       struct svma to, const struct infer_count *count)
{
    bool arrival = kind == EDGE_RETURN;
    struct edge_key key = {.from_module = arrival ? MODULE_NONE : writer->module,
                           .to_module = writer->module,
                           .from = arrival ? (struct svma){0} : from,
                           .to = to,
                           .kind = kind};
    if (!count->inferred)
        return;
    struct sums sums = sums_of(writer, count);
    sums_add(table_at(&writer->into->edges, &key), &sums);
}

/* ---- blocks */

static bool ends_run(const struct instruction *instruction)
{
    return instruction->kind != INSTRUCTION_PLAIN;
}

/* What goes on behind a call or a system call in the midst of a block. */
static void pause_write(const struct writer *writer, const struct instruction *last,
                        const struct infer_count *count)
{
    if (last->kind == INSTRUCTION_SYSCALL)
        edge_write(writer, EDGE_SYSCALL, last->at, instruction_next(last), count);
    else
        edge_write(writer, EDGE_RETURN, last->at, instruction_next(last), count);
}

static void block_write(const struct writer *writer, block_id b)
{
    const struct cfg_block *block = &writer->cfg->blocks.at[b];
    const struct infer_count *count = &writer->problem->blocks.at[b].ran;
    const struct instruction *at = &writer->cfg->instructions.at[block->first],
                             *end = at + block->instructions, *start = at;
    if (!count->inferred)
        return;
    for (; at < end; at++) {
        if (at->kind == INSTRUCTION_CALL)
            edge_write(writer, EDGE_CALL, at->at, at->target, count);
        if (!ends_run(at) && at + 1 < end)
            continue;
        struct range_key key = {.module = writer->module,
                                .instructions = (uint32_t)(at - start) + 1,
                                .start = start->at,
                                .last = at->at};
        struct sums sums = sums_of(writer, count);
        sums_add(table_at(&writer->into->ranges, &key), &sums);
        start = at + 1;
        if (start < end)
            pause_write(writer, at, count);
    }
}

/* ---- edges */

/* Of the second way of a branch a sampled profile has both together, too (struct sums). */
static void fall_write(const struct writer *writer, const struct cfg_edge *edge,
                       const struct infer_count *count)
{
    const struct infer_count *both = &writer->problem->blocks.at[edge->from_block].ran;
    struct edge_key key = {writer->module, writer->module, edge->from, edge->to, EDGE_FALL};
    if (!both->inferred)
        return;
    struct sums sums = sums_of(writer, count);
    sums.time = both->inferred;
    sums.time_yy = sums_of(writer, both).count_yy;
    sums_add(table_at(&writer->into->edges, &key), &sums);
}

static enum edge_kind edge_kind_of(const struct writer *writer, const struct cfg_edge *edge)
{
    switch ((enum cfg_edge_kind)edge->kind) {
    case CFG_TAKEN: return EDGE_TAKEN;
    case CFG_FALL: return EDGE_FALL;
    case CFG_JUMP: return EDGE_JUMP;
    case CFG_INDIRECT:
    case CFG_CASE: return EDGE_IJUMP;
    case CFG_NEXT: break;
    }
    const struct cfg_block *block = &writer->cfg->blocks.at[edge->from_block];
    const struct instruction *last =
        &writer->cfg->instructions.at[block->first + block->instructions - 1];
    switch ((enum instruction_kind)last->kind) {
    case INSTRUCTION_CALL:
    case INSTRUCTION_ICALL: return EDGE_RETURN;
    case INSTRUCTION_SYSCALL: return EDGE_SYSCALL;
    default: return EDGE_SPLIT;
    }
}

/* Direct jumps out of the function take what its own edges leave. */
static void exits_write(const struct writer *writer)
{
    for (size_t i = 0; i < writer->cfg->exits.n; i++) {
        const struct cfg_exit *exit = &writer->cfg->exits.at[i];
        bool jump = exit->kind == INSTRUCTION_JUMP, branch = exit->kind == INSTRUCTION_COND;
        uint32_t at = cfg_find(writer->cfg, exit->from);
        if (exit->unresolved || !exit->to.v || at == INSTRUCTION_NONE || !(jump || branch))
            continue;
        const struct infer_count *left =
            &writer->problem->blocks.at[writer->cfg->block_of[at]].left;
        edge_write(writer, jump ? EDGE_JUMP : EDGE_TAKEN, exit->from, exit->to, left);
    }
}

void carry_rows(struct profile *into, uint32_t module, const struct cfg *cfg,
                const struct infer_problem *problem)
{
    struct writer writer = {into, module, cfg, problem};
    for (block_id b = 0; b < cfg->blocks.n; b++)
        block_write(&writer, b);
    for (size_t i = 0; i < cfg->edges.n; i++) {
        const struct cfg_edge *edge = &cfg->edges.at[i];
        const struct infer_count *gone = &problem->edges.at[i].gone;
        if (edge->kind == CFG_FALL && into->mode == PROFILE_SAMPLED)
            fall_write(&writer, edge, gone);
        else
            edge_write(&writer, edge_kind_of(&writer, edge), edge->from, edge->to, gone);
    }
    exits_write(&writer);
}
