#include "program/dwarf/inlines.h"

#include "base/parallel.h"
#include "program/dwarf/debug_info.h"
#include "program/dwarf/dwarf_ranges.h"

#include <stdlib.h>

struct reading {
    struct inlines *inlines;
    const struct debug_info *info;
    struct range_budget budget;
    struct inline_scratch scratch[PARALLEL_MAX];
    struct unit_order {
        VEC(struct unit_size);
    } order;
};

/* The largest first, so that at the end no thread is left with one while others wait. */
struct unit_size {
    uint64_t bytes;
    size_t i;
};

static int size_order(const void *a, const void *b)
{
    const struct unit_size *x = a, *y = b;
    if (x->bytes != y->bytes)
        return x->bytes > y->bytes ? -1 : 1;
    return x->i < y->i ? -1 : x->i > y->i;
}

static void order_make(struct reading *reading)
{
    for (size_t i = 0; i < reading->info->units.n; i++)
        *vec_push(&reading->order) = (struct unit_size){
            reading->info->units.at[i]->end - reading->info->units.at[i]->offset, i};
    if (reading->order.n)
        qsort(reading->order.at, reading->order.n, sizeof *reading->order.at, size_order);
}

static void unit_read(void *context, size_t next, unsigned worker)
{
    struct reading *reading = context;
    size_t i = reading->order.at[next].i;
    inline_unit_read(&reading->inlines->units.at[i], reading->info->units.at[i],
                     reading->info->image, &reading->budget, &reading->scratch[worker]);
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

void inlines_read(struct inlines *inlines, const struct debug_info *info)
{
    *inlines = (struct inlines){.info = info};
    struct reading reading = {.inlines = inlines, .info = info};
    range_budget_init(&reading.budget, &info->main.sections);
    for (size_t i = 0; i < info->split.n; i++)
        range_budget_add(&reading.budget, &info->split.at[i]->sections);
    vec_reserve(&inlines->units, info->units.n);
    inlines->units.n = info->units.n;
    order_make(&reading);
    parallel_for(info->units.n, unit_read, &reading);
    vec_release(&reading.order);
    for (unsigned i = 0; i < PARALLEL_MAX; i++)
        inline_scratch_release(&reading.scratch[i]);
    for (size_t i = 0; i < inlines->units.n; i++)
        damage_add(&inlines->damage, &inlines->units.at[i].damage);
    runs_make(inlines);
}

void inlines_release(struct inlines *inlines)
{
    for (size_t i = 0; i < inlines->units.n; i++)
        inline_unit_release(&inlines->units.at[i]);
    vec_release(&inlines->units);
    vec_release(&inlines->runs);
    vec_release(&inlines->stretches);
}

/* ---- questions */

const struct inline_node *inlines_find(const struct inlines *inlines, struct svma at,
                                       uint32_t *ret_unit)
{
    struct svma end;
    return inlines_up_to(inlines, at, ret_unit, &end);
}

const struct inline_node *inlines_up_to(const struct inlines *inlines, struct svma at,
                                        uint32_t *ret_unit, struct svma *ret_end)
{
    const struct stretch *stretch =
        stretches_find(inlines->stretches.at, inlines->stretches.n, at.v);
    ret_end->v =
        stretch ? stretch->end : stretches_next(inlines->stretches.at, inlines->stretches.n, at.v);
    if (!stretch)
        return NULL;
    const struct inline_run *run = &inlines->runs.at[stretch->value];
    const struct inline_unit *unit = &inlines->units.at[run->unit];
    const struct inline_piece *piece = &unit->pieces.at[run->piece];
    const struct inline_segment *segments = unit->segments + piece->first_segment;
    uint64_t inside = at.v - piece->start;
    size_t low = 0, high = piece->n_segments;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (segments[middle].start <= inside)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < piece->n_segments && piece->start + segments[low].start < ret_end->v)
        ret_end->v = piece->start + segments[low].start;
    if (!low)
        return NULL;
    *ret_unit = run->unit;
    return &unit->nodes[segments[low - 1].node];
}

const struct inline_node *inlines_parent(const struct inlines *inlines, uint32_t unit,
                                         const struct inline_node *node)
{
    return node->parent == NODE_NONE ? NULL : &inlines->units.at[unit].nodes[node->parent];
}

void inline_names_init(struct inline_names *names)
{
    *names = (struct inline_names){0};
    map_init(&names->known, 2 * sizeof(uint64_t));
}

void inline_names_release(struct inline_names *names)
{
    map_release(&names->known);
    vec_release(names);
}

const char *inlines_name(const struct inlines *inlines, struct inline_names *names, uint32_t unit,
                         const struct inline_node *node)
{
    const struct dwarf_unit *of = inlines->info->units.at[unit];
    /* An offset means the same in all units of one file. */
    uint64_t key[2] = {(uintptr_t)of->sections, node->origin};
    uint32_t i = map_add(&names->known, key);
    if (i == names->n)
        *vec_push(names) = debug_info_name(inlines->info, of, node->origin);
    return names->at[i];
}
