#include "analysis/paths/items_paths.h"

#include "analysis/paths/hot_paths.h"
#include "analysis/counts/items.h"

#include <stdlib.h>

static struct quantity quantity_times(struct quantity quantity, uint32_t n)
{
    return (struct quantity){.count = quantity.count * n,
                             .time = quantity.time,
                             .count_sd = quantity.count_sd * n,
                             .alone_sd = quantity.alone_sd * n};
}

static int item_order(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    if (x->module != y->module)
        return x->module < y->module ? -1 : 1;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return x->to < y->to ? -1 : x->to > y->to;
}

void items_list_paths(struct items *items, struct scene *scene)
{
    *items = (struct items){0};
    for (uint32_t side = 0; side < scene->n_sides; side++) {
        struct hot_paths paths;
        hot_paths_make(&paths, scene, side, 1);
        for (size_t i = 0; i < paths.n; i++) {
            const struct hot_path *path = &paths.at[i];
            struct item *item = vec_push(items);
            item->module = item->to_module = path->module;
            item->function = scene_function_at(scene, path->module, path->function);
            item->at = path->function;
            item->to = path->ids[0];
            item->count[side] = path->quantity;
            item->body[side] = quantity_times(path->quantity, path->instructions);
        }
        items->stray += paths.unread + paths.unknown;
        hot_paths_release(&paths);
    }
    if (items->n)
        qsort(items->at, items->n, sizeof *items->at, item_order);
}
