#include "analysis/windows/window_fold.h"

#include "base/map.h"

#include <stdlib.h>

/* Keys: no padding. */
struct fold_key {
    uint32_t parent, kind, what, depth;
};

struct folding {
    struct window_fold *fold;
    const struct window_detail *detail;
    struct map keys;
    uint32_t *line_of; /* of each scope, or SCOPE_NONE */
};

static uint32_t iterations_in(const struct window_tree *tree, const struct window_scope *loop,
                              uint32_t from, uint32_t to)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < loop->iterations; i++) {
        uint32_t at = tree->iterations.at[loop->first_iteration + i];
        n += at >= from && at < to;
    }
    return n ? n : 1; /* one that began before */
}

static void scope_fold(struct folding *folding, uint32_t index)
{
    const struct window_detail *detail = folding->detail;
    const struct window_scope *scope = &detail->tree.at[index];
    uint32_t from = scope->from > detail->from ? scope->from : detail->from;
    uint32_t to = scope->to < detail->to ? scope->to : detail->to;
    folding->line_of[index] = SCOPE_NONE;
    if (from >= to)
        return;
    uint32_t parent = scope->parent == SCOPE_NONE ? SCOPE_NONE : folding->line_of[scope->parent];
    struct fold_key key = {parent, scope->kind,
                           scope->kind == SCOPE_CALL ? scope->function : scope->loop,
                           (uint32_t)scope->depth};
    uint32_t line = map_add(&folding->keys, &key);
    if (line == folding->fold->n)
        *vec_push(folding->fold) = (struct fold_line){
            .parent = parent,
            .level = parent == SCOPE_NONE ? 0 : folding->fold->at[parent].level + 1,
            .sample = index,
            .from = from};
    struct fold_line *into = &folding->fold->at[line];
    folding->line_of[index] = line;
    into->runs++;
    into->before |= scope->from < detail->from || (scope->before && scope->from == from);
    into->after |= scope->to > detail->to || scope->after;
    into->instructions += to - from;
    into->own += to - from;
    into->cycles += window_detail_cycles(detail, from, to);
    if (scope->kind == SCOPE_LOOP)
        into->iterations += iterations_in(&detail->tree, scope, from, to);
    if (parent != SCOPE_NONE)
        folding->fold->at[parent].own -= to - from;
}

/* Lines were made in order of time; an outline has each below its parent. */
static void outline(struct window_fold *fold)
{
    size_t n = fold->n;
    uint32_t *first = mem_alloc((n + 1) * sizeof *first), *last = mem_alloc((n + 1) * sizeof *last);
    uint32_t *next = mem_alloc((n + 1) * sizeof *next), *place = mem_alloc((n + 1) * sizeof *place);
    struct window_fold sorted = {0};
    /* Children of line i are chained from first[i + 1]; those without a parent from first[0]. All
     * are one higher, so that 0 is none. */
    for (uint32_t i = 0; i < n; i++) {
        uint32_t of = fold->at[i].parent == SCOPE_NONE ? 0 : fold->at[i].parent + 1;
        *(first[of] ? &next[last[of] - 1] : &first[of]) = i + 1;
        last[of] = i + 1;
    }
    uint32_t at = first[0];
    while (at) {
        uint32_t i = at - 1;
        place[i] = (uint32_t)sorted.n;
        *vec_push(&sorted) = fold->at[i];
        at = first[at] ? first[at] : next[i];
        for (; !at && fold->at[i].parent != SCOPE_NONE; at = next[i])
            i = fold->at[i].parent;
    }
    for (size_t i = 0; i < sorted.n; i++)
        if (sorted.at[i].parent != SCOPE_NONE)
            sorted.at[i].parent = place[sorted.at[i].parent];
    vec_release(fold);
    *fold = sorted;
    mem_free(first);
    mem_free(last);
    mem_free(next);
    mem_free(place);
}

void window_fold_make(struct window_fold *fold, const struct window_detail *detail)
{
    struct folding folding = {.fold = fold, .detail = detail};
    *fold = (struct window_fold){0};
    map_init(&folding.keys, sizeof(struct fold_key));
    folding.line_of = mem_alloc((detail->tree.n + 1) * sizeof *folding.line_of);
    for (uint32_t i = 0; i < detail->tree.n; i++)
        scope_fold(&folding, i);
    outline(fold);
    mem_free(folding.line_of);
    map_release(&folding.keys);
}

void window_fold_release(struct window_fold *fold)
{
    vec_release(fold);
}
