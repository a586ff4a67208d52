#include "carry/blocks.h"

#include "base/map.h"
#include "base/memory.h"
#include "carry/switches.h"
#include "program/fingerprint.h"

#include <stdlib.h>
#include <string.h>

/* How far around a block its surroundings are looked at. */
enum { ROUNDS = 4 };
enum level { LEVEL_EXACT, LEVEL_LOOSE, LEVELS };

/* One build of the function, with what is needed to compare it. */
struct build {
    const struct cfg *cfg;
    uint64_t *labels[LEVELS][ROUNDS]; /* of each block */
    uint64_t *operations;             /* of each instruction, sorted within its block */
    struct way *out, *in;             /* edges by their source, and by their target */
    uint32_t *first_out, *first_in;   /* of each block, and one more */
    block_id *partner;
};

struct way {
    block_id to;
    uint8_t kind;
};

/* ---- what a block is */

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

static void build_open(struct build *build, const struct carry_side *side, block_id *partner)
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
    for (int level = 0; level < LEVELS; level++)
        for (int round = 1; round < ROUNDS; round++)
            labels_widen(build, (enum level)level, round);
}

static void build_close(struct build *build)
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

/* ---- pairs */

struct matcher {
    struct build old, new;
    struct matched {
        VEC(block_id); /* of the old build, in the order in which they found their partners */
    } matched;
    bool ties; /* of several that are as good, take the first */
};

static void pair(struct matcher *matcher, block_id old, block_id new)
{
    matcher->old.partner[old] = new;
    matcher->new.partner[new] = old;
    *vec_push(&matcher->matched) = old;
}

/* Blocks without partner of one label, in the order of their addresses. */
struct group {
    block_id old, new;
    uint32_t n_old, n_new;
};

struct groups {
    struct map labels;
    VEC(struct group);
};

static struct group *group_of(struct groups *groups, uint64_t label)
{
    uint32_t index = map_add(&groups->labels, &label);
    return index == groups->n ? vec_push(groups) : &groups->at[index];
}

static void groups_make(struct groups *groups, const struct matcher *matcher,
                        const uint64_t *old_labels, const uint64_t *new_labels)
{
    map_init(&groups->labels, sizeof(uint64_t));
    for (block_id b = 0; b < matcher->old.cfg->blocks.n; b++)
        if (matcher->old.partner[b] == BLOCK_NONE) {
            struct group *group = group_of(groups, old_labels[b]);
            if (!group->n_old++)
                group->old = b;
        }
    for (block_id b = 0; b < matcher->new.cfg->blocks.n; b++)
        if (matcher->new.partner[b] == BLOCK_NONE) {
            struct group *group = group_of(groups, new_labels[b]);
            if (!group->n_new++)
                group->new = b;
        }
}

static void groups_release(struct groups *groups)
{
    map_release(&groups->labels);
    vec_release(groups);
}

static void pair_unique(struct matcher *matcher, enum level level, int round)
{
    struct groups groups = {0};
    groups_make(&groups, matcher, matcher->old.labels[level][round],
                matcher->new.labels[level][round]);
    for (size_t i = 0; i < groups.n; i++)
        if (groups.at[i].n_old == 1 && groups.at[i].n_new == 1)
            pair(matcher, groups.at[i].old, groups.at[i].new);
    groups_release(&groups);
}

/* Of as many in the one build as in the other, the first are each other's, and so on. */
static void pair_in_order(struct matcher *matcher, enum level level)
{
    struct groups groups = {0};
    const uint64_t *old_labels = matcher->old.labels[level][0];
    const uint64_t *new_labels = matcher->new.labels[level][0];
    groups_make(&groups, matcher, old_labels, new_labels);
    for (size_t i = 0; i < groups.n; i++) {
        struct group group = groups.at[i];
        if (group.n_old != group.n_new)
            continue;
        uint64_t label = old_labels[group.old];
        block_id old = group.old, new = group.new;
        for (uint32_t k = 0; k < group.n_old; k++) {
            while (old_labels[old] != label || matcher->old.partner[old] != BLOCK_NONE)
                old++;
            while (new_labels[new] != label || matcher->new.partner[new] != BLOCK_NONE)
                new ++;
            pair(matcher, old, new);
        }
    }
    groups_release(&groups);
}

/* ---- along edges */

/* How much of two blocks is the same operations, from 0 to 1, whatever their order. */
static double alike(const struct matcher *matcher, block_id old, block_id new)
{
    const struct cfg_block *x = &matcher->old.cfg->blocks.at[old],
                           *y = &matcher->new.cfg->blocks.at[new];
    const uint64_t *a = matcher->old.operations + x->first, *b = matcher->new.operations + y->first;
    uint32_t i = 0, k = 0, common = 0;
    while (i < x->instructions && k < y->instructions) {
        common += a[i] == b[k];
        uint64_t left = a[i], right = b[k];
        i += left <= right;
        k += right <= left;
    }
    return 2.0 * common / (x->instructions + y->instructions);
}

struct offer {
    double score;
    uint32_t old, new; /* of the ways */
    bool tied;         /* another is as good for one of the two */
};

/* The two that are most alike of those that are not paired. Of two that are equally alike, the one that is reached the same way. */
static struct offer offer_best(const struct matcher *matcher, const struct way *old, uint32_t n_old,
                               const struct way *new, uint32_t n_new, double least)
{
    struct offer best = {0};
    for (uint32_t i = 0; i < n_old; i++) {
        if (matcher->old.partner[old[i].to] != BLOCK_NONE)
            continue;
        for (uint32_t k = 0; k < n_new; k++) {
            if (matcher->new.partner[new[k].to] != BLOCK_NONE)
                continue;
            double like = alike(matcher, old[i].to, new[k].to),
                   score = like + (old[i].kind == new[k].kind) / 16.0;
            if (like < least || score < best.score)
                continue;
            bool other = old[i].to != old[best.old].to || new[k].to != new[best.new].to;
            bool tied = score == best.score && other &&
                        (old[i].to == old[best.old].to || new[k].to == new[best.new].to);
            if (score > best.score)
                best = (struct offer){score, i, k, false};
            best.tied |= tied;
        }
    }
    return best;
}

/* Many ways from one place lead to copies of one block: which is which is told by what else is around them, unless nothing does. */
static void pair_neighbours(struct matcher *matcher, const struct way *old, uint32_t n_old,
                            const struct way *new, uint32_t n_new, double least)
{
    for (;;) {
        struct offer best = offer_best(matcher, old, n_old, new, n_new, least);
        if (best.score == 0 || (best.tied && !matcher->ties))
            return;
        pair(matcher, old[best.old].to, new[best.new].to);
    }
}

/* The largest switches have thousands of ways: all with all would take too long. */
enum { WAYS_MOST = 64 };

static void spread_from(struct matcher *matcher, block_id b, double least)
{
    const struct build *old = &matcher->old, *new = &matcher->new;
    block_id other = old->partner[b];
    uint32_t outs = old->first_out[b + 1] - old->first_out[b],
             new_outs = new->first_out[other + 1] - new->first_out[other],
             ins = old->first_in[b + 1] - old->first_in[b],
             new_ins = new->first_in[other + 1] - new->first_in[other];
    if (outs <= WAYS_MOST && new_outs <= WAYS_MOST)
        pair_neighbours(matcher, old->out + old->first_out[b], outs,
                        new->out + new->first_out[other], new_outs, least);
    if (ins <= WAYS_MOST && new_ins <= WAYS_MOST)
        pair_neighbours(matcher, old->in + old->first_in[b], ins, new->in + new->first_in[other],
                        new_ins, least);
}

/* What lies next to each other mostly stays so. */
static void spread_beside(struct matcher *matcher, block_id b, double least)
{
    block_id other = matcher->old.partner[b];
    for (int side = 0; side < 2; side++) {
        block_id x = side ? b + 1 : b - 1, y = side ? other + 1 : other - 1;
        if (x < matcher->old.cfg->blocks.n && y < matcher->new.cfg->blocks.n &&
            matcher->old.partner[x] == BLOCK_NONE &&
            matcher->new.partner[y] == BLOCK_NONE &&alike(matcher, x, y) >= least)
            pair(matcher, x, y);
    }
}

static void spread(struct matcher *matcher, double least)
{
    for (size_t i = 0; i < matcher->matched.n; i++) {
        spread_from(matcher, matcher->matched.at[i], least);
        spread_beside(matcher, matcher->matched.at[i], least);
    }
}

/* ---- all */

static void pair_cases(struct matcher *matcher, const struct carry_side *old,
                       const struct carry_side *new, double least)
{
    struct carry_cases cases = {0};
    carry_cases_find(&cases, old, new);
    for (size_t i = 0; i < cases.n; i++) {
        struct carry_case found = cases.at[i];
        if (matcher->old.partner[found.old] == BLOCK_NONE &&
            matcher->new.partner[found.new] ==
                BLOCK_NONE &&alike(matcher, found.old, found.new) >= least)
            pair(matcher, found.old, found.new);
    }
    vec_release(&cases);
}

static block_id entry_of(const struct cfg *cfg)
{
    uint32_t first = cfg_find(cfg, cfg->entry);
    return first == INSTRUCTION_NONE ? BLOCK_NONE : cfg->block_of[first];
}

void carry_pairs_make(struct carry_pairs *pairs, const struct carry_side *old,
                      const struct carry_side *new)
{
    size_t n_old = old->cfg->blocks.n, n_new = new->cfg->blocks.n;
    *pairs = (struct carry_pairs){.new_of = mem_alloc(n_old * sizeof *pairs->new_of + 1),
                                  .old_of = mem_alloc(n_new * sizeof *pairs->old_of + 1)};
    memset(pairs->new_of, 0xff, n_old * sizeof *pairs->new_of);
    memset(pairs->old_of, 0xff, n_new * sizeof *pairs->old_of);
    struct matcher matcher = {0};
    build_open(&matcher.old, old, pairs->new_of);
    build_open(&matcher.new, new, pairs->old_of);
    block_id from = entry_of(old->cfg), to = entry_of(new->cfg);
    if (from != BLOCK_NONE && to != BLOCK_NONE)
        pair(&matcher, from, to);
    pair_cases(&matcher, old, new, 0.5);
    for (int level = 0; level < LEVELS; level++) {
        for (int round = ROUNDS; round-- > 0;) {
            pair_unique(&matcher, (enum level)level, round);
            spread(&matcher, 1);
        }
    }
    static const double steps[] = {0.75, 0.5, 0.25};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        spread(&matcher, steps[i]);
    matcher.ties = true;
    for (int level = 0; level < LEVELS; level++) {
        pair_in_order(&matcher, (enum level)level);
        spread(&matcher, 0.25);
    }
    pairs->n = matcher.matched.n;
    vec_release(&matcher.matched);
    build_close(&matcher.old);
    build_close(&matcher.new);
}

void carry_pairs_release(struct carry_pairs *pairs)
{
    mem_free(pairs->new_of);
    mem_free(pairs->old_of);
    *pairs = (struct carry_pairs){0};
}
