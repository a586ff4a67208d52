/* Which blocks are which copy's of a function that was inlined several times.
 *
 * Bodies stand one after the other, in the order of their calls. Where each begins with a block
 * that has the function's first line, they go from one to the next. Where gcc took first lines
 * away, lines that every copy has in one block tell at least a part of each body; what lies between
 * two parts belongs to the one that it is reached from. */
#include "gcov/fitting.h"

struct body_key {
    uint32_t entry, instances;
};

static uint32_t blocks_whole(const struct fitting *fitting, const uint32_t *blocks, uint32_t n)
{
    uint32_t result = 0;
    for (uint32_t i = 0; i < n; i++)
        result += !i || fitting->whole[blocks[i]] != fitting->whole[blocks[i - 1]];
    return result;
}

/* The first block of each copy's, of a line that each has once. */
static void bodies_extend(const struct fitting *fitting, const struct line_group *group,
                          struct body *bodies)
{
    const uint32_t *blocks = &fitting->groups->blocks.at[group->first];
    for (uint32_t i = 0, k = 0; i < group->n; i++) {
        k += i && fitting->whole[blocks[i]] != fitting->whole[blocks[i - 1]];
        if (blocks[i] < bodies[k].first)
            bodies[k].first = blocks[i];
        if (blocks[i] > bodies[k].last)
            bodies[k].last = blocks[i];
    }
}

void fit_bodies_find(struct fitting *fitting)
{
    const struct sightings *sightings = fitting->sightings;
    map_init(&fitting->body_keys, sizeof(struct body_key));
    for (size_t i = 0; i < sightings->n; i++) {
        const struct sighting *sighting = &sightings->at[i];
        if (sighting->instances < 2 || (i && sighting[-1].group == sighting->group &&
                                        sighting[-1].instance == sighting->instance))
            continue;
        struct body_key key = {sighting->entry, sighting->instances};
        uint32_t at = map_add(&fitting->body_keys, &key);
        if (at == fitting->first_body.n) {
            *vec_push(&fitting->first_body) = (uint32_t)fitting->bodies.n;
            for (uint32_t k = 0; k < sighting->instances; k++)
                *vec_push(&fitting->bodies) = (struct body){.first = UINT32_MAX};
        }
        const struct line_group *group = &fitting->groups->at[sighting->group];
        if (blocks_whole(fitting, &fitting->groups->blocks.at[group->first], group->n) ==
            sighting->instances)
            bodies_extend(fitting, group, &fitting->bodies.at[fitting->first_body.at[at]]);
    }
}

static bool body_reached(const struct fitting *fitting, const struct body *body, uint32_t block)
{
    const struct notes_arcs *arcs = &fitting->function->arcs;
    for (uint32_t b = body->first; b <= body->last; b++)
        for (uint32_t i = fitting->first_arc[b]; i < fitting->first_arc[b + 1]; i++)
            if (arcs->at[i].to == block && !(arcs->at[i].flags & ARC_FAKE))
                return true;
    return false;
}

/* The number of the body that a block belongs to. */
static uint32_t body_of(const struct fitting *fitting, const struct body *bodies, uint32_t n,
                        uint32_t block)
{
    uint32_t k = 0;
    while (k + 1 < n && bodies[k + 1].first <= block)
        k++;
    if (k + 1 < n && block > bodies[k].last && !body_reached(fitting, &bodies[k], block))
        k++;
    return k;
}

static const struct body *bodies_known(const struct fitting *fitting,
                                       const struct sighting *sighting)
{
    struct body_key key = {sighting->entry, sighting->instances};
    uint32_t at = map_find(&fitting->body_keys, &key);
    if (at == MAP_NONE)
        return NULL;
    const struct body *bodies = &fitting->bodies.at[fitting->first_body.at[at]];
    for (uint32_t k = 0; k < sighting->instances; k++)
        if (bodies[k].first == UINT32_MAX || (k && bodies[k].first <= bodies[k - 1].last))
            return NULL;
    return bodies;
}

/* Entries one by one: blocks from one up to the next. */
static void line_narrow_by_entry(struct line_seen *line, const uint32_t *entries, uint32_t n,
                                 uint32_t instance)
{
    uint32_t low = entries[instance - 1];
    uint32_t high = instance < n ? entries[instance] : UINT32_MAX;
    uint32_t first = 0, end;
    while (first < line->n_blocks && line->blocks[first] < low)
        first++;
    for (end = first; end < line->n_blocks && line->blocks[end] < high;)
        end++;
    if (end == first)
        return;
    line->blocks += first;
    line->n_blocks = end - first;
}

void fit_line_narrow(const struct fitting *fitting, struct line_seen *line)
{
    const struct sighting *sighting = &fitting->sightings->at[line->first];
    const struct line_group *group = &fitting->groups->at[line->group];
    line->blocks = &fitting->groups->blocks.at[group->first];
    line->n_blocks = group->n;
    if (!sighting->instance || sighting->instances < 2)
        return;
    const struct line_group *entry = &fitting->groups->at[sighting->entry];
    if (entry->n == sighting->instances) {
        line_narrow_by_entry(line, &fitting->groups->blocks.at[entry->first], entry->n,
                             sighting->instance);
        return;
    }
    const struct body *bodies = bodies_known(fitting, sighting);
    if (!bodies)
        return;
    uint32_t first = 0, end, own = sighting->instance - 1, n = sighting->instances;
    while (first < line->n_blocks && body_of(fitting, bodies, n, line->blocks[first]) < own)
        first++;
    for (end = first;
         end < line->n_blocks && body_of(fitting, bodies, n, line->blocks[end]) == own;)
        end++;
    if (end == first)
        return;
    line->blocks += first;
    line->n_blocks = end - first;
}
