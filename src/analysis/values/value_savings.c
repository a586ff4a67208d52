/* What knowing values would save, by how often their instructions run. Values are recorded in a
 * small part of what windows count, so counts of blocks say how often; and values, what part. */
#include "analysis/values/values.h"

#include "analysis/counts/items.h"
#include "analysis/values/value_findings.h"

#include <math.h>
#include <stdlib.h>

/* Executions for each instruction of the program. */
struct rates {
    struct items blocks; /* by module and address */
    double all;          /* instructions, in the same units; 0: not known */
};

static int by_place(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    if (x->module != y->module)
        return x->module < y->module ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

static void rates_make(struct rates *rates, const struct scene *scene)
{
    *rates = (struct rates){.all = (double)scene->sides[0]->totals.count};
    if (!(rates->all > 0))
        return;
    items_list(&rates->blocks, scene, BY_BLOCK);
    if (rates->blocks.n)
        qsort(rates->blocks.at, rates->blocks.n, sizeof *rates->blocks.at, by_place);
}

static void rates_release(struct rates *rates)
{
    items_release(&rates->blocks);
}

/* NaN: not known. */
static double rate_at(const struct rates *rates, uint32_t module, uint64_t at)
{
    const struct item wanted = {.module = module, .at = at};
    size_t low = 0, high = rates->blocks.n;
    while (low < high) { /* the first one behind it */
        size_t middle = low + (high - low) / 2;
        if (by_place(&rates->blocks.at[middle], &wanted) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    const struct item *block = low ? &rates->blocks.at[low - 1] : NULL;
    if (!block || block->module != module || at - block->at >= block->bytes)
        return NAN;
    return (double)block->count[0].count / rates->all;
}

/* Of an instruction for all of its callers. */
static size_t callers_end(const struct places_values *places, size_t from)
{
    const struct value_place *first = &places->at[from];
    size_t i = from + 1;
    while (i < places->n && places->at[i].module == first->module &&
           places->at[i].address == first->address && places->at[i].use == first->use &&
           places->at[i].detail == first->detail && places->at[i].vector == first->vector)
        i++;
    return i;
}

void values_savings(struct places_values *places)
{
    struct rates rates;
    rates_make(&rates, places->scene);
    for (size_t i = 0, end; i < places->n; i = end) {
        double rate = rate_at(&rates, places->at[i].module, places->at[i].address), all = 0;
        end = callers_end(places, i);
        for (size_t k = i; k < end; k++)
            all += places->at[k].total;
        for (size_t k = i; k < end && !isnan(rate); k++) {
            struct value_place *place = &places->at[k];
            if (place->saves > 0)
                place->saves = 1000 * rate * value_use_cycles((enum value_use)place->use) *
                               places->values.at[place->first].count / all;
        }
    }
    rates_release(&rates);
}
