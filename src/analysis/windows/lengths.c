#include "analysis/windows/lengths.h"

#include "analysis/counts/labels.h"
#include "base/err.h"
#include "program/names/match.h"

#include <math.h>
#include <stdlib.h>

enum { BINS_FEW = 24 };

static int by_length(const void *a, const void *b)
{
    const struct call_length *x = a, *y = b;
    if (x->length != y->length)
        return x->length < y->length ? -1 : 1;
    if (x->cut != y->cut)
        return x->cut ? 1 : -1;
    if (x->window != y->window)
        return x->window < y->window ? -1 : 1;
    return x->from < y->from ? -1 : x->from > y->from;
}

double call_lengths_quantile(const struct call_lengths *lengths, double part)
{
    double longer = 1; /* part of calls that are longer */
    for (size_t i = 0; i < lengths->n; i++) {
        size_t at_risk = lengths->n - i;
        if (lengths->at[i].cut)
            continue;
        longer *= 1 - 1.0 / (double)at_risk;
        if (1 - longer >= part - 1e-12)
            return lengths->at[i].length;
    }
    return NAN;
}

/* The first length of the bin after the one that starts there: each length its own if there are
 * few; else four bins to a power of two. */
static uint32_t bin_next(uint32_t from, bool few)
{
    uint32_t step = 1;
    if (!few && from >= 8)
        step = (uint32_t)1 << (31 - __builtin_clz(from) - 2);
    return from + step;
}

static void bins_make(struct call_lengths *lengths)
{
    uint32_t first = lengths->at[0].length, last = lengths->at[lengths->n - 1].length;
    bool few = last - first < BINS_FEW;
    uint32_t from = few ? first : 1;
    for (size_t i = 0; i < lengths->n;) {
        uint32_t to = bin_next(from, few);
        struct length_bin bin = {from, to - 1, 0, 0};
        for (; i < lengths->n && lengths->at[i].length < to; i++)
            if (lengths->at[i].cut)
                bin.cut++;
            else
                bin.calls++;
        if (lengths->bins.n || bin.calls || bin.cut)
            *vec_push(&lengths->bins) = bin;
        from = to;
    }
}

void call_lengths_settle(struct call_lengths *lengths)
{
    qsort(lengths->at, lengths->n, sizeof *lengths->at, by_length);
    lengths->bins.n = 0;
    if (lengths->n)
        bins_make(lengths);
}

static bool is_meant(const struct call_lengths *lengths, uint32_t function)
{
    for (size_t i = 0; i < lengths->functions.n; i++)
        if (lengths->functions.at[i] == function)
            return true;
    return false;
}

static void functions_find(struct call_lengths *lengths, struct window_list *list, size_t known)
{
    struct scene *scene = list->scene;
    for (size_t i = known; i < list->code.functions.n; i++) {
        const struct window_function *function = &list->code.functions.at[i];
        const char *address = address_text(scene, function->module, function->start);
        if (strcmp(lengths->pattern, address) == 0 ||
            name_matches(lengths->pattern, function->linkage,
                         scene_readable(scene, function->linkage)))
            *vec_push(&lengths->functions) = (uint32_t)i;
    }
}

static void tree_take(struct call_lengths *lengths, const struct window_tree *tree, uint32_t number)
{
    for (size_t i = 0; i < tree->n; i++) {
        const struct window_scope *call = &tree->at[i];
        if (call->kind != SCOPE_CALL || !is_meant(lengths, call->function))
            continue;
        if (call->before) {
            lengths->begun++;
            continue;
        }
        lengths->complete += !call->after;
        *vec_push(lengths) = (struct call_length){.length = call->to - call->from,
                                                  .own = call->own,
                                                  .cut = call->after,
                                                  .window = number,
                                                  .from = call->from};
    }
}

bool call_lengths_make(struct call_lengths *lengths, struct window_list *list,
                       struct lengths_wanted wanted, struct err *err)
{
    *lengths = (struct call_lengths){.pattern = wanted.pattern};
    for (uint32_t number = 1; number <= list->order.n; number++) {
        if ((wanted.from > 0 || wanted.to > 0) &&
            !window_in_part(list, list->order.at[number - 1], wanted.from, wanted.to))
            continue;
        size_t known = list->code.functions.n;
        struct window_tree tree;
        window_tree_build(&tree, &list->code, &list->scene->sides[0]->windows,
                          list->order.at[number - 1]);
        functions_find(lengths, list, known);
        tree_take(lengths, &tree, number);
        window_tree_release(&tree);
    }
    if (!lengths->n && !lengths->begun) {
        call_lengths_release(lengths);
        return err_set(err, ERR_MISSING,
                       "--function %s: no such function ran in the windows that were kept; gait "
                       "report lists functions",
                       wanted.pattern);
    }
    call_lengths_settle(lengths);
    return true;
}

void call_lengths_release(struct call_lengths *lengths)
{
    vec_release(&lengths->functions);
    vec_release(&lengths->bins);
    vec_release(lengths);
}
