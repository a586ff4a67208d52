#include "paths/arrivals.h"

#include "program/unwind/landing_pads.h"
#include "program/elf/image.h"
#include "program/elf/known.h"

#include <stdlib.h>

static void arrival_note(struct path_arrivals *arrivals, const struct symbols *symbols,
                         struct svma at)
{
    function_id f = symbols_find(symbols, at);
    if (f != FUNCTION_NONE && symbols->functions.at[f].start.v != at.v)
        *vec_push(arrivals) = at;
}

/* The name of a part that was moved away ("foo.cold") is at its first byte, and nobody comes there
 * by it. */
static void symbol_note(struct path_arrivals *arrivals, const struct symbols *symbols,
                        struct svma at)
{
    uint32_t range = symbols_range(symbols, at);
    if (range == RANGE_NONE || symbols->ranges.at[range].start.v != at.v)
        arrival_note(arrivals, symbols, at);
}

static void crossing_note(struct path_arrivals *arrivals, const struct symbols *symbols,
                          const struct crossing *crossing)
{
    function_id from = symbols->ranges.at[crossing->from].function;
    function_id into = symbols->ranges.at[crossing->into].function;
    bool comes = crossing->kind == CROSSING_LANDING || from != into;
    if (comes && symbols->functions.at[into].start.v != crossing->to)
        *vec_push(arrivals) = (struct svma){crossing->to};
}

static int svma_order(const void *a, const void *b)
{
    const struct svma *x = a, *y = b;
    return x->v < y->v ? -1 : x->v > y->v;
}

void path_arrivals_settle(struct path_arrivals *arrivals)
{
    size_t kept = 0;
    if (arrivals->n)
        qsort(arrivals->at, arrivals->n, sizeof *arrivals->at, svma_order);
    for (size_t i = 0; i < arrivals->n; i++)
        if (!kept || arrivals->at[kept - 1].v != arrivals->at[i].v)
            arrivals->at[kept++] = arrivals->at[i];
    arrivals->n = kept;
}

void path_arrivals_stated(struct path_arrivals *arrivals, const struct image *image,
                          const struct symbols *symbols)
{
    struct landing_pads pads = {0};
    if (image->known) {
        for (size_t i = 0; i < image->known->arrivals.n; i++)
            *vec_push(arrivals) = image->known->arrivals.at[i];
        return;
    }
    for (size_t i = 0; i < symbols->inner.n; i++)
        symbol_note(arrivals, symbols, symbols->inner.at[i]);
    landing_pads_read(&pads, image);
    for (size_t i = 0; i < pads.n; i++)
        arrival_note(arrivals, symbols, pads.at[i]);
    vec_release(&pads);
    for (size_t i = 0; i < symbols->evidence.pointers.n; i++)
        arrival_note(arrivals, symbols, (struct svma){symbols->evidence.pointers.at[i].value});
}

void path_arrivals_find(struct path_arrivals *arrivals, const struct image *image,
                        const struct symbols *symbols)
{
    *arrivals = (struct path_arrivals){0};
    path_arrivals_stated(arrivals, image, symbols);
    struct crossings own;
    const struct crossings *crossings = symbols_crossings(symbols, image, &own);
    for (size_t i = 0; i < crossings->n; i++)
        crossing_note(arrivals, symbols, &crossings->at[i]);
    crossings_release(&own);
    path_arrivals_settle(arrivals);
}

/* The first that is not below. */
static size_t arrivals_from(const struct path_arrivals *arrivals, struct svma at)
{
    size_t low = 0, high = arrivals->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (arrivals->at[middle].v < at.v)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void path_arrivals_pick(const struct path_arrivals *arrivals, const struct symbols *symbols,
                        function_id function, struct path_arrivals *ret)
{
    for (uint32_t r = symbols->functions.at[function].first_range; r != RANGE_NONE;
         r = symbols->ranges.at[r].next) {
        const struct code_range *range = &symbols->ranges.at[r];
        for (size_t i = arrivals_from(arrivals, range->start);
             i < arrivals->n && arrivals->at[i].v - range->start.v < range->bytes; i++)
            *vec_push(ret) = arrivals->at[i];
    }
}
