#include "analysis/values/conflicts.h"

#include "analysis/values/latencies.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Two addresses are alike in their low bits by chance one time in some hundred, for each of the
 * stores under way. */
static const double SHARE_LEAST = 0.01, ALIAS_SHARE_LEAST = 0.2;
enum { COUNT_LEAST = 4, WINDOWS_LEAST = 3 };

const char *conflict_type_name(enum conflict_type type)
{
    static const char *const names[CONFLICT_TYPES] = {[CONFLICT_EXECUTED] = "none",
                                                      [CONFLICT_FORWARD] = "store-forward",
                                                      [CONFLICT_ORDER] = "order",
                                                      [CONFLICT_ALIAS] = "alias-4k",
                                                      [CONFLICT_LINE] = "line-split",
                                                      [CONFLICT_PAGE] = "page-split",
                                                      [CONFLICT_FALSE_SHARING] = "false-sharing",
                                                      [CONFLICT_SHARING] = "sharing"};
    return names[type];
}

const char *conflict_type_text(enum conflict_type type)
{
    static const char *const texts[CONFLICT_TYPES] = {
        [CONFLICT_EXECUTED] = "",
        [CONFLICT_FORWARD] =
            "the load wants bytes of which the store has only some: it waits until "
            "the store is done",
        [CONFLICT_ORDER] =
            "the load can go before the store's address is known: then it is done again",
        [CONFLICT_ALIAS] =
            "load and store are alike in the low 12 bits of their addresses: the load may wait",
        [CONFLICT_LINE] = "the access is to two cache lines",
        [CONFLICT_PAGE] = "the access is to two pages",
        [CONFLICT_FALSE_SHARING] =
            "two threads use different bytes of one line: keep them 64 bytes apart",
        [CONFLICT_SHARING] = "two threads use the same bytes, one of them writing"};
    return texts[type];
}

const char *conflict_row_sure(const struct conflict_row *row)
{
    return row->measured ? "measured" : row->modelled ? "modelled" : "potential";
}

/* ---- how often places were looked at */

struct look {
    uint64_t executed, windows;
};

struct looks {
    struct map keys; /* module of the scene, and address */
    VEC(struct look);
};

static void looks_take(struct looks *looks, const struct scene *scene)
{
    const struct table *table = &scene->sides[0]->conflicts;
    map_init(&looks->keys, 2 * sizeof(uint64_t));
    for (uint32_t i = 0; i < table->n; i++) {
        struct conflict_key key;
        memcpy(&key, map_key(&table->keys, i), sizeof key);
        if (key.kind != CONFLICT_EXECUTED)
            continue;
        uint64_t place[] = {scene_module(scene, 0, key.to_module), key.to.v};
        uint32_t index = map_add(&looks->keys, place);
        if (index == looks->n)
            *vec_push(looks) = (struct look){0};
        looks->at[index].executed += table->at[i].count;
        looks->at[index].windows += table->at[i].time;
    }
}

static struct look looks_find(const struct looks *looks, const struct conflict_end *end)
{
    uint64_t place[] = {end->module, end->address};
    uint32_t index = map_find(&looks->keys, place);
    return index == MAP_NONE ? (struct look){0} : looks->at[index];
}

/* ---- rows */

static bool is_shared(enum conflict_type type)
{
    return type == CONFLICT_FALSE_SHARING || type == CONFLICT_SHARING;
}

/* Chance is in windows: executions of one are much alike. */
static struct estimate share_of(const struct conflict_row *row, struct look look)
{
    double all = (double)(is_shared(row->type) ? look.windows : look.executed);
    double share = all > 0 ? fmin((double)row->count / all, 1) : 0;
    struct estimate estimate = {share, NAN, NAN};
    if (look.windows) {
        estimate = binomial_share(share * (double)look.windows, (double)look.windows);
        estimate.value = share;
    }
    return estimate;
}

static bool is_rare(const struct conflict_row *row)
{
    double least = row->type == CONFLICT_ALIAS ? ALIAS_SHARE_LEAST : SHARE_LEAST;
    return row->count < COUNT_LEAST || row->windows < WINDOWS_LEAST || row->share.value < least;
}

int conflict_rows_compare(const void *a, const void *b)
{
    const struct conflict_row *x = a, *y = b;
    const uint64_t left[] = {x->type, x->from.module, x->from.address, x->to.module, x->to.address};
    const uint64_t right[] = {y->type, y->from.module, y->from.address, y->to.module,
                              y->to.address};
    for (size_t i = 0; i < sizeof left / sizeof *left; i++)
        if (left[i] != right[i])
            return left[i] < right[i] ? -1 : 1;
    return 0;
}

static int by_cost(const void *a, const void *b)
{
    const struct conflict_row *x = a, *y = b;
    if (x->cost != y->cost)
        return x->cost > y->cost ? -1 : 1;
    return conflict_rows_compare(a, b);
}

static void rows_take(struct conflict_view *view, const struct table *table)
{
    static const uint32_t distances[CONFLICT_CLASSES] = CONFLICT_DISTANCES;
    struct scene *scene = view->scene;
    for (uint32_t i = 0; i < table->n; i++) {
        struct conflict_key key;
        memcpy(&key, map_key(&table->keys, i), sizeof key);
        enum conflict_type type = (enum conflict_type)(key.kind & 0xff);
        uint32_t from = scene_module(scene, 0, key.from_module),
                 to = scene_module(scene, 0, key.to_module);
        if (type == CONFLICT_EXECUTED || from == MODULE_NONE || to == MODULE_NONE ||
            (!scene_place_wanted(scene, from, key.from.v) &&
             !scene_place_wanted(scene, to, key.to.v)) ||
            distances[key.kind >> CONFLICT_CLASS_SHIFT] > view->within)
            continue;
        *vec_push(view) = (struct conflict_row){.from = {from, key.from.v},
                                                .to = {to, key.to.v},
                                                .type = type,
                                                .profile_module = key.to_module,
                                                .count = table->at[i].count,
                                                .distance = (double)table->at[i].time};
    }
    if (view->n)
        qsort(view->at, view->n, sizeof *view->at, conflict_rows_compare);
}

/* Classes of distance of one pair become one row. */
static void rows_join(struct conflict_view *view)
{
    size_t kept = 0;
    for (size_t i = 0; i < view->n; i++) {
        if (kept && conflict_rows_compare(&view->at[kept - 1], &view->at[i]) == 0) {
            view->at[kept - 1].count += view->at[i].count;
            view->at[kept - 1].distance += view->at[i].distance;
        } else {
            view->at[kept++] = view->at[i];
        }
    }
    view->n = kept;
}

static void rows_judge(struct conflict_view *view, const struct looks *looks, bool all)
{
    struct latency_view latencies;
    size_t kept = 0;
    latency_view_make(&latencies, view->scene);
    for (size_t i = 0; i < view->n; i++) {
        struct conflict_row *row = &view->at[i];
        struct look look = looks_find(looks, &row->to);
        row->share = share_of(row, look);
        row->windows = look.windows;
        row->distance /= (double)row->count;
        row->ticks = latency_view_find(&latencies, row->to.module, row->to.address);
        row->measured =
            !isnan(row->ticks.value) &&
            (is_shared(row->type) || row->type == CONFLICT_LINE || row->type == CONFLICT_PAGE);
        row->cost = (double)row->count * (row->measured ? fmax(row->ticks.value, 1) : 1);
        if (all || !is_rare(row))
            view->at[kept++] = *row;
    }
    view->left_out = view->n - kept;
    view->n = kept;
    latency_view_release(&latencies);
}

void conflict_view_make(struct conflict_view *view, struct scene *scene, uint32_t within, bool all)
{
    const char *hertz = profile_fact_find(scene->sides[0], "tsc_hz");
    struct looks looks = {0};
    *view = (struct conflict_view){
        .scene = scene, .within = within, .tsc_hz = hertz ? strtod(hertz, NULL) : 0};
    looks_take(&looks, scene);
    for (size_t i = 0; i < looks.n; i++)
        view->looked += looks.at[i].executed;
    rows_take(view, &scene->sides[0]->conflicts);
    rows_join(view);
    rows_judge(view, &looks, all);
    conflict_view_callers(view);
    conflict_view_model(view);
    if (view->n)
        qsort(view->at, view->n, sizeof *view->at, by_cost);
    map_release(&looks.keys);
    vec_release(&looks);
}

void conflict_view_release(struct conflict_view *view)
{
    vec_release(&view->callers);
    vec_release(view);
}
