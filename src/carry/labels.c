#include "carry/labels.h"

#include "base/memory.h"
#include "carry/lines.h"
#include "program/fingerprint.h"

#include <stdlib.h>

static int operation_order(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static void block_read(struct build *build, const struct carry_side *side, block_id b)
{
    const struct cfg_block *block = &side->cfg->blocks.at[b];
    uint64_t *operations = build->operations + block->first;
    uint64_t exact = block->instructions, loose = block->instructions;
    for (uint32_t i = 0; i < block->instructions; i++) {
        struct fingerprint print = fingerprint_of(side->image, side->symbols,
                                                  &side->cfg->instructions.at[block->first + i]);
        exact = fingerprint_mix(exact, print.exact);
        loose = fingerprint_mix(loose, print.loose);
        operations[i] = print.loose;
    }
    qsort(operations, block->instructions, sizeof *operations, operation_order);
    build->labels[LEVEL_EXACT][0][b] = exact;
    build->labels[LEVEL_LOOSE][0][b] = loose;
}

/* The order of ways does not matter: a compiler may have turned a branch round. */
static uint64_t around(const uint64_t *labels, const struct way *ways, uint32_t n, uint64_t seed)
{
    uint64_t sum = n;
    for (uint32_t i = 0; i < n; i++)
        sum += fingerprint_mix(seed, labels[ways[i].to]);
    return sum;
}

static void labels_widen(struct build *build, enum level level, int round)
{
    const uint64_t *before = build->labels[level][round - 1];
    for (block_id b = 0; b < build->cfg->blocks.n; b++) {
        uint32_t out = build->first_out[b], in = build->first_in[b];
        uint64_t follows = around(before, build->out + out, build->first_out[b + 1] - out, 1);
        uint64_t leads = around(before, build->in + in, build->first_in[b + 1] - in, 2);
        build->labels[level][round][b] =
            fingerprint_mix(fingerprint_mix(before[b], follows), leads);
    }
}

static void ways_fill(struct build *build)
{
    const struct cfg_edges *edges = &build->cfg->edges;
    for (size_t i = 0; i < edges->n; i++) {
        build->first_out[edges->at[i].from_block + 1]++;
        build->first_in[edges->at[i].to_block + 1]++;
    }
    size_t n = build->cfg->blocks.n;
    for (size_t b = 0; b < n; b++) {
        build->first_out[b + 1] += build->first_out[b];
        build->first_in[b + 1] += build->first_in[b];
    }
    uint32_t *used = mem_alloc(2 * n * sizeof *used + 1);
    for (size_t i = 0; i < edges->n; i++) {
        const struct cfg_edge *edge = &edges->at[i];
        block_id from = edge->from_block, to = edge->to_block;
        build->out[build->first_out[from] + used[from]++] = (struct way){to, edge->kind};
        build->in[build->first_in[to] + used[n + to]++] = (struct way){from, edge->kind};
    }
    mem_free(used);
}

/* For each line how many blocks more the old build has of it than the new one. */
static void copies_count(int32_t *copies, const struct cfg *cfg, const uint64_t *numbers,
                         size_t lines, int32_t step)
{
    uint32_t *seen = mem_alloc(lines * sizeof *seen);
    for (block_id b = 0; b < cfg->blocks.n; b++) {
        const struct cfg_block *block = &cfg->blocks.at[b];
        for (uint32_t i = block->first; i < block->first + block->instructions; i++)
            if (seen[numbers[i]] != b + 1) {
                seen[numbers[i]] = b + 1;
                copies[numbers[i]] += step;
            }
    }
    mem_free(seen);
}

/* The lines of a block in the order of its code, each as often as it is come back to. Code of which
 * one build has more copies ran in other ways in each of them: such blocks are like no other, and
 * so are those without lines. */
static void lines_label(struct build *build, const uint64_t *numbers, const int32_t *copies,
                        uint64_t nobody)
{
    for (block_id b = 0; b < build->cfg->blocks.n; b++) {
        const struct cfg_block *block = &build->cfg->blocks.at[b];
        uint64_t label = 0, last = 0;
        bool same = true;
        for (uint32_t i = block->first; i < block->first + block->instructions; i++) {
            same &= !numbers[i] || !copies[numbers[i]];
            if (numbers[i] && numbers[i] != last)
                label = fingerprint_mix(label, last = numbers[i]);
        }
        build->labels[LEVEL_LINES][0][b] = last && same ? label : fingerprint_mix(nobody, b);
    }
}

void build_open(struct build *build, const struct carry_side *side, block_id *partner)
{
    size_t n = side->cfg->blocks.n, edges = side->cfg->edges.n;
    *build = (struct build){
        .cfg = side->cfg,
        .operations = mem_alloc(side->cfg->instructions.n * sizeof *build->operations + 1),
        .out = mem_alloc(edges * sizeof *build->out + 1),
        .in = mem_alloc(edges * sizeof *build->in + 1),
        .first_out = mem_alloc((n + 1) * sizeof *build->first_out),
        .first_in = mem_alloc((n + 1) * sizeof *build->first_in),
        .partner = partner,
    };
    ways_fill(build);
    for (int level = 0; level < LEVELS; level++)
        for (int round = 0; round < ROUNDS; round++)
            build->labels[level][round] = mem_alloc(n * sizeof(uint64_t) + 1);
    for (block_id b = 0; b < n; b++)
        block_read(build, side, b);
}

void builds_label(struct build *old_build, const struct carry_side *old, struct build *new_build,
                  const struct carry_side *new)
{
    uint64_t *numbers = mem_alloc(old->cfg->instructions.n * sizeof *numbers + 1);
    uint64_t *new_numbers = mem_alloc(new->cfg->instructions.n * sizeof *numbers + 1);
    size_t lines = carry_lines_number(numbers, old, new_numbers, new);
    int32_t *copies = mem_alloc(lines * sizeof *copies);
    copies_count(copies, old->cfg, numbers, lines, 1);
    copies_count(copies, new->cfg, new_numbers, lines, -1);
    lines_label(old_build, numbers, copies, 1);
    lines_label(new_build, new_numbers, copies, 2);
    mem_free(copies);
    mem_free(numbers);
    mem_free(new_numbers);
    for (int level = 0; level < LEVELS; level++)
        for (int round = 1; round < ROUNDS; round++) {
            labels_widen(old_build, (enum level)level, round);
            labels_widen(new_build, (enum level)level, round);
        }
}

void build_close(struct build *build)
{
    for (int level = 0; level < LEVELS; level++)
        for (int round = 0; round < ROUNDS; round++)
            mem_free(build->labels[level][round]);
    mem_free(build->operations);
    mem_free(build->out);
    mem_free(build->in);
    mem_free(build->first_out);
    mem_free(build->first_in);
}
