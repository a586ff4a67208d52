#include "profile/kept.h"

#include <stdlib.h>

static int key_compare(const struct kept_part *x, const struct kept_part *y)
{
    if (x->module != y->module)
        return x->module < y->module ? -1 : 1;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return 0;
}

/* The one to keep comes last. */
static int part_compare(const void *a, const void *b)
{
    const struct kept_part *x = a, *y = b;
    int order = key_compare(x, y);
    if (order)
        return order;
    if (x->n != y->n)
        return x->n < y->n ? -1 : 1;
    return x->n ? memcmp(x->bytes, y->bytes, x->n) : 0;
}

void kept_add(struct kept_parts *kept, struct arena *arena, const struct kept_part *part)
{
    uint8_t *bytes = arena_alloc(arena, part->n + 1);
    struct kept_part *added = vec_push(kept);
    *added = *part;
    if (part->n)
        memcpy(bytes, part->bytes, part->n);
    added->bytes = bytes;
}

void kept_join(struct kept_parts *kept, struct arena *arena, struct kept_parts *other,
               struct arena *other_arena)
{
    vec_room(kept, kept->n + other->n);
    if (other->n)
        memcpy(kept->at + kept->n, other->at, other->n * sizeof *other->at);
    kept->n += other->n;
    vec_release(other);
    arena_join(arena, other_arena);
}

void kept_sort(struct kept_parts *kept)
{
    size_t n = 0;
    if (kept->n)
        qsort(kept->at, kept->n, sizeof *kept->at, part_compare);
    for (size_t i = 0; i < kept->n; i++)
        if (i + 1 == kept->n || key_compare(&kept->at[i], &kept->at[i + 1]) != 0)
            kept->at[n++] = kept->at[i];
    kept->n = n;
}

/* Index of the first part that is not before the key. */
static size_t position(const struct kept_parts *kept, uint32_t module, uint32_t kind)
{
    const struct kept_part wanted = {.module = module, .kind = kind};
    size_t low = 0, high = kept->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (key_compare(&kept->at[middle], &wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const struct kept_part *kept_of(const struct kept_parts *kept, uint32_t module, enum kept_kind kind,
                                size_t *ret_n)
{
    size_t first = position(kept, module, kind), end = position(kept, module, kind + 1);
    *ret_n = end - first;
    return first < end ? kept->at + first : NULL;
}
