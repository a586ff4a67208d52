#include "process/first_runs.h"

#include "process/units.h"

#include <stdlib.h>

/* Where functions begin, as far as calls tell. */
struct entries {
    VEC(struct place);
};

static int place_order(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    if (x->module != y->module)
        return x->module < y->module ? -1 : 1;
    return x->address.v < y->address.v ? -1 : x->address.v > y->address.v;
}

static void entries_sort(struct entries *entries)
{
    size_t kept = 0;
    if (entries->n)
        qsort(entries->at, entries->n, sizeof *entries->at, place_order);
    for (size_t i = 0; i < entries->n; i++)
        if (!kept || place_order(&entries->at[kept - 1], &entries->at[i]) != 0)
            entries->at[kept++] = entries->at[i];
    entries->n = kept;
}

/* How many of the first n are at the place or before it. */
static size_t entries_up_to(const struct entries *entries, size_t n, struct place place)
{
    size_t low = 0, high = n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (place_order(&entries->at[middle], &place) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void entry_add(struct entries *entries, struct place to)
{
    if (to.module != MODULE_NONE)
        *vec_push(entries) = to;
}

static const struct unit_segment *pair_site(const struct units *units, const struct pair *pair)
{
    const struct superblock *superblock = &units->superblocks.at[units_owner(units, pair->exit)];
    return &units->segments.at[superblock->first_segment + pair->exit - superblock->first_exit];
}

static void calls_list(const struct units *units, struct entries *entries)
{
    for (size_t i = 0; i < units->segments.n; i++)
        if (units->segments.at[i].end == SEGMENT_CALL && units->segments.at[i].target)
            entry_add(entries, units->segments.at[i].to);
    for (size_t i = 0; i < units->pairs.n; i++)
        if (pair_site(units, &units->pairs.at[i])->end == SEGMENT_ICALL)
            entry_add(entries, units->pairs.at[i].to);
    if (units->superblocks.n) /* of a process, or of what it became */
        entry_add(entries, units->segments.at[units->superblocks.at[0].first_segment].at);
    entries_sort(entries);
}

/* A jump that passes where another function is called ends in one that is only jumped to. */
static void jump_add(struct entries *entries, size_t n_called, const struct unit_segment *site,
                     struct place to)
{
    if (entries_up_to(entries, n_called, segment_last(site)) !=
        entries_up_to(entries, n_called, to))
        entry_add(entries, to);
}

static void jumps_list(const struct units *units, struct entries *entries)
{
    size_t n_called = entries->n;
    for (size_t i = 0; i < units->segments.n; i++)
        if (units->segments.at[i].end == SEGMENT_JUMP && units->segments.at[i].target)
            jump_add(entries, n_called, &units->segments.at[i], units->segments.at[i].to);
    for (size_t i = 0; i < units->pairs.n; i++) {
        const struct unit_segment *site = pair_site(units, &units->pairs.at[i]);
        if (site->end == SEGMENT_IJUMP)
            jump_add(entries, n_called, site, units->pairs.at[i].to);
    }
    entries_sort(entries);
}

void first_runs_tell(const struct units *units, struct profile *profile)
{
    struct entries entries = {0};
    uint64_t order = 0;
    calls_list(units, &entries);
    jumps_list(units, &entries);
    bool *met = mem_alloc(entries.n + 1);
    for (size_t i = 0; i < units->superblocks.n; i++) {
        const struct superblock *superblock = &units->superblocks.at[i];
        for (uint32_t k = 0; k < superblock->n_segments; k++) {
            struct place at = units->segments.at[superblock->first_segment + k].at;
            size_t end = entries_up_to(&entries, entries.n, at);
            if (!end || met[end - 1] || place_order(&entries.at[end - 1], &at) != 0)
                continue;
            met[end - 1] = true;
            struct first_key key = {.module = at.module, .at = at.address};
            struct sums *sums = table_at(&profile->firsts, &key);
            sum_add(&sums->count, 1);
            sum_add(&sums->time, ++order);
        }
    }
    mem_free(met);
    vec_release(&entries);
}
