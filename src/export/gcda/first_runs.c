#include "export/gcda/first_runs.h"

#include "analysis/counts/scene.h"

#include <stdlib.h>

/* What is inlined in a function comes after its entry and before the next one, in the order of its
 * code. */
#define AFTER_ENTRY 0.5

/* When one of a function's entries was first reached, among all that the recording has. */
struct reached {
    uint32_t function;
    double at;
};

struct reached_list {
    VEC(struct reached);
};

static int by_function(const void *a, const void *b)
{
    const struct reached *x = a, *y = b;
    if (x->function != y->function)
        return x->function < y->function ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

static int by_function_alone(const void *a, const void *b)
{
    const struct reached *x = a, *y = b;
    return (x->function > y->function) - (x->function < y->function);
}

static int by_time(const void *a, const void *b)
{
    const struct reached *x = a, *y = b;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return (x->function > y->function) - (x->function < y->function);
}

static void reached_find(struct reached_list *list, const struct code_counts *code,
                         struct chains *chains, const uint32_t *first)
{
    const struct table *firsts = &code->scene->sides[0]->firsts;
    for (uint32_t i = 0; i < firsts->n; i++) {
        const struct first_key *key = map_key(&firsts->keys, i);
        if (scene_module(code->scene, 0, key->module) != code->module || !firsts->at[i].count)
            continue;
        chains_find(chains, key->at);
        if (!chains->n || !chains->at[chains->n - 1].known)
            continue;
        struct object_function function = chains->at[chains->n - 1].function;
        *vec_push(list) =
            (struct reached){.function = first[function.object] + function.function,
                             .at = (double)firsts->at[i].time / (double)firsts->at[i].count};
    }
}

void first_runs_see(struct first_runs *runs, const struct chains *chains, const uint32_t *first)
{
    if (chains->n < 2 || !chains->at[chains->n - 1].known)
        return;
    struct object_function root = chains->at[chains->n - 1].function;
    for (size_t i = chains->n - 1; i-- > 0;) {
        struct object_function function = chains->at[i].function;
        struct inlined_run run = {.in = first[root.object] + root.function};
        if (!chains->at[i].known)
            continue;
        run.function = first[function.object] + function.function;
        const struct inlined_run *last =
            runs->inlined.n ? &runs->inlined.at[runs->inlined.n - 1] : NULL;
        if (!last || last->function != run.function || last->in != run.in)
            *vec_push(&runs->inlined) = run;
    }
}

/* Of functions without entries; those of others are sorted by function. */
static void inlined_find(const struct first_runs *runs, struct reached_list *list, size_t entered)
{
    for (size_t i = 0; i < runs->inlined.n; i++) {
        const struct inlined_run *run = &runs->inlined.at[i];
        struct reached own = {run->function, 0}, in = {run->in, 0};
        const struct reached *root = bsearch(&in, list->at, entered, sizeof in, by_function_alone);
        if (root && !bsearch(&own, list->at, entered, sizeof own, by_function_alone)) {
            double at = root->at + AFTER_ENTRY * (double)(i + 1) / (double)runs->inlined.n;
            *vec_push(list) = (struct reached){run->function, at};
        }
    }
}

/* Of each function the first. */
static size_t reached_sort(struct reached_list *list)
{
    size_t kept = 0;
    if (list->n)
        qsort(list->at, list->n, sizeof *list->at, by_function);
    for (size_t i = 0; i < list->n; i++)
        if (!kept || list->at[kept - 1].function != list->at[i].function)
            list->at[kept++] = list->at[i];
    return list->n = kept;
}

void first_runs_find(struct first_runs *runs, const struct code_counts *code, struct chains *chains,
                     const uint32_t *first, size_t n)
{
    struct reached_list list = {0};
    runs->at = mem_alloc((n + 1) * sizeof *runs->at);
    reached_find(&list, code, chains, first);
    if (reached_sort(&list))
        inlined_find(runs, &list, list.n);
    if (reached_sort(&list))
        qsort(list.at, list.n, sizeof *list.at, by_time);
    for (size_t i = 0; i < list.n; i++)
        runs->at[list.at[i].function] = (uint32_t)i + 1;
    vec_release(&list);
}

void first_runs_release(struct first_runs *runs)
{
    mem_free(runs->at);
    vec_release(&runs->inlined);
}
