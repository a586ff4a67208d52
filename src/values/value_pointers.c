#include "values/value_pointers.h"

#include "program/elf/image.h"
#include "profile/profile.h"

#include <stdlib.h>

/* No program has anything below, or above what is the kernel's. */
#define ADDRESS_LEAST UINT64_C(0x10000)
#define ADDRESS_MOST (UINT64_C(1) << 47)

void value_pointers_init(struct value_pointers *pointers, struct mappings *mappings)
{
    *pointers = (struct value_pointers){.mappings = mappings};
}

void value_pointers_release(struct value_pointers *pointers)
{
    vec_release(&pointers->extents);
    vec_release(&pointers->spans);
}

static struct module_span span_of(struct value_pointers *pointers, uint32_t module)
{
    while (pointers->spans.n <= module)
        *vec_push(&pointers->spans) = (struct module_span){0};
    struct module_span *span = &pointers->spans.at[module];
    struct image image;
    if (!span->read && mappings_image_open(pointers->mappings, module, &image)) {
        const struct segments *segments = &image.segments;
        if (segments->n) {
            const struct segment *last = &segments->at[segments->n - 1];
            span->low = segments->at[0].start.v;
            span->high = last->start.v + last->memory_bytes;
        }
        image_close(&image);
    }
    span->read = true;
    return *span;
}

static int by_start(const void *a, const void *b)
{
    const struct value_extent *x = a, *y = b;
    return x->start < y->start ? -1 : x->start > y->start;
}

/* Of all mappings of a module the load segments have one and the same shift. */
static void extents_make(struct value_pointers *pointers)
{
    const struct mappings *mappings = pointers->mappings;
    pointers->extents.n = 0;
    for (size_t i = 0; i < mappings->n; i++) {
        const struct mapping *mapping = &mappings->at[i];
        struct module_span span = span_of(pointers, mapping->module);
        struct value_extent extent = {span.low - mapping->shift, span.high - mapping->shift,
                                      mapping->shift, mapping->module};
        bool holds = extent.start <= mapping->start && mapping->start < extent.end;
        if (span.low == span.high || !holds)
            extent = (struct value_extent){mapping->start, mapping->end, mapping->shift,
                                           mapping->module};
        *vec_push(&pointers->extents) = extent;
    }
    if (pointers->extents.n)
        qsort(pointers->extents.at, pointers->extents.n, sizeof *pointers->extents.at, by_start);
    pointers->changes = mappings->changes + 1;
}

void value_pointers_follow(struct value_pointers *pointers)
{
    if (pointers->changes != pointers->mappings->changes + 1)
        extents_make(pointers);
}

struct place value_pointers_find(struct value_pointers *pointers, uint64_t value)
{
    struct place none = {MODULE_NONE, {value}};
    if (value < ADDRESS_LEAST || value >= ADDRESS_MOST)
        return none;
    value_pointers_follow(pointers);
    size_t low = 0, high = pointers->extents.n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (pointers->extents.at[middle].start <= value)
            low = middle + 1;
        else
            high = middle;
    }
    const struct value_extent *extent = low ? &pointers->extents.at[low - 1] : NULL;
    if (!extent || value >= extent->end)
        return none;
    return (struct place){extent->module, {value + extent->shift}};
}
