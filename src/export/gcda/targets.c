#include "export/gcda/targets.h"

#include "export/gcda/inline_chain.h"

#include <stdlib.h>

enum {
    PAIRS_MAX = 32,   /* that gcc keeps of one call */
    SPARE_CALLS = 64, /* that a function may have and the program not */
    BLOCK_VALUES = 8 /* divisors and sizes that a block of the graph may have, more than any does */
};

#define ORDER(field)                                                                               \
    if (x->field != y->field)                                                                      \
    return x->field < y->field ? -1 : 1

static int call_order(const struct indirect_call *x, const struct indirect_call *y)
{
    ORDER(function);
    ORDER(block);
    ORDER(instance);
    ORDER(column);
    return 0;
}

static int by_target(const void *a, const void *b)
{
    const struct indirect_target *x = a, *y = b;
    int order = call_order(&x->call, &y->call);
    if (order)
        return order;
    ORDER(ident);
    return 0;
}

static int by_count(const void *a, const void *b)
{
    const struct indirect_target *x = a, *y = b;
    int order = call_order(&x->call, &y->call);
    if (order)
        return order;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    ORDER(ident);
    return 0;
}

/* ---- finding */

/* The function that starts there; 0: the notes have none. */
static uint32_t ident_at(struct chains *chains, const struct objects *objects, uint64_t at)
{
    chains_find(chains, (struct svma){at});
    if (!chains->n || !chains->at[chains->n - 1].known)
        return 0;
    return objects_function(objects, chains->at[chains->n - 1].function)->ident;
}

/* Calls from the module come first. */
static size_t calls_from(const struct code_calls *calls, uint64_t from)
{
    size_t low = 0, high = calls->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct code_call *call = &calls->at[middle];
        if (call->from_us && call->from < from)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static int by_number(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static bool function_divides(const struct dividing_functions *dividing, uint32_t function)
{
    return dividing->n &&
           bsearch(&function, dividing->at, dividing->n, sizeof *dividing->at, by_number);
}

void targets_find(struct indirect_targets *targets, struct indirect_calls *calls,
                  const struct code_counts *code, struct chains *chains,
                  const struct objects *objects)
{
    if (calls->dividing.n)
        qsort(calls->dividing.at, calls->dividing.n, sizeof *calls->dividing.at, by_number);
    for (size_t i = 0; i < calls->n; i++) {
        struct indirect_call place = calls->at[i];
        if (function_divides(&calls->dividing, place.function))
            continue;
        place.from = 0;
        *vec_push(targets) =
            (struct indirect_target){.call = place}; /* one that was never gone counts as well */
        for (size_t k = calls_from(&code->calls, calls->at[i].from);
             k < code->calls.n && code->calls.at[k].from_us &&
             code->calls.at[k].from == calls->at[i].from;
             k++) {
            const struct code_call *call = &code->calls.at[k];
            uint32_t ident = call->to_us ? ident_at(chains, objects, call->to) : 0;
            *vec_push(targets) = (struct indirect_target){place, ident, call->count};
        }
    }
    if (!targets->n)
        return;
    qsort(targets->at, targets->n, sizeof *targets->at, by_target);
    size_t kept = 0;
    for (size_t i = 0; i < targets->n; i++)
        if (kept && by_target(&targets->at[kept - 1], &targets->at[i]) == 0)
            targets->at[kept - 1].count += targets->at[i].count;
        else
            targets->at[kept++] = targets->at[i];
    targets->n = kept;
    qsort(targets->at, targets->n, sizeof *targets->at, by_count);
}

/* ---- counters */

static void place_count(const struct indirect_target *targets, size_t n, struct counts_row *row)
{
    size_t total = row->n, pairs = 0;
    *vec_push(row) = 0;
    *vec_push(row) = 0;
    for (size_t i = 0; i < n; i++) {
        row->at[total] += targets[i].count;
        if (!targets[i].ident || !targets[i].count || pairs == PAIRS_MAX)
            continue;
        *vec_push(row) = targets[i].ident;
        *vec_push(row) = targets[i].count;
        pairs++;
    }
    row->at[total + 1] = pairs;
}

void targets_count(const struct indirect_targets *targets, uint32_t function, size_t n_blocks,
                   struct counts_function *counted)
{
    struct counts_row *row = &counted->rows[COUNTS_INDIRECT];
    size_t low = 0, high = targets->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (targets->at[middle].call.function < function)
            low = middle + 1;
        else
            high = middle;
    }
    for (size_t i = low, end; i < targets->n && targets->at[i].call.function == function; i = end) {
        for (end = i;
             end < targets->n && call_order(&targets->at[i].call, &targets->at[end].call) == 0;)
            end++;
        place_count(&targets->at[i], end - i, row);
    }
    if (!row->n)
        return;
    row->there = true;
    for (size_t i = 0; i < 2 * SPARE_CALLS; i++)
        *vec_push(row) = 0;
    struct counts_row *values = &counted->rows[COUNTS_TOPN];
    values->there = true;
    for (size_t i = 0; i < 2 * BLOCK_VALUES * (n_blocks + SPARE_CALLS); i++)
        *vec_push(values) = 0;
}

bool divides_unsigned(const uint8_t *bytes, size_t n)
{
    size_t at = 0;
    while (at < n && (bytes[at] == 0x66 || bytes[at] == 0x67))
        at++;
    if (at < n && (bytes[at] & 0xF0) == 0x40)
        at++;
    return n - at >= 2 && (bytes[at] == 0xF6 || bytes[at] == 0xF7) && (bytes[at + 1] >> 3 & 7) == 6;
}
