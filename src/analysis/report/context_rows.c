#include "analysis/report/context_rows.h"

#include "analysis/report/contexts.h"
#include "base/err.h"

#include <inttypes.h>
#include <stdlib.h>

/* No more than is compared: a million of them are sorted. */
struct ranked {
    uint64_t weight;
    uint32_t context;
};

/* Heaviest first; of equals a parent stands before its children, as it does in the contexts. */
static int ranked_order(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->weight != y->weight)
        return x->weight > y->weight ? -1 : 1;
    return x->context < y->context ? -1 : x->context > y->context;
}

static struct ranked *rank(struct context_rows *rows, const struct calling_contexts *contexts)
{
    struct ranked *ranked = mem_alloc((contexts->n + 1) * sizeof *ranked);
    for (uint32_t i = 0; i < contexts->n; i++) {
        const struct calling_context *context = &contexts->at[i];
        rows->id_of[i] = CONTEXT_NONE;
        if (!context->total.sum && !context->beside.sum)
            continue;
        ranked[rows->n_all++] = (struct ranked){context->total.sum, i};
        if (context->parent != CONTEXT_NONE)
            rows->children[context->parent]++;
    }
    qsort(ranked, rows->n_all, sizeof *ranked, ranked_order);
    for (uint32_t id = 0; id < rows->n_all; id++)
        rows->id_of[ranked[id].context] = id;
    return ranked;
}

/* Marks the context and its callers; whatever is below it follows from its parent. */
static void choose_below(struct context_rows *rows, const struct calling_contexts *contexts,
                         const struct ranked *ranked, struct context_choice choice)
{
    enum { ABOVE = 1, INSIDE = 2 };
    uint8_t *chosen = mem_alloc(contexts->n + 1);
    size_t inside = 0;
    chosen[ranked[choice.below].context] = INSIDE;
    for (uint32_t i = contexts->at[ranked[choice.below].context].parent; i != CONTEXT_NONE;
         i = contexts->at[i].parent)
        chosen[i] = ABOVE;
    for (uint32_t id = 0; id < rows->n_all && inside < choice.limit; id++) {
        uint32_t i = ranked[id].context, parent = contexts->at[i].parent;
        if (parent != CONTEXT_NONE && chosen[parent] == INSIDE)
            chosen[i] = INSIDE;
        inside += chosen[i] == INSIDE;
        if (chosen[i])
            *vec_push(rows) = i;
    }
    mem_free(chosen);
}

bool context_rows_make(struct context_rows *rows, struct calling_contexts *contexts,
                       struct context_choice choice, struct err *err)
{
    *rows = (struct context_rows){0};
    rows->id_of = mem_alloc((contexts->n + 1) * sizeof *rows->id_of);
    rows->children = mem_alloc((contexts->n + 1) * sizeof *rows->children);
    struct ranked *ranked = rank(rows, contexts);
    bool good = !choice.has_below || choice.below < rows->n_all;
    if (!good)
        err_set(err, ERR_MISSING,
                "--below %" PRIu32 ": there are %" PRIu32 " contexts, numbered from 0",
                choice.below, rows->n_all);
    else if (choice.has_below)
        choose_below(rows, contexts, ranked, choice);
    else
        for (uint32_t id = 0; id < rows->n_all && id < choice.limit; id++)
            *vec_push(rows) = ranked[id].context;
    mem_free(ranked);
    if (good)
        contexts_weigh(contexts, rows->at, rows->n);
    else
        context_rows_release(rows);
    return good;
}

void context_rows_release(struct context_rows *rows)
{
    mem_free(rows->id_of);
    mem_free(rows->children);
    vec_release(rows);
}
