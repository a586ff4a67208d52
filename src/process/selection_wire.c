#include "process/selection_wire.h"

#include "process/mappings.h"

struct wire_ranges {
    VEC(struct wire_range);
};

/* What of the mapping is selected; mappings are sorted, and so are ranges. */
static void mapping_add(struct wire_ranges *ranges, const struct mapping *mapping,
                        const struct selected_module *module)
{
    if (module->whole) {
        *vec_push(ranges) = (struct wire_range){mapping->start, mapping->end};
        return;
    }
    for (size_t i = 0; i < module->ranges.n; i++) {
        uint64_t first = mapping->start + mapping->shift, last = mapping->end - 1 + mapping->shift;
        struct selected_range range = module->ranges.at[i];
        range.start = range.start < first ? first : range.start;
        range.end = range.end > last ? last + 1 : range.end;
        if (range.start < range.end)
            *vec_push(ranges) =
                (struct wire_range){range.start - mapping->shift, range.end - mapping->shift};
    }
}

/* Each two neighbours become one: what is between them is walked, too, and not kept. */
static void ranges_coarsen(struct wire_ranges *ranges)
{
    size_t n = 0;
    for (size_t i = 0; i < ranges->n; i += 2, n++) {
        ranges->at[n] = ranges->at[i];
        if (i + 1 < ranges->n)
            ranges->at[n].end = ranges->at[i + 1].end;
    }
    ranges->n = n;
}

void selection_tell(struct selection *selection, const struct mappings *mappings,
                    struct wire_only *to)
{
    struct wire_ranges ranges = {0};
    if (!selection->items.n)
        return;
    for (size_t i = 0; i < mappings->n; i++)
        mapping_add(&ranges, &mappings->at[i],
                    selection_module(selection, mappings, mappings->at[i].module));
    while (ranges.n > ONLY_RANGES)
        ranges_coarsen(&ranges);
    uint64_t version = to->version | 1;
    __atomic_store_n(&to->version, version, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_RELEASE);
    __atomic_store_n(&to->n, ranges.n, __ATOMIC_RELAXED);
    for (size_t i = 0; i < ranges.n; i++) {
        __atomic_store_n(&to->ranges[i].start, ranges.at[i].start, __ATOMIC_RELAXED);
        __atomic_store_n(&to->ranges[i].end, ranges.at[i].end, __ATOMIC_RELAXED);
    }
    __atomic_store_n(&to->version, version + 1, __ATOMIC_RELEASE);
    vec_release(&ranges);
}
