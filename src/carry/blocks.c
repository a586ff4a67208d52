#include "carry/blocks.h"

#include "base/map.h"
#include "base/memory.h"
#include "carry/labels.h"
#include "carry/switches.h"

#include <string.h>

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

/* The two that are most alike of those that are not paired. Of two that are equally alike, the one
 * that is reached the same way. */
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

/* Many ways from one place lead to copies of one block: which is which is told by what else is
 * around them, unless nothing does. */
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

static void pair_level(struct matcher *matcher, enum level level, double least)
{
    for (int round = ROUNDS; round-- > 0;) {
        pair_unique(matcher, level, round);
        spread(matcher, least);
    }
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
    builds_label(&matcher.old, old, &matcher.new, new);
    block_id from = entry_of(old->cfg), to = entry_of(new->cfg);
    if (from != BLOCK_NONE && to != BLOCK_NONE)
        pair(&matcher, from, to);
    pair_cases(&matcher, old, new, 0.5);
    pair_level(&matcher, LEVEL_EXACT, 1);
    bool most = 2 * matcher.matched.n >= (n_old < n_new ? n_old : n_new);
    if (!most)
        pair_level(&matcher, LEVEL_LINES, 0.5);
    pair_level(&matcher, LEVEL_LOOSE, 1);
    static const double steps[] = {0.75, 0.5, 0.25};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        spread(&matcher, steps[i]);
    pair_level(&matcher, LEVEL_LINES, 0.5);
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
