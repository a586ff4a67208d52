/* Branches and indirect jumps that were seen, as votes for arcs. */
#include "gcov/fitting.h"

#include <stdlib.h>

enum { WEIGHT_MORE = 14, WEIGHT_LESS = 24, ARRIVAL = 80, ENTRY_MORE = 8 };

static uint64_t distance(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

/* The first block from there on that has lines: empty ones only lead on. */
static uint32_t block_with_lines(const struct fitting *fitting, uint32_t block)
{
    for (int steps = 0; steps < 4 && fitting->first_line[block] == GROUP_NONE; steps++) {
        uint32_t arc = fitting->first_arc[block];
        if (fitting->first_arc[block + 1] - arc != 1)
            break;
        block = fitting->function->arcs.at[arc].to;
    }
    return block;
}

/* How well a line or a place fits a block: of a place, too, that only its line is there. */
static int group_score(const struct fitting *fitting, uint32_t group, uint32_t block)
{
    if (fitting_group_has(fitting, group, block))
        return 4;
    return group != GROUP_NONE &&
           fitting_group_has(fitting, fitting->groups->at[group].whole, block);
}

/* How well lines that a way leads to fit the block at the end of an arc. */
static int lines_score(const struct fitting *fitting, const uint32_t to[WAY_LINES], uint32_t block)
{
    int score = 0;
    for (int i = 0; i < WAY_LINES; i++)
        score += group_score(fitting, to[i], block) * (WAY_LINES + 1 - i);
    return score;
}

/* The same of a block and what surely follows it: code of both may be one piece. */
static int chain_score(const struct fitting *fitting, uint32_t group, uint32_t block)
{
    int best = 0;
    bool place = group != GROUP_NONE && fitting->groups->at[group].what != GROUP_LINE;
    for (int steps = 0; steps < (place ? 4 : 1) && block != NOTES_EXIT; steps++) {
        int score = group_score(fitting, group, block);
        best = score > best ? score : best;
        uint32_t arc = fitting->first_arc[block], n = fitting->first_arc[block + 1] - arc;
        const struct notes_arc *arcs = &fitting->function->arcs.at[arc];
        if (n != 1 && !(n == 2 && arcs[1].flags & ARC_FAKE && !(arcs[0].flags & ARC_FAKE)))
            break;
        block = arcs[0].to;
    }
    return best;
}

/* Whether a way leads to the branch's own line, nobody knows where in it. */
static bool own_place(const struct fitting *fitting, const struct sighting *sighting, uint32_t to)
{
    const struct line_group *groups = fitting->groups->at;
    return to != GROUP_NONE && groups[to].what == GROUP_LINE &&
           groups[to].whole == groups[sighting->group].whole;
}

static int way_score(const struct fitting *fitting, const struct sighting *sighting, int way,
                     uint32_t block)
{
    /* The branch's own line may be on either way, and tells less than another. */
    int score = 0;
    for (int i = 0; i < WAY_LINES; i++)
        score += 16 * chain_score(fitting, sighting->to[way][i], block) *
                 (own_place(fitting, sighting, sighting->to[way][i]) ? 1 : WAY_LINES + 1 - i);
    for (uint32_t i = fitting->first_arc[block]; i < fitting->first_arc[block + 1]; i++)
        score += lines_score(fitting, sighting->to[way], fitting->function->arcs.at[i].to);
    uint32_t first = sighting->to[way][0];
    if (fitting_group_has(fitting, first, block) && fitting->groups->at[first].what == GROUP_LINE &&
        fitting->discriminators[block] == sighting->to_discriminator[way])
        score += 32;
    return score;
}

/* How well the ways of a branch fit a block's arcs: the first way the first arc, or the other one.
 */
struct ways_scores {
    int straight, crossed;
};

static struct ways_scores ways_score(const struct fitting *fitting, const struct sighting *sighting,
                                     uint32_t block)
{
    const struct notes_arc *arcs = &fitting->function->arcs.at[fitting->first_arc[block]];
    uint32_t ends[2] = {block_with_lines(fitting, arcs[0].to),
                        block_with_lines(fitting, arcs[1].to)};
    return (struct ways_scores){
        way_score(fitting, sighting, 0, ends[0]) + way_score(fitting, sighting, 1, ends[1]),
        way_score(fitting, sighting, 0, ends[1]) + way_score(fitting, sighting, 1, ends[0])};
}

/* Where one way has a block of its own and the other leads at once to what follows it, and lines do
 * not tell them apart: of c ? f[x] : 0 the longer code is that block's. */
static struct ways_scores bytes_score(const struct fitting *fitting,
                                      const struct sighting *sighting, uint32_t block)
{
    const struct notes_arc *arcs = &fitting->function->arcs.at[fitting->first_arc[block]];
    struct ways_scores scores = {0, 0};
    for (int way = 0; way < 2; way++) {
        uint32_t arm = arcs[way].to, first = fitting->first_arc[arm];
        bool longer = sighting->bytes[way] > sighting->bytes[!way],
             shorter = sighting->bytes[way] < sighting->bytes[!way];
        if (fitting->first_line[arm] == GROUP_NONE || fitting->decides[arm] != block ||
            fitting->first_arc[arm + 1] - first != 1 ||
            fitting->function->arcs.at[first].to != arcs[!way].to)
            continue;
        scores.straight += longer;
        scores.crossed += shorter;
    }
    return scores;
}

/* Copies of one branch: ways of all of them are added up. */
struct branch {
    uint32_t block;
    uint64_t ways[2];
    uint32_t n; /* sightings */
    struct open_sightings {
        VEC(const struct sighting *); /* whose ways lines do not tell apart */
    } open;
};

static void branch_add(const struct fitting *fitting, struct branch *branch,
                       const struct sighting *sighting)
{
    struct ways_scores scores = ways_score(fitting, sighting, branch->block);
    if (scores.crossed == scores.straight)
        scores = bytes_score(fitting, sighting, branch->block);
    bool swapped = scores.crossed > scores.straight;
    branch->n++;
    if (scores.crossed == scores.straight) {
        *vec_push(&branch->open) = sighting;
        return;
    }
    branch->ways[0] += sighting->ways[swapped];
    branch->ways[1] += sighting->ways[!swapped];
}

/* How many arcs lead from one block to another at least; UINT32_MAX: none do. */
static uint32_t blocks_apart(const struct fitting *fitting, uint32_t from, uint32_t to)
{
    const struct notes_function *function = fitting->function;
    uint32_t *steps = mem_alloc(function->n_blocks * sizeof *steps);
    uint32_t *queue = mem_alloc(function->n_blocks * sizeof *queue);
    size_t n = 1;
    queue[0] = from;
    steps[from] = 1;
    for (size_t i = 0; i < n && !steps[to]; i++)
        for (uint32_t a = fitting->first_arc[queue[i]]; a < fitting->first_arc[queue[i] + 1]; a++) {
            uint32_t next = function->arcs.at[a].to;
            if (function->arcs.at[a].flags & ARC_FAKE || steps[next])
                continue;
            steps[next] = steps[queue[i]] + 1;
            queue[n++] = next;
        }
    uint32_t result = steps[to] - 1;
    mem_free(queue);
    mem_free(steps);
    return result;
}

/* Copies whose lines tell nothing, one after the other: as is nearest to what flows there so far,
 * all of them together. More than flows comes by the way that leads back to the branch: the copies
 * of a loop that was unrolled. */
static void branch_orient(const struct fitting *fitting, struct branch *branch)
{
    uint32_t arc = fitting->first_arc[branch->block];
    const struct notes_arc *arcs = &fitting->function->arcs.at[arc];
    if (!branch->open.n)
        return;
    uint32_t back[2] = {blocks_apart(fitting, arcs[0].to, branch->block),
                        blocks_apart(fitting, arcs[1].to, branch->block)};
    for (size_t i = 0; i < branch->open.n; i++) {
        const uint64_t *ways = branch->open.at[i]->ways;
        uint64_t as_is = distance(fitting->arcs[arc], branch->ways[0] + ways[0]) +
                         distance(fitting->arcs[arc + 1], branch->ways[1] + ways[1]);
        uint64_t other = distance(fitting->arcs[arc], branch->ways[0] + ways[1]) +
                         distance(fitting->arcs[arc + 1], branch->ways[1] + ways[0]);
        bool swapped = other < as_is;
        if (other == as_is && back[0] != back[1])
            swapped = back[1] < back[0] ? ways[0] > ways[1] : ways[1] > ways[0];
        branch->ways[0] += ways[swapped];
        branch->ways[1] += ways[!swapped];
    }
    branch->open.n = 0;
}

static void branch_vote(struct fitting *fitting, struct branch *branch, uint32_t share)
{
    if (!branch->n || (branch->open.n && fitting->first_round))
        return;
    branch_orient(fitting, branch);
    for (uint32_t way = 0; way < 2; way++)
        fitting_vote(&fitting->arc_votes, fitting->first_arc[branch->block] + way,
                     WEIGHT_MORE / share, WEIGHT_LESS / share, branch->ways[way]);
}

struct branch_list {
    VEC(struct branch);
};

/* How many different branches of the line were seen: in other columns, or with other
 * discriminators. */
static size_t branches_seen(const struct fitting *fitting, const struct line_seen *line)
{
    size_t result = 0;
    for (size_t i = line->first; i < line->end; i++) {
        const struct sighting *sighting = &fitting->sightings->at[i];
        bool again = sighting->kind != SIGHTING_WAYS;
        for (size_t k = line->first; k < i && !again; k++) {
            const struct sighting *other = &fitting->sightings->at[k];
            again = other->kind == SIGHTING_WAYS &&
                    (sighting->by_column ? other->column == sighting->column
                                         : other->discriminator == sighting->discriminator);
        }
        result += !again;
    }
    return result;
}

/* Blocks that end in a branch of the line; if those are too few, blocks that have the line
 * somewhere. */
static void branches_list(const struct fitting *fitting, const struct line_seen *line,
                          struct branch_list *list)
{
    size_t seen = branches_seen(fitting, line);
    for (int anywhere = 0; anywhere < 2 && (!anywhere || list->n < seen); anywhere++) {
        list->n = 0;
        for (uint32_t i = 0; i < line->n_blocks; i++)
            if ((anywhere || fitting_ends_in(fitting, line->blocks[i], line->group)) &&
                fitting_branches(fitting, line->blocks[i]))
                *vec_push(list) = (struct branch){.block = line->blocks[i]};
    }
}

/* Whether two sightings are copies of one branch: of one column, or, where several discriminators
 * were seen, of one discriminator. */
static bool same_branch(const struct sighting *a, const struct sighting *b, bool told)
{
    return !a->by_column && told && a->discriminator == b->discriminator && a->column == b->column;
}

/* Branches of which nothing but counts can tell which block they end. */
static void rest_deal(struct fitting *fitting, struct branch_list *list, const struct match *rest,
                      size_t n_rest, bool told)
{
    const struct sighting *sightings = fitting->sightings->at;
    struct match *blocks = mem_alloc((list->n + 1) * sizeof *blocks);
    struct match *seen = mem_alloc((n_rest + 1) * sizeof *seen);
    uint32_t *seen_of = mem_alloc((list->n + 1) * sizeof *seen_of);
    size_t n = 0, n_seen = 0;
    for (uint32_t i = 0; i < list->n; i++)
        if (!list->at[i].n)
            blocks[n++] = (struct match){i, fitting->blocks[list->at[i].block]};
    for (size_t i = 0; i < n_rest; i++) {
        size_t k = 0;
        while (k < n_seen && !same_branch(&sightings[seen[k].at], &sightings[rest[i].at], told))
            k++;
        if (k == n_seen)
            seen[n_seen++] = (struct match){rest[i].at, 0};
        seen[k].count += rest[i].count;
    }
    if (n && n_seen) {
        matches_align(blocks, n, seen, n_seen, false, seen_of);
        for (size_t i = 0; i < n; i++)
            for (size_t k = 0; seen_of[i] != MATCH_NONE && k < n_rest; k++) {
                const struct sighting *one = &sightings[seen[seen_of[i]].at];
                if (rest[k].at == seen[seen_of[i]].at ||
                    same_branch(one, &sightings[rest[k].at], told))
                    branch_add(fitting, &list->at[blocks[i].at], &sightings[rest[k].at]);
            }
    }
    mem_free(seen_of);
    mem_free(seen);
    mem_free(blocks);
}

enum { COLUMNS_MAX = 6 };

/* Where branches of a line have as many columns as there are blocks for them, each column is one
 * branch, with all its copies: which block's is told by the lines that its ways lead to, else both
 * have one order. Loops have not: their test comes first in the text and last in the graph. */
struct columns {
    int scores[COLUMNS_MAX][COLUMNS_MAX]; /* of each column in each block */
    uint32_t block[COLUMNS_MAX];          /* of each column, the best so far */
    uint32_t keys[COLUMNS_MAX];           /* column_key of each */
    size_t n;
};

/* Branches of one place, as of a && b, differ by discriminator. */
static uint32_t column_key(const struct fitting *fitting, const struct sighting *sighting)
{
    return fitting->groups->at[sighting->group].what == GROUP_BRANCH ? sighting->discriminator
                                                                     : sighting->column;
}

/* COLUMNS_MAX: there is none. */
static size_t column_find(const struct columns *columns, size_t n, uint32_t key)
{
    for (size_t i = 0; i < n; i++)
        if (columns->keys[i] == key)
            return i;
    return COLUMNS_MAX;
}

/* All orders of the blocks from one on, the given one first. */
static void columns_try(struct columns *columns, uint32_t order[COLUMNS_MAX], size_t from,
                        int score, int *best)
{
    if (from == columns->n) {
        if (score > *best) {
            *best = score;
            for (size_t i = 0; i < columns->n; i++)
                columns->block[i] = order[i];
        }
        return;
    }
    for (size_t i = from; i < columns->n; i++) {
        uint32_t chosen = order[i];
        for (size_t k = i; k > from; k--)
            order[k] = order[k - 1];
        order[from] = chosen;
        columns_try(columns, order, from + 1, score + columns->scores[from][chosen], best);
        for (size_t k = from; k < i; k++)
            order[k] = order[k + 1];
        order[i] = chosen;
    }
}

static bool columns_assign(const struct fitting *fitting, const struct line_seen *line,
                           const struct branch_list *list, struct columns *columns)
{
    *columns = (struct columns){.n = list->n};
    size_t n = 0;
    for (size_t i = line->first; i < line->end; i++) {
        const struct sighting *sighting = &fitting->sightings->at[i];
        if (sighting->kind != SIGHTING_WAYS)
            continue;
        uint32_t key = column_key(fitting, sighting);
        size_t at = column_find(columns, n, key);
        if (at == COLUMNS_MAX) {
            if (n == list->n || n == COLUMNS_MAX)
                return false;
            columns->keys[at = n++] = key;
        }
        for (size_t k = 0; k < list->n && k < COLUMNS_MAX; k++) {
            struct ways_scores scores = ways_score(fitting, sighting, list->at[k].block);
            columns->scores[at][k] +=
                scores.straight > scores.crossed ? scores.straight : scores.crossed;
        }
    }
    if (n != list->n)
        return false;
    uint32_t order[COLUMNS_MAX] = {0, 1, 2, 3, 4, 5};
    int best = -1;
    columns_try(columns, order, 0, 0, &best);
    return true;
}

static struct branch *branch_of(const struct fitting *fitting, struct branch_list *list,
                                uint32_t number)
{
    struct branch *found = NULL;
    for (size_t i = 0; i < list->n; i++)
        if (fitting->discriminators[list->at[i].block] == number) {
            if (found)
                return NULL;
            found = &list->at[i];
        }
    return found;
}

/* The arc that leads to the lines of a way, if one does better than all others. */
static uint32_t case_arc(const struct fitting *fitting, const struct sighting *sighting, int way,
                         uint32_t block)
{
    uint32_t best = UINT32_MAX;
    int most = 0;
    if (fitting_group_has(fitting, sighting->to[way][0], block))
        return UINT32_MAX; /* to the next branch of the switch */
    for (uint32_t i = fitting->first_arc[block]; i < fitting->first_arc[block + 1]; i++) {
        uint32_t to = block_with_lines(fitting, fitting->function->arcs.at[i].to);
        int score = lines_score(fitting, sighting->to[way], to);
        if (score == most)
            best = UINT32_MAX;
        else if (score > most) {
            most = score;
            best = i;
        }
    }
    return best;
}

/* Branches that a switch became: those that lead to one of its cases are the case's. */
static void switch_vote(struct fitting *fitting, const struct line_seen *line, uint32_t block)
{
    uint32_t first = fitting->first_arc[block], n = fitting->first_arc[block + 1] - first;
    uint64_t *counts = mem_alloc((n + 1) * sizeof *counts);
    bool *seen = mem_alloc(n + 1);
    for (size_t i = line->first; i < line->end; i++) {
        const struct sighting *sighting = &fitting->sightings->at[i];
        for (int way = 0; way < 2 && sighting->kind == SIGHTING_WAYS; way++) {
            uint32_t arc = case_arc(fitting, sighting, way, block);
            if (arc == UINT32_MAX)
                continue;
            counts[arc - first] += sighting->ways[way];
            seen[arc - first] = true;
        }
    }
    for (uint32_t i = 0; i < n; i++)
        if (seen[i])
            fitting_vote(&fitting->arc_votes, first + i, WEIGHT_MORE, WEIGHT_LESS, counts[i]);
    mem_free(seen);
    mem_free(counts);
}

void fit_ways(struct fitting *fitting, const struct line_seen *line)
{
    for (uint32_t i = 0; i < line->n_blocks; i++)
        if (fitting_ends_in(fitting, line->blocks[i], line->group) &&
            fitting_switches(fitting, line->blocks[i])) {
            switch_vote(fitting, line, line->blocks[i]);
            return;
        }
    struct branch_list list = {0};
    struct match *rest = mem_alloc((line->end - line->first + 1) * sizeof *rest);
    size_t n_rest = 0;
    branches_list(fitting, line, &list);
    uint32_t below = list.n > 1 ? fitting_believed(fitting, line) : UINT32_MAX;
    struct columns columns;
    bool by_column = columns_assign(fitting, line, &list, &columns);
    for (size_t i = line->first; list.n && i < line->end; i++) {
        const struct sighting *sighting = &fitting->sightings->at[i];
        if (sighting->kind != SIGHTING_WAYS)
            continue;
        struct branch *branch =
            list.n == 1 ? &list.at[0]
            : by_column ? &list.at[columns.block[column_find(&columns, columns.n,
                                                             column_key(fitting, sighting))]]
            : sighting->discriminator < below ? branch_of(fitting, &list, sighting->discriminator)
                                              : NULL;
        if (branch)
            branch_add(fitting, branch, sighting);
        else
            rest[n_rest++] = (struct match){(uint32_t)i, sighting->count};
    }
    for (size_t i = 0; i < list.n; i++)
        branch_vote(fitting, &list.at[i], 1);
    if (!fitting->first_round && n_rest) {
        struct branch_list open = {0};
        for (size_t i = 0; i < list.n; i++)
            if (!list.at[i].n)
                *vec_push(&open) = list.at[i];
        rest_deal(fitting, &open, rest, n_rest, branches_seen(fitting, line) > 1);
        for (size_t i = 0; i < open.n; i++) {
            branch_vote(fitting, &open.at[i], 2);
            fitting->branches[open.at[i].block] |= open.at[i].n > 0;
            vec_release(&open.at[i].open);
        }
        vec_release(&open);
    }
    for (size_t i = 0; i < list.n; i++) {
        fitting->branches[list.at[i].block] |= list.at[i].n || n_rest >= list.n;
        vec_release(&list.at[i].open);
    }
    mem_free(rest);
    vec_release(&list);
}

/* Labels whose address is taken have fake arcs from the entry: the one whose block, and the next,
 * have most of the lines that were found there. */
static uint32_t arrival_arc(const struct fitting *fitting, const struct sighting *sighting)
{
    const struct notes_arcs *arcs = &fitting->function->arcs;
    uint32_t best = UINT32_MAX;
    int best_score = 0;
    for (uint32_t a = 0; a < arcs->n && arcs->at[a].from == NOTES_ENTRY; a++) {
        if (!(arcs->at[a].flags & ARC_FAKE))
            continue;
        uint32_t block = arcs->at[a].to, arc = fitting->first_arc[block];
        int score = 2 * lines_score(fitting, sighting->to[0], block);
        if (fitting->first_arc[block + 1] - arc == 1)
            score += lines_score(fitting, sighting->to[0], arcs->at[arc].to);
        if (score > best_score) {
            best = a;
            best_score = score;
        }
    }
    return best;
}

/* The arc by which calls come in. */
static uint32_t entry_arc(const struct fitting *fitting)
{
    for (uint32_t i = fitting->first_arc[NOTES_ENTRY]; i < fitting->first_arc[NOTES_ENTRY + 1]; i++)
        if (!(fitting->function->arcs.at[i].flags & ARC_FAKE))
            return i;
    return UINT32_MAX;
}

void fit_arrivals(struct fitting *fitting, const struct line_seen *line)
{
    for (size_t i = line->first; i < line->end; i++) {
        const struct sighting *sighting = &fitting->sightings->at[i];
        bool entry = sighting->kind == SIGHTING_ENTRY;
        bool entered = sighting->kind == SIGHTING_ENTERED;
        uint32_t more = entered ? 0 : entry ? ENTRY_MORE : ARRIVAL;
        uint32_t arc = entry || entered                     ? entry_arc(fitting)
                       : sighting->kind == SIGHTING_ARRIVAL ? arrival_arc(fitting, sighting)
                                                            : UINT32_MAX;
        if (arc != UINT32_MAX)
            fitting_vote(&fitting->arc_votes, arc, more, ARRIVAL, sighting->count);
    }
}
