#include "paths/trail_seen.h"

#include <stdlib.h>

static int seen_order(const void *a, const void *b)
{
    const struct trail_seen *x = a, *y = b;
    if (x->from.v != y->from.v)
        return x->from.v < y->from.v ? -1 : 1;
    return x->to.v < y->to.v ? -1 : x->to.v > y->to.v;
}

void trail_seen_make(struct trail_seen_list *list, const struct trail_seen *seen, size_t n)
{
    *list = (struct trail_seen_list){0};
    map_init(&list->keys, 2 * sizeof(uint64_t));
    for (size_t i = 0; i < n; i++)
        *vec_push(list) = seen[i];
    if (list->n)
        qsort(list->at, list->n, sizeof *list->at, seen_order);
    size_t kept = 0;
    for (size_t i = 0; i < list->n; i++) {
        uint64_t key[2] = {list->at[i].from.v, list->at[i].to.v};
        if (map_add(&list->keys, key) == kept)
            list->at[kept++] = list->at[i];
        else
            list->at[kept - 1].count += list->at[i].count;
    }
    list->n = kept;
}

void trail_seen_release(struct trail_seen_list *list)
{
    map_release(&list->keys);
    vec_release(list);
}

uint64_t trail_seen_count(const struct trail_seen_list *list, struct svma from, struct svma to)
{
    uint64_t key[2] = {from.v, to.v};
    uint32_t index = map_find(&list->keys, key);
    return index == MAP_NONE ? 0 : list->at[index].count;
}

const struct trail_seen *trail_seen_from(const struct trail_seen_list *list, struct svma from,
                                         size_t *ret_n)
{
    size_t low = 0, high = list->n, n = 0;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (list->at[middle].from.v < from.v)
            low = middle + 1;
        else
            high = middle;
    }
    while (low + n < list->n && list->at[low + n].from.v == from.v)
        n++;
    *ret_n = n;
    return n ? &list->at[low] : NULL;
}
