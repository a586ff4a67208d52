#include "program/inlines.h"

#include "base/parallel.h"
#include "program/debug_info.h"
#include "program/dwarf_ranges.h"

struct reading {
    struct inlines *inlines;
    struct debug_info *info;
    struct range_budget budget;
};

static void unit_read(void *context, size_t i, unsigned worker)
{
    struct reading *reading = context;
    (void)worker;
    inline_unit_read(&reading->inlines->units.at[i], reading->info->units.at[i],
                     reading->info->image, &reading->budget);
}

/* Where two units claim a place (code folded by the linker, a damaged file) the first has it. */
static void runs_make(struct inlines *inlines)
{
    struct stretches claims = {0};
    for (size_t i = inlines->units.n; i-- > 0;) {
        const struct inline_pieces *pieces = &inlines->units.at[i].pieces;
        for (size_t k = pieces->n; k-- > 0;) {
            *vec_push(&claims) =
                (struct stretch){pieces->at[k].start, pieces->at[k].end, (uint32_t)inlines->runs.n};
            *vec_push(&inlines->runs) = (struct inline_run){(uint32_t)i, (uint32_t)k};
        }
    }
    stretches_paint(&claims, &inlines->stretches);
    vec_release(&claims);
}

void inlines_read(struct inlines *inlines, struct debug_info *info)
{
    *inlines = (struct inlines){.info = info};
    map_init(&inlines->names_known, 2 * sizeof(uint64_t));
    struct reading reading = {.inlines = inlines, .info = info};
    range_budget_init(&reading.budget, &info->main.sections);
    for (size_t i = 0; i < info->split.n; i++)
        range_budget_add(&reading.budget, &info->split.at[i]->sections);
    vec_reserve(&inlines->units, info->units.n);
    inlines->units.n = info->units.n;
    parallel_for(info->units.n, unit_read, &reading);
    for (size_t i = 0; i < inlines->units.n; i++)
        damage_add(&info->damage, &inlines->units.at[i].damage);
    runs_make(inlines);
}

void inlines_release(struct inlines *inlines)
{
    for (size_t i = 0; i < inlines->units.n; i++)
        inline_unit_release(&inlines->units.at[i]);
    vec_release(&inlines->units);
    vec_release(&inlines->runs);
    vec_release(&inlines->stretches);
    vec_release(&inlines->names);
    map_release(&inlines->names_known);
}

/* ---- questions */

const struct inline_node *inlines_find(const struct inlines *inlines, struct svma at,
                                       uint32_t *ret_unit)
{
    const struct stretch *stretch =
        stretches_find(inlines->stretches.at, inlines->stretches.n, at.v);
    if (!stretch)
        return NULL;
    const struct inline_run *run = &inlines->runs.at[stretch->value];
    const struct inline_unit *unit = &inlines->units.at[run->unit];
    const struct inline_piece *piece = &unit->pieces.at[run->piece];
    const struct inline_segment *segments = unit->segments.at + piece->first_segment;
    uint64_t inside = at.v - piece->start;
    size_t low = 0, high = piece->n_segments;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (segments[middle].start <= inside)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low)
        return NULL;
    *ret_unit = run->unit;
    return &unit->nodes.at[segments[low - 1].node];
}

const struct inline_node *inlines_parent(const struct inlines *inlines, uint32_t unit,
                                         const struct inline_node *node)
{
    return node->parent == NODE_NONE ? NULL : &inlines->units.at[unit].nodes.at[node->parent];
}

const char *inlines_name(struct inlines *inlines, uint32_t unit, const struct inline_node *node)
{
    const struct dwarf_unit *of = inlines->info->units.at[unit];
    /* An offset means the same in all units of one file. */
    uint64_t key[2] = {(uintptr_t)of->sections, node->origin};
    uint32_t i = map_add(&inlines->names_known, key);
    if (i == inlines->names.n)
        *vec_push(&inlines->names) = debug_info_name(inlines->info, of, node->origin);
    return inlines->names.at[i];
}
