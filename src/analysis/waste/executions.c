#include "analysis/waste/executions.h"

#include <math.h>
#include <stdlib.h>

static int step_order(const void *a, const void *b)
{
    const struct executions_step *x = a, *y = b;
    if (x->module != y->module)
        return x->module < y->module ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

void executions_make(struct executions *executions, const struct scene *scene)
{
    const struct profile *profile = scene->sides[0];
    *executions = (struct executions){0};
    for (uint32_t i = 0; i < profile->ranges.n; i++) {
        const struct range_key *key = map_key(&profile->ranges.keys, i);
        uint32_t module = scene_module(scene, 0, key->module);
        struct quantity q = quantity_of(profile, &profile->ranges.at[i]);
        if (module == MODULE_NONE || !q.count)
            continue;
        *vec_push(executions) =
            (struct executions_step){module, key->start.v, (double)q.count, q.count_sd, q.alone_sd};
        *vec_push(executions) = (struct executions_step){module, key->last.v + 1, -(double)q.count,
                                                         -q.count_sd, -q.alone_sd};
    }
    if (executions->n)
        qsort(executions->at, executions->n, sizeof *executions->at, step_order);
    for (size_t i = 1; i < executions->n; i++) {
        const struct executions_step *before = &executions->at[i - 1];
        struct executions_step *step = &executions->at[i];
        step->count += before->count;
        step->count_sd += before->count_sd;
        step->alone_sd += before->alone_sd;
    }
}

void executions_release(struct executions *executions)
{
    vec_release(executions);
}

struct quantity executions_at(const struct executions *executions, uint32_t module, uint64_t at)
{
    const struct executions_step key = {.module = module, .at = at};
    size_t low = 0, high = executions->n; /* those below low are not behind it */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (step_order(&executions->at[middle], &key) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low || executions->at[low - 1].module != module)
        return (struct quantity){0};
    const struct executions_step *step = &executions->at[low - 1];
    return (struct quantity){.count = (uint64_t)fmax(step->count + 0.5, 0),
                             .count_sd = fmax(step->count_sd, 0),
                             .alone_sd = fmax(step->alone_sd, 0)};
}
