#include "gcov/smooth.h"

enum {
    SCALE = 64, /* of what was sampled */
    SHARE = 8,  /* of a way that was not met: an eighth of one execution */
};

struct smoothing {
    const struct notes_function *function;
    uint64_t *arcs;
    uint64_t one, share; /* execution; what a way gets that was not met */
    uint64_t *blocks;    /* as they were seen */
    uint32_t *first_arc; /* of each block, and one more */
    uint32_t *came_by;   /* arc by which a search came to each block, plus one */
    uint32_t *queue;
};

static void smoothing_open(struct smoothing *smoothing, const struct notes_function *function,
                           bool exact, uint64_t *arcs)
{
    size_t n = function->n_blocks + 2;
    *smoothing = (struct smoothing){.function = function,
                                    .arcs = arcs,
                                    .one = exact ? 1 : SCALE,
                                    .share = exact ? 1 : SHARE,
                                    .blocks = mem_alloc(n * sizeof *smoothing->blocks),
                                    .first_arc = mem_alloc(n * sizeof *smoothing->first_arc),
                                    .came_by = mem_alloc(n * sizeof *smoothing->came_by),
                                    .queue = mem_alloc(n * sizeof *smoothing->queue)};
    for (uint32_t i = 0; i < function->arcs.n; i++) {
        smoothing->blocks[function->arcs.at[i].to] += arcs[i];
        smoothing->first_arc[function->arcs.at[i].from + 1] = i + 1;
    }
    for (uint32_t b = 1; b <= function->n_blocks; b++)
        if (!smoothing->first_arc[b])
            smoothing->first_arc[b] = smoothing->first_arc[b - 1];
}

static void smoothing_close(struct smoothing *smoothing)
{
    mem_free(smoothing->blocks);
    mem_free(smoothing->first_arc);
    mem_free(smoothing->came_by);
    mem_free(smoothing->queue);
}

/* From one block to another, or to any that was seen (UINT32_MAX), by arcs that have at least so
 * much; came_by has the way. Result: where it ended, or UINT32_MAX. */
static uint32_t way_find(struct smoothing *smoothing, uint32_t from, uint32_t to, uint64_t least)
{
    const struct notes_arc *arcs = smoothing->function->arcs.at;
    size_t n = 1;
    for (uint32_t b = 0; b < smoothing->function->n_blocks; b++)
        smoothing->came_by[b] = 0;
    smoothing->queue[0] = from;
    for (size_t i = 0; i < n; i++) {
        uint32_t block = smoothing->queue[i];
        if (to == UINT32_MAX ? smoothing->blocks[block] > 0 : i && block == to)
            return block;
        for (uint32_t a = smoothing->first_arc[block]; a < smoothing->first_arc[block + 1]; a++) {
            if (arcs[a].flags & ARC_FAKE || smoothing->arcs[a] < least ||
                smoothing->came_by[arcs[a].to] || arcs[a].to == from)
                continue;
            smoothing->came_by[arcs[a].to] = a + 1;
            smoothing->queue[n++] = arcs[a].to;
        }
    }
    return UINT32_MAX;
}

static void way_change(struct smoothing *smoothing, uint32_t from, uint32_t to, int64_t by)
{
    for (uint32_t block = to; block != from;) {
        uint32_t arc = smoothing->came_by[block] - 1;
        smoothing->arcs[arc] += (uint64_t)by;
        block = smoothing->function->arcs.at[arc].from;
    }
}

/* Leads a little by an arc that was not met: instead of what goes to the same place by other ways,
 * or once more round the loop that it is in. */
static void arc_lead(struct smoothing *smoothing, uint32_t arc)
{
    uint32_t from = smoothing->function->arcs.at[arc].from;
    uint32_t over = smoothing->function->arcs.at[arc].to;
    uint32_t join = way_find(smoothing, over, UINT32_MAX, 0);
    if (join == UINT32_MAX)
        return;
    bool instead = join != from && way_find(smoothing, from, join, 2 * smoothing->share) == join;
    if (instead)
        way_change(smoothing, from, join, -(int64_t)smoothing->share);
    else if (join != from && way_find(smoothing, join, from, smoothing->share) == from)
        way_change(smoothing, join, from, (int64_t)smoothing->share);
    else if (join != from)
        return;
    smoothing->arcs[arc] += smoothing->share;
    if (way_find(smoothing, over, UINT32_MAX, 0) == join)
        way_change(smoothing, over, join, (int64_t)smoothing->share);
}

/* Of a function whose beginnings are lost, in copies of it, the code ran, and so it was called. To
 * gcc one that never is called never runs. */
static void entry_lead(struct smoothing *smoothing)
{
    uint32_t join = way_find(smoothing, NOTES_ENTRY, UINT32_MAX, 0);
    if (join == UINT32_MAX || join == NOTES_ENTRY || join == NOTES_EXIT ||
        (way_find(smoothing, join, NOTES_EXIT, 1) != NOTES_EXIT &&
         way_find(smoothing, join, NOTES_EXIT, 0) != NOTES_EXIT))
        return;
    way_change(smoothing, join, NOTES_EXIT, (int64_t)smoothing->one);
    if (way_find(smoothing, NOTES_ENTRY, UINT32_MAX, 0) == join)
        way_change(smoothing, NOTES_ENTRY, join, (int64_t)smoothing->one);
}

/* Of each block: code of one of its lines ran, or it has no lines and leads to those that follow.
 */
static bool *blocks_ran(const struct notes_function *function, const struct line_groups *groups,
                        const struct sightings *sightings)
{
    const struct notes_lines *lines = &function->lines;
    bool *ran = mem_alloc(function->n_blocks + 1), *group_ran = mem_alloc(groups->n + 1);
    for (size_t i = 0; i < sightings->n; i++)
        if (sightings->at[i].count && sightings->at[i].kind < SIGHTING_WAYS)
            group_ran[groups->at[sightings->at[i].group].whole] = true;
    for (uint32_t b = 0; b < function->n_blocks; b++)
        ran[b] = true;
    for (size_t i = 0; i < lines->n; i++)
        ran[lines->at[i].block] = false;
    for (size_t i = 0; i < lines->n; i++) {
        uint32_t group = line_groups_find(groups, lines->at[i].file, lines->at[i].line);
        if (group != GROUP_NONE && group_ran[group])
            ran[lines->at[i].block] = true;
    }
    mem_free(group_ran);
    return ran;
}

void arcs_smooth(const struct notes_function *function, const struct line_groups *groups,
                 const struct sightings *sightings, bool exact, uint64_t *arcs)
{
    struct smoothing smoothing;
    uint64_t entered = 0;
    for (size_t i = 0; i < function->arcs.n; i++)
        if (arcs[i] > UINT64_MAX / SCALE)
            return;
    for (size_t i = 0; i < function->arcs.n; i++) {
        arcs[i] *= exact ? 1 : SCALE;
        entered |= function->arcs.at[i].from == NOTES_ENTRY ? arcs[i] : 0;
    }
    bool *ran = blocks_ran(function, groups, sightings);
    smoothing_open(&smoothing, function, exact, arcs);
    if (!entered)
        entry_lead(&smoothing);
    for (uint32_t i = 0; i < function->arcs.n; i++) {
        const struct notes_arc *arc = &function->arcs.at[i];
        if (!arcs[i] && !(arc->flags & ARC_FAKE) && arc->from != NOTES_ENTRY &&
            smoothing.blocks[arc->from] && (!exact || ran[arc->to]))
            arc_lead(&smoothing, i);
    }
    smoothing_close(&smoothing);
    mem_free(ran);
}
