#include "lab/paths/function_calls.h"

#include "program/binary.h"
#include "program/cfg/cfg_build.h"

#include <stdlib.h>

static int call_order(const void *a, const void *b)
{
    const struct call_place *x = a, *y = b;
    return x->at.v < y->at.v ? -1 : x->at.v > y->at.v;
}

void function_calls_find(struct function_calls *calls, struct binary *binary, function_id function)
{
    *calls = (struct function_calls){0};
    if (!binary || function == FUNCTION_NONE)
        return;
    struct cfg cfg;
    cfg_build(&cfg, &binary->image, &binary->symbols, function, NULL, 0);
    for (size_t i = 0; i < cfg.instructions.n; i++) {
        const struct instruction *it = &cfg.instructions.at[i];
        if (it->kind == INSTRUCTION_CALL || it->kind == INSTRUCTION_ICALL)
            *vec_push(calls) = (struct call_place){it->at, {it->at.v + it->bytes - 1}};
    }
    for (size_t i = 0; i < cfg.blocks.n; i++)
        *vec_push(&calls->blocks) =
            (struct call_place){cfg.blocks.at[i].start, cfg.blocks.at[i].last};
    if (calls->n)
        qsort(calls->at, calls->n, sizeof *calls->at, call_order);
    cfg_release(&cfg);
}

void function_calls_release(struct function_calls *calls)
{
    vec_release(calls);
    vec_release(&calls->blocks);
}

/* Index of the first that begins there or later. */
static size_t first_from(const struct call_place *all, size_t n, struct svma at)
{
    size_t low = 0, high = n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (all[middle].at.v < at.v)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

size_t function_calls_in_block(const struct function_calls *calls, struct svma start,
                               size_t *ret_first)
{
    size_t block = first_from(calls->blocks.at, calls->blocks.n, (struct svma){start.v + 1});
    *ret_first = first_from(calls->at, calls->n, start);
    if (!block)
        return *ret_first;
    struct svma last = calls->blocks.at[block - 1].last;
    return first_from(calls->at, calls->n, (struct svma){last.v + 1});
}

bool function_calls_end_at(const struct function_calls *calls, struct svma last)
{
    size_t after = first_from(calls->at, calls->n, (struct svma){last.v + 1});
    return after && calls->at[after - 1].last.v == last.v;
}
