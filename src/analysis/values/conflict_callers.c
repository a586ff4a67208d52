/* Conflicts by who called (record --context): which callers the pairs of a row came with. */
#include "analysis/values/conflicts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A row of the table, and whose it is. */
struct part {
    size_t row; /* of the view */
    struct conflict_callers callers;
};

struct parts {
    VEC(struct part);
};

/* How often places were examined for each caller. */
struct examined {
    struct map keys; /* module and address of the place, of the caller */
    VEC(uint64_t);
};

static struct conflict_end end_of(struct scene *scene, uint32_t module, struct svma address)
{
    bool known = module != MODULE_NONE;
    return (struct conflict_end){known ? scene_module(scene, 0, module) : MODULE_NONE,
                                 known ? address.v : 0};
}

static uint32_t examined_index(struct examined *examined, const struct conflict_end *place,
                               const struct conflict_end *caller)
{
    uint64_t key[] = {place->module, place->address, caller->module, caller->address};
    uint32_t index = map_add(&examined->keys, key);
    if (index == examined->n)
        *vec_push(examined) = 0;
    return index;
}

static bool is_near(const struct conflict_view *view, uint64_t kind)
{
    static const uint32_t distances[CONFLICT_CLASSES] = CONFLICT_DISTANCES;
    return distances[kind >> CONFLICT_CLASS_SHIFT] <= view->within;
}

static void table_take(const struct conflict_view *view, struct parts *parts,
                       struct examined *examined)
{
    const struct table *table = &view->scene->sides[0]->called;
    for (uint32_t i = 0; i < table->n; i++) {
        struct called_key key;
        memcpy(&key, map_key(&table->keys, i), sizeof key);
        struct conflict_row pair = {.from = end_of(view->scene, key.from_module, key.from),
                                    .to = end_of(view->scene, key.to_module, key.to),
                                    .type = (enum conflict_type)(key.kind & 0xff)};
        struct conflict_callers callers = {
            .from = end_of(view->scene, key.from_caller_module, key.from_caller),
            .to = end_of(view->scene, key.to_caller_module, key.to_caller),
            .count = table->at[i].count};
        if (pair.type == CONFLICT_EXECUTED) {
            uint32_t index = examined_index(examined, &pair.to, &callers.to);
            examined->at[index] += callers.count;
            continue;
        }
        const struct conflict_row *row =
            view->n ? bsearch(&pair, view->at, view->n, sizeof *view->at, conflict_rows_compare)
                    : NULL;
        if (row && is_near(view, key.kind))
            *vec_push(parts) = (struct part){(size_t)(row - view->at), callers};
    }
}

static int ends_compare(const struct conflict_end *x, const struct conflict_end *y)
{
    if (x->module != y->module)
        return x->module < y->module ? -1 : 1;
    return x->address < y->address ? -1 : x->address > y->address;
}

static int by_callers(const void *a, const void *b)
{
    const struct part *x = a, *y = b;
    if (x->row != y->row)
        return x->row < y->row ? -1 : 1;
    int order = ends_compare(&x->callers.to, &y->callers.to);
    return order ? order : ends_compare(&x->callers.from, &y->callers.from);
}

static int by_count(const void *a, const void *b)
{
    const struct part *x = a, *y = b;
    if (x->row != y->row)
        return x->row < y->row ? -1 : 1;
    if (x->callers.count != y->callers.count)
        return x->callers.count > y->callers.count ? -1 : 1;
    return by_callers(a, b);
}

/* Classes of distance of one pair and its callers become one. */
static void parts_join(struct parts *parts)
{
    size_t kept = 0;
    qsort(parts->at, parts->n, sizeof *parts->at, by_callers);
    for (size_t i = 0; i < parts->n; i++)
        if (kept && by_callers(&parts->at[kept - 1], &parts->at[i]) == 0)
            parts->at[kept - 1].callers.count += parts->at[i].callers.count;
        else
            parts->at[kept++] = parts->at[i];
    parts->n = kept;
    qsort(parts->at, parts->n, sizeof *parts->at, by_count);
}

void conflict_view_callers(struct conflict_view *view)
{
    struct parts parts = {0};
    struct examined examined = {0};
    map_init(&examined.keys, 4 * sizeof(uint64_t));
    table_take(view, &parts, &examined);
    if (parts.n)
        parts_join(&parts);
    for (size_t i = 0; i < parts.n; i++) {
        struct conflict_row *row = &view->at[parts.at[i].row];
        struct conflict_callers *callers = vec_push(&view->callers);
        *callers = parts.at[i].callers;
        bool shared = row->type == CONFLICT_FALSE_SHARING || row->type == CONFLICT_SHARING;
        uint64_t all = examined.at[examined_index(&examined, &row->to, &callers->to)];
        callers->share =
            shared || !all ? (double)NAN : fmin(1, (double)callers->count / (double)all);
        if (!row->n_callers++)
            row->first_callers = view->callers.n - 1;
    }
    vec_release(&parts);
    vec_release(&examined);
    map_release(&examined.keys);
}
