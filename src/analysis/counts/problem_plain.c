#include "infer/likely.h"
#include "analysis/counts/problem.h"
#include "profile/events.h"
#include "program/insn/decoded.h"

#include <math.h>

/* A block's count is the time that samples found in it, for each of its slots: as if all took the
 * same. An instruction takes one, but a nop takes none, and a conditional branch goes along with
 * the instruction before it if that is one which processors fuse with it. Of an event that is no
 * time, an instruction is as good as another. Edges are not seen; what branches are likely to do
 * stands in, and weighs little.
 */

enum { TIME_FINE = 64 }; /* steps of a nanosecond */

static uint64_t sample_weight(const struct profile *profile)
{
    const struct totals *totals = &profile->totals;
    return totals->interrupts ? totals->time / totals->interrupts + 1 : 1;
}

static bool fuses(const struct image *image, struct svma at)
{
    struct decoded decoded;
    if (!decoded_read(image, at, &decoded))
        return false;
    switch (decoded.instruction.mnemonic) {
    case ZYDIS_MNEMONIC_CMP:
    case ZYDIS_MNEMONIC_TEST:
    case ZYDIS_MNEMONIC_ADD:
    case ZYDIS_MNEMONIC_SUB:
    case ZYDIS_MNEMONIC_AND:
    case ZYDIS_MNEMONIC_INC:
    case ZYDIS_MNEMONIC_DEC: return true;
    default: return false;
    }
}

static uint32_t block_slots(const struct problem_parts *parts, const struct cfg_block *block)
{
    const struct image *image = &parts->scene->modules.at[parts->function->module].binary->image;
    const struct instruction *at = &parts->cfg->instructions.at[block->first];
    uint32_t n = block->instructions, slots = n;
    if (!event_first_is_time(parts->scene->sides[parts->side]))
        return n;
    for (uint32_t i = 0; i < n; i++)
        slots -= at[i].nop;
    if (n > 1 && at[n - 1].kind == INSTRUCTION_COND && fuses(image, at[n - 2].at))
        slots--;
    return slots ? slots : 1;
}

static struct infer_count count_timed(const struct problem_parts *parts,
                                      const struct cfg_block *block)
{
    uint64_t time = 0, n = block_slots(parts, block);
    for (uint32_t i = 0; i < block->instructions; i++)
        time += parts->flow->instructions[block->first + i].time;
    double one = (double)sample_weight(parts->scene->sides[parts->side]);
    double samples = (double)time / one;
    return (struct infer_count){.seen = time * TIME_FINE / n,
                                .sd = (sqrt(samples) + 1) * one * TIME_FINE / (double)n,
                                .measured = true};
}

static void edges_guess(struct infer_problem *problem, const struct problem_parts *parts,
                        enum infer_method method)
{
    const struct cfg *cfg = parts->cfg;
    const struct image *image = &parts->scene->modules.at[parts->function->module].binary->image;
    double *odds = mem_alloc(cfg->edges.n * sizeof *odds + 1);
    bool guess = method != INFER_LEVIN && method != INFER_PROFI;
    likely_edges(odds, cfg, image);
    for (size_t i = 0; i < cfg->edges.n; i++) {
        const struct cfg_edge *edge = &cfg->edges.at[i];
        double ran = (double)problem->blocks.at[edge->from_block].ran.seen;
        *vec_push(&problem->edges) =
            (struct infer_edge){.from = edge->from_block,
                                .to = edge->to_block,
                                .gone = {.seen = guess ? (uint64_t)(ran * odds[i]) : 0}};
    }
    mem_free(odds);
}

/* Where the code lets control in and out, and nothing more. */
static void outside_guess(struct infer_problem *problem, const struct cfg *cfg)
{
    uint32_t *ways = blocks_ways(cfg);
    for (uint32_t i = 0; i < cfg->blocks.n; i++) {
        struct infer_block *block = &problem->blocks.at[i];
        block->entered.ruled = i != problem->entry;
        block->left.ruled = block_leaves(cfg, &cfg->blocks.at[i], ways[i]) != LEAVES;
    }
    mem_free(ways);
}

void problem_make_plain(struct infer_problem *problem, const struct problem_parts *parts,
                        enum infer_method method)
{
    const struct cfg *cfg = parts->cfg;
    uint32_t first = cfg_find(cfg, cfg->entry);
    *problem = (struct infer_problem){
        .grain = sample_weight(parts->scene->sides[parts->side]) * TIME_FINE,
        .entry = first == INSTRUCTION_NONE ? BLOCK_NONE : cfg->block_of[first],
        .points = true};
    problem->one = problem->grain;
    for (uint32_t i = 0; i < cfg->blocks.n; i++)
        vec_push(&problem->blocks)->ran = count_timed(parts, &cfg->blocks.at[i]);
    edges_guess(problem, parts, method);
    outside_guess(problem, cfg);
}

static void count_scale(struct infer_count *count, double by)
{
    count->inferred = (uint64_t)((double)count->inferred * by + 0.5);
}

/* How much time a function takes is known better than where in it: a block that waits for memory
 * has many samples, and flow raises all that is around it. */
void problem_weigh_plain(struct infer_problem *problem, const struct cfg *cfg)
{
    double seen = 0, inferred = 0;
    for (size_t i = 0; i < problem->blocks.n; i++) {
        const struct infer_count *ran = &problem->blocks.at[i].ran;
        seen += (double)ran->seen * cfg->blocks.at[i].instructions;
        inferred += (double)ran->inferred * cfg->blocks.at[i].instructions;
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
