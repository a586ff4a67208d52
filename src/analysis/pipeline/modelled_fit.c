#include "analysis/pipeline/modelled.h"

#include <math.h>
#include <stdlib.h>

/* Where so many executions begin or end, with the variance of their number as a part of all, and
 * how far it may be off by itself. */
struct edge_of_range {
    uint64_t module, at;
    double count, variance, alone;
};

struct executions {
    VEC(struct edge_of_range); /* by module and address; counts are of all before and here */
    double all;
};

static int edge_order(const void *a, const void *b)
{
    const struct edge_of_range *x = a, *y = b;
    if (x->module != y->module)
        return x->module < y->module ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

static void executions_make(struct executions *executions, const struct profile *profile)
{
    for (uint32_t i = 0; i < profile->ranges.n; i++) {
        struct range_key key;
        memcpy(&key, map_key(&profile->ranges.keys, i), sizeof key);
        struct quantity quantity = quantity_of(profile, &profile->ranges.at[i]);
        double count = (double)quantity.count, variance = quantity.count_sd * quantity.count_sd;
        if (isnan(variance))
            variance = 0;
        *vec_push(executions) =
            (struct edge_of_range){key.module, key.start.v, count, variance, quantity.alone_sd};
        *vec_push(executions) = (struct edge_of_range){key.module, key.last.v + 1, -count,
                                                       -variance, -quantity.alone_sd};
        executions->all += count * key.instructions;
    }
    if (executions->n)
        qsort(executions->at, executions->n, sizeof *executions->at, edge_order);
    for (size_t i = 1; i < executions->n; i++)
        if (executions->at[i].module == executions->at[i - 1].module) {
            executions->at[i].count += executions->at[i - 1].count;
            executions->at[i].variance += executions->at[i - 1].variance;
            executions->at[i].alone += executions->at[i - 1].alone;
        }
}

/* The last edge up to an address; NULL: none. */
static const struct edge_of_range *executions_at(const struct executions *executions,
                                                 uint32_t module, uint64_t at)
{
    struct edge_of_range key = {.module = module, .at = at};
    size_t low = 0, high = executions->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (edge_order(&executions->at[middle], &key) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    const struct edge_of_range *found = low ? &executions->at[low - 1] : NULL;
    return found && found->module == module && found->count > 0.5 ? found : NULL;
}

static void row_multiply(struct modelled *modelled, struct modelled_row *row, double by)
{
    for (uint32_t i = 0; i < modelled->groups * FIELDS; i++) {
        modelled->all.fields[i] += row->fields[i] * (by - 1);
        row->fields[i] *= by;
    }
    for (int i = 0; i < MODELLED_PARTS; i++) {
        row->time[i].cycles *= by;
        row->waits[i].cycles *= by;
    }
    row->fit = by;
}

void modelled_fit(struct modelled *modelled)
{
    struct executions executions = {0};
    double all = 0;
    executions_make(&executions, modelled->scene->sides[0]);
    for (uint32_t g = 0; g < modelled->groups; g++)
        all += modelled->all.fields[g * FIELDS + FIELD_RETIRED];
    for (size_t i = 0; i < modelled->n && executions.all > 0 && all > 0; i++) {
        struct modelled_row *row = &modelled->at[i];
        const struct edge_of_range *counted = executions_at(&executions, row->module, row->at);
        double here = modelled_total(modelled, row, FIELD_RETIRED, 1).value / all;
        if (!counted || !(here > 0))
            continue;
        struct quantity quantity = {.count = (uint64_t)(counted->count + 0.5),
                                    .alone_sd = counted->alone};
        row->counted = estimate_count(modelled->scene->sides[0], &quantity);
        row->fit_deviation = sqrt(fmax(counted->variance, 0)) / counted->count;
        row_multiply(modelled, row, counted->count / executions.all / here);
    }
    vec_release(&executions);
}
