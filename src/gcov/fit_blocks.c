/* What was seen of a line, as votes for its blocks. */
#include "gcov/fitting.h"

#include <stdlib.h>

/* What each execution more and less than was seen costs. Branches and beginnings of statements that
 * were seen did happen, but copies may have lost theirs: the truth is rather above. Code may be
 * anywhere. */
struct weights {
    uint32_t more, less;
};

static struct weights weights_of(const struct sighting *sighting)
{
    switch ((enum sighting_kind)sighting->kind) {
    case SIGHTING_BRANCH: return (struct weights){16, 28};
    case SIGHTING_CALL: return (struct weights){20, 40};
    case SIGHTING_STATEMENT:
        return sighting->count ? (struct weights){16, 32} : (struct weights){8, 0};
    case SIGHTING_MET: return (struct weights){4, 2};
    default: return (struct weights){4, 4};
    }
}

/* Whether code of a line of the block `with` was seen in the home of the sighting, of a line that
 * the other block does not have as well. */
static bool home_shared(const struct fitting *fitting, const struct sighting *sighting,
                        uint32_t with, uint32_t but)
{
    for (uint32_t i = fitting->first_of_lines[with]; i < fitting->first_of_lines[with + 1]; i++) {
        struct home_key key = {sighting->home, fitting->line_group[i]};
        if (!fitting_group_has(fitting, key.group, but) &&
            map_find(&fitting->homes, &key) != MAP_NONE)
            return true;
    }
    return false;
}

/* Code that was made unconditional is in one piece with what decides about it, or there is no
 * branch that would: it tells nothing. */
static struct weights weights_in(const struct fitting *fitting, const struct sighting *sighting,
                                 uint32_t block)
{
    uint32_t before = fitting->decides[block];
    struct weights weights = weights_of(sighting);
    /* A switch may have become any number of branches. */
    if ((sighting->kind == SIGHTING_BRANCH && fitting_switches(fitting, block)) ||
        fitting->turns[block])
        return (struct weights){0, 0};
    bool movable = sighting->kind == SIGHTING_CODE || sighting->kind == SIGHTING_MET ||
                   sighting->kind == SIGHTING_STATEMENT;
    if (before && movable &&
        (!fitting->branches[before] || home_shared(fitting, sighting, before, block)))
        weights = (struct weights){0, 0};
    return weights;
}

static void block_vote(struct fitting *fitting, uint32_t block, const struct sighting *sighting,
                       uint32_t share)
{
    struct weights weights = weights_in(fitting, sighting, block);
    if (weights.more / share || weights.less / share)
        fitting_vote(&fitting->votes, block, weights.more / share, weights.less / share,
                     sighting->count);
}

static uint64_t distance(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static int match_order(const void *a, const void *b)
{
    const struct match *x = a, *y = b;
    if (x->count != y->count)
        return x->count < y->count ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

enum { ALIGNED_MAX = 1 << 20 };

/* Cell (i, k) is the cost for the first i of a and k of b, of which the last may be a pair. Steps:
 * 1 the last of both are a pair, 2 the last of a is one with an earlier pair's b, or left out, 3
 * the last of b likewise. */
void matches_align(struct match *a, size_t n_a, struct match *b, size_t n_b, bool shared,
                   uint32_t *ret_b_of)
{
    qsort(a, n_a, sizeof *a, match_order);
    qsort(b, n_b, sizeof *b, match_order);
    if (n_a * n_b > ALIGNED_MAX) { /* no line of anybody: by rank */
        for (size_t i = 0; i < n_a; i++)
            ret_b_of[i] = shared || i < n_b ? (uint32_t)(i * n_b / n_a) : MATCH_NONE;
        return;
    }
    uint64_t *cells = mem_alloc((n_a + 1) * (n_b + 1) * sizeof *cells);
    uint8_t *steps = mem_alloc((n_a + 1) * (n_b + 1));
    size_t row = n_b + 1;
    for (size_t i = 0; i <= n_a; i++)
        for (size_t k = 0; k <= n_b; k++) {
            if (!i && !k)
                continue;
            uint64_t here = i && k ? distance(a[i - 1].count, b[k - 1].count) : 0;
            uint64_t best = UINT64_MAX / 2;
            /* Left out, or shared with the pair before: more of the one than of the other. */
            bool skip_a = shared ? i > 1 && k : i && n_a > n_b;
            bool skip_b = shared ? k > 1 && i : k && n_b > n_a;
            if (i && k && cells[(i - 1) * row + k - 1] + here < best) {
                best = cells[(i - 1) * row + k - 1] + here;
                steps[i * row + k] = 1;
            }
            if (skip_a && cells[(i - 1) * row + k] + (shared ? here : 0) < best) {
                best = cells[(i - 1) * row + k] + (shared ? here : 0);
                steps[i * row + k] = 2;
            }
            if (skip_b && cells[i * row + k - 1] + (shared ? here : 0) < best) {
                best = cells[i * row + k - 1] + (shared ? here : 0);
                steps[i * row + k] = 3;
            }
            cells[i * row + k] = best;
        }
    for (size_t i = 0; i < n_a; i++)
        ret_b_of[i] = MATCH_NONE;
    for (size_t i = n_a, k = n_b; i && k;) {
        uint8_t step = steps[i * row + k];
        if (step == 1 || shared)
            ret_b_of[i - 1] = (uint32_t)k - 1;
        i -= step != 3;
        k -= step != 2;
    }
    mem_free(steps);
    mem_free(cells);
}

/* Blocks and sightings of which nothing but counts can tell which belong together. None of the
 * blocks ran more often than the most frequent sighting. */
static void class_deal(struct fitting *fitting, struct match *blocks, size_t n_blocks,
                       struct match *seen, size_t n_seen, uint32_t share)
{
    const struct sighting *sightings = fitting->sightings->at;
    if (!n_blocks || !n_seen)
        return;
    if (n_blocks == 1) {
        for (size_t i = 0; i < n_seen; i++)
            block_vote(fitting, blocks[0].at, &sightings[seen[i].at], share);
        return;
    }
    if (fitting->first_round) {
        uint64_t most = 0;
        for (size_t i = 0; i < n_seen; i++)
            most = seen[i].count > most ? seen[i].count : most;
        for (size_t i = 0; i < n_blocks; i++)
            fitting_vote(&fitting->votes, blocks[i].at, 8, 0, most);
        return;
    }
    uint32_t *seen_of = mem_alloc(n_blocks * sizeof *seen_of);
    matches_align(blocks, n_blocks, seen, n_seen, true, seen_of);
    for (size_t i = 0; i < n_blocks; i++)
        block_vote(fitting, blocks[i].at, &sightings[seen[seen_of[i]].at], 2 * share);
    mem_free(seen_of);
}

/* Branches vote for arcs; where the line has several blocks nothing tells which of them is the
 * branch's. */
static bool is_block_sighting(const struct sighting *sighting)
{
    return sighting->kind < SIGHTING_WAYS;
}

/* Class by class: of each believed discriminator, and all that are not. */
static void line_deal(struct fitting *fitting, const struct line_seen *line)
{
    const uint32_t *group_blocks = line->blocks;
    uint32_t below = fitting_believed(fitting, line);
    struct match *by_number = mem_alloc(line->n_blocks * sizeof *by_number);
    struct match *blocks = mem_alloc(line->n_blocks * sizeof *blocks);
    struct match *seen = mem_alloc((line->end - line->first) * sizeof *seen);
    for (uint32_t k = 0; k < line->n_blocks; k++)
        by_number[k] =
            (struct match){group_blocks[k], least(fitting->discriminators[group_blocks[k]], below)};
    qsort(by_number, line->n_blocks, sizeof *by_number, match_order);
    for (uint32_t k = 0, next; k < line->n_blocks; k = next) {
        size_t n_seen = 0;
        size_t n_blocks = 0;
        for (next = k; next < line->n_blocks && by_number[next].count == by_number[k].count;
             next++) {
            uint32_t block = by_number[next].at;
            if (!n_blocks || fitting->whole[block] != fitting->whole[blocks[n_blocks - 1].at])
                blocks[n_blocks++] = (struct match){block, fitting->blocks[block]};
        }
        for (size_t i = line->first; i < line->end; i++) {
            const struct sighting *sighting = &fitting->sightings->at[i];
            if (is_block_sighting(sighting) &&
                (sighting->kind != SIGHTING_BRANCH || !sighting->by_column) &&
                least(sighting->discriminator, below) == by_number[k].count)
                seen[n_seen++] = (struct match){(uint32_t)i, sighting->count};
        }
        class_deal(fitting, blocks, n_blocks, seen, n_seen, by_number[k].count < below ? 1 : 2);
    }
    mem_free(seen);
    mem_free(blocks);
    mem_free(by_number);
}

void fit_blocks(struct fitting *fitting, const struct line_seen *line)
{
    if (line->n_blocks > 1) {
        line_deal(fitting, line);
        return;
    }
    for (size_t i = line->first; i < line->end; i++)
        if (is_block_sighting(&fitting->sightings->at[i]))
            block_vote(fitting, line->blocks[0], &fitting->sightings->at[i], 1);
}
