#include "analysis/waste/waste_view.h"

#include "analysis/waste/executions.h"
#include "analysis/waste/waste_words.h"
#include "base/map.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- how often places ran */

struct looks {
    struct map keys; /* module of the scene, and address */
    VEC(struct quantity);
};

static void looks_take(struct looks *looks, const struct scene *scene)
{
    const struct profile *profile = scene->sides[0];
    map_init(&looks->keys, 2 * sizeof(uint64_t));
    for (uint32_t i = 0; i < profile->waste.n; i++) {
        const struct waste_key *key = map_key(&profile->waste.keys, i);
        if (key->kind != WASTE_LOOKED)
            continue;
        uint64_t place[] = {scene_module(scene, 0, key->first_module), key->first.v};
        uint32_t index = map_add(&looks->keys, place);
        struct quantity quantity = quantity_of(profile, &profile->waste.at[i]);
        if (index == looks->n)
            *vec_push(looks) = (struct quantity){0};
        quantity_add(&looks->at[index], &quantity);
    }
}

static const struct quantity *looks_find(const struct looks *looks, const struct waste_place *place)
{
    uint64_t key[] = {place->module, place->at};
    uint32_t index = map_find(&looks->keys, key);
    return index == MAP_NONE ? NULL : &looks->at[index];
}

/* ---- rows */

static bool is_setter(struct scene *scene, const struct waste_place *place)
{
    const char *name = scene_function_name(scene, place->module,
                                           scene_function_at(scene, place->module, place->at));
    return name && (strstr(name, "memset") || strstr(name, "calloc") || strstr(name, "bzero"));
}

static bool row_read(const struct waste_view *view, const struct waste_key *key,
                     struct waste_row *row)
{
    static const uint64_t distances[WASTE_CLASSES] = WASTE_DISTANCES;
    struct scene *scene = view->scene;
    *row = (struct waste_row){
        .kind = (enum waste_kind)(key->kind & 0xff),
        .within = distances[key->kind >> WASTE_CLASS_SHIFT],
        .first = {scene_module(scene, 0, key->first_module), key->first.v},
        .second = {scene_module(scene, 0, key->second_module), key->second.v},
        .first_caller = {scene_module(scene, 0, key->first_caller_module), key->first_caller.v},
        .second_caller = {scene_module(scene, 0, key->second_caller_module), key->second_caller.v}};
    if (row->kind == WASTE_LOOKED || row->kind == WASTE_ALL || row->first.module == MODULE_NONE ||
        row->second.module == MODULE_NONE)
        return false;
    if (row->kind == WASTE_DEAD_STORE && is_setter(scene, &row->first))
        row->kind = WASTE_SET;
    return scene_place_wanted(scene, row->first.module, row->first.at) ||
           scene_place_wanted(scene, row->second.module, row->second.at);
}

static int order(const uint64_t *left, const uint64_t *right, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (left[i] != right[i])
            return left[i] < right[i] ? -1 : 1;
    return 0;
}

static int by_pair(const void *a, const void *b)
{
    const struct waste_row *x = a, *y = b;
    const uint64_t left[] = {x->kind, x->first.module, x->first.at, x->second.module, x->second.at};
    const uint64_t right[] = {y->kind, y->first.module, y->first.at, y->second.module,
                              y->second.at};
    return order(left, right, sizeof left / sizeof *left);
}

static int by_callers(const void *a, const void *b)
{
    const struct waste_row *x = a, *y = b;
    const uint64_t left[] = {x->first_caller.module, x->first_caller.at, x->second_caller.module,
                             x->second_caller.at};
    const uint64_t right[] = {y->first_caller.module, y->first_caller.at, y->second_caller.module,
                              y->second_caller.at};
    int pair = by_pair(a, b);
    return pair ? pair : order(left, right, sizeof left / sizeof *left);
}

static int by_cost(const void *a, const void *b)
{
    const struct waste_row *x = a, *y = b;
    if (x->share.value != y->share.value)
        return x->share.value > y->share.value ? -1 : 1;
    return by_pair(a, b);
}

/* A window that began in the function does not know who called it: those that do say it. */
static bool names_more(const struct waste_row *row, const struct waste_row *than)
{
    bool known = row->first_caller.module != MODULE_NONE,
         others = than->first_caller.module != MODULE_NONE;
    return known != others ? known : row->quantity.count > than->most;
}

static void rows_join(struct waste_view *view)
{
    size_t kept = 0;
    for (size_t i = 0; i < view->n; i++) {
        struct waste_row row = view->at[i];
        row.most = row.most_within = row.quantity.count;
        if (!kept || by_pair(&view->at[kept - 1], &row) != 0) {
            view->at[kept++] = row;
            continue;
        }
        struct waste_row *into = &view->at[kept - 1];
        if (row.quantity.count > into->most_within) {
            into->within = row.within;
            into->most_within = row.quantity.count;
        }
        if (names_more(&row, into)) {
            into->first_caller = row.first_caller;
            into->second_caller = row.second_caller;
            into->most = row.most;
        }
        quantity_add(&into->quantity, &row.quantity);
        into->words += row.words;
    }
    view->n = kept;
}

static double all_scale(const struct profile *profile)
{
    double all = 0;
    for (uint32_t i = 0; i < profile->waste.n; i++)
        if (((const struct waste_key *)map_key(&profile->waste.keys, i))->kind == WASTE_ALL)
            all += (double)profile->waste.at[i].count;
    return profile->mode == PROFILE_EXACT || all == 0 ? 1 : (double)profile->totals.count / all;
}

static struct estimate times(struct estimate estimate, double by)
{
    return (struct estimate){estimate.value * by, estimate.lo * by, estimate.hi * by};
}

/* Windows with values say which part of an instruction's executions is waste; all that was counted
 * says how many executions there were. The part of what is nearly always waste varies less than the
 * waste itself: by chance as the number of heads of coins does. */
static struct quantity better(const struct quantity *waste, const struct quantity *looked,
                              const struct quantity *ran)
{
    double of = fmin((double)waste->count / (double)looked->count, 1), n = (double)waste->count,
           all = (double)ran->count, count = all * of, chance = sqrt(1 - of);
    return (struct quantity){
        .count = (uint64_t)(count + 0.5),
        .count_sd = count * hypot(ran->count_sd / all, chance * waste->count_sd / n),
        .alone_sd = count * hypot(ran->alone_sd / all, chance * waste->alone_sd / n)};
}

struct estimating {
    const struct profile *profile;
    struct looks looks;
    struct executions executions;
    double scale; /* windows with values weigh less than all that was counted, where trails count */
};

static void row_estimate(struct waste_row *row, const struct estimating *with)
{
    const struct profile *profile = with->profile;
    const struct waste_place *place = waste_kind_of_second(row->kind) ? &row->second : &row->first;
    const struct quantity *looked = looks_find(&with->looks, place);
    struct quantity ran = executions_at(&with->executions, place->module, place->at);
    bool timed = profile->mode == PROFILE_SAMPLED; /* copies that count take longer */
    double seconds = timed ? (double)profile->totals.user_ns / 1e9 : 0, scale = with->scale,
           each = row->words / (double)row->quantity.count, bytes = each;
    row->each = 1;
    if (row->kind == WASTE_SAME_CALL) /* counts calls: what it moved are their instructions */
        row->each = each + 1, bytes = NAN;
    row->of = (struct estimate){NAN, NAN, NAN};
    if (looked && looked->count) {
        struct estimate of = estimate_quotient(profile, &row->quantity, looked);
        row->of =
            (struct estimate){fmin(of.value, 1), of.lo > 1 ? 1 : of.lo, of.hi > 1 ? 1 : of.hi};
    }
    if (looked && looked->count && ran.count && profile->mode == PROFILE_SAMPLED) {
        row->quantity = better(&row->quantity, looked, &ran);
        scale = 1;
    }
    row->count = times(estimate_count(profile, &row->quantity), scale);
    row->share = times(estimate_share(profile, &row->quantity, false), scale * row->each);
    row->bytes = times(row->count, bytes);
    row->rate = times(row->count, seconds > 0 ? 1 / seconds : (double)NAN);
    row->bytes_rate = times(row->bytes, seconds > 0 ? 1 / seconds : (double)NAN);
}

void waste_view_make(struct waste_view *view, struct scene *scene, const struct waste_asked *asked)
{
    const struct profile *profile = scene->sides[0];
    struct estimating with = {.profile = profile, .scale = all_scale(profile)};
    *view = (struct waste_view){.scene = scene};
    looks_take(&with.looks, scene);
    executions_make(&with.executions, scene);
    for (uint32_t i = 0; i < profile->waste.n; i++) {
        struct waste_row row;
        if (!profile->waste.at[i].count ||
            !row_read(view, map_key(&profile->waste.keys, i), &row) || row.within > asked->within ||
            (asked->kinds_set && row.kind != asked->kind))
            continue;
        row.quantity = quantity_of(profile, &profile->waste.at[i]);
        row.words = (double)profile->waste.at[i].time;
        *vec_push(view) = row;
    }
    if (view->n)
        qsort(view->at, view->n, sizeof *view->at, by_callers);
    rows_join(view);
    for (size_t i = 0; i < view->n; i++)
        row_estimate(&view->at[i], &with);
    if (view->n)
        qsort(view->at, view->n, sizeof *view->at, by_cost);
    map_release(&with.looks.keys);
    vec_release(&with.looks);
    executions_release(&with.executions);
}

void waste_view_release(struct waste_view *view)
{
    vec_release(view);
}
