#include "analysis/values/latencies.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *latency_bin_name(enum latency_bin bin)
{
    static const char *const names[LATENCY_BINS] = {[LATENCY_NEAR] = "near",
                                                    [LATENCY_L3] = "l3",
                                                    [LATENCY_MEMORY] = "memory",
                                                    [LATENCY_LONGER] = "longer"};
    return names[bin];
}

/* ---- rows of the profile, place by place */

struct record {
    struct latency_key key; /* the module is the scene's */
    const struct sums *sums;
};

struct records {
    VEC(struct record);
};

static int by_place(const void *a, const void *b)
{
    const struct record *x = a, *y = b;
    if (x->key.module != y->key.module)
        return x->key.module < y->key.module ? -1 : 1;
    if (x->key.address.v != y->key.address.v)
        return x->key.address.v < y->key.address.v ? -1 : 1;
    if (x->sums->count != y->sums->count)
        return x->sums->count > y->sums->count ? -1 : 1;
    if (x->key.data != y->key.data)
        return x->key.data < y->key.data ? -1 : 1;
    return x->key.bin < y->key.bin ? -1 : x->key.bin > y->key.bin;
}

static void records_take(struct records *records, const struct scene *scene)
{
    const struct table *table = &scene->sides[0]->latencies;
    for (uint32_t i = 0; i < table->n; i++) {
        struct record record = {.sums = &table->at[i]};
        memcpy(&record.key, map_key(&table->keys, i), sizeof record.key);
        record.key.module = scene_module(scene, 0, record.key.module);
        if (record.key.module != MODULE_NONE && scene->modules.at[record.key.module].shown)
            *vec_push(records) = record;
    }
    if (records->n)
        qsort(records->at, records->n, sizeof *records->at, by_place);
}

/* Loads that all took the same tell nothing of how far others may be off: the clock has steps. */
static struct estimate mean_of(uint64_t timed, double ticks, double squares)
{
    double n = (double)timed;
    struct estimate mean = {n > 0 ? ticks / n : (double)NAN, NAN, NAN};
    if (timed < 2)
        return mean;
    double variance = (squares / n - mean.value * mean.value) * n / (n - 1);
    if (!(variance > 1e-9 * mean.value * mean.value))
        return mean;
    double wide = student_t(timed - 1) * sqrt(variance / n);
    mean.lo = fmax(mean.value - wide, 0);
    mean.hi = mean.value + wide;
    return mean;
}

static void place_add(struct latency_view *view, const struct record *records, size_t n)
{
    const struct latency_key *first = &records[0].key;
    struct load_place place = {
        .module = first->module, .address = first->address.v, .first = view->lines.n};
    double squares = 0;
    for (size_t i = 0; i < n; i++) {
        const struct latency_key *key = &records[i].key;
        const struct sums *sums = records[i].sums;
        bool mean = key->bin != LATENCY_LONGER, near = key->bin == LATENCY_NEAR;
        if (key->data == LATENCY_SQUARES) {
            squares += mean ? (double)sums->time : 0;
            place.near_squares += near ? (double)sums->time : 0;
        } else if (key->data) {
            *vec_push(&view->lines) = (struct latency_line){key->data, key->bin, sums->count};
        } else {
            place.timed += sums->count;
            place.bins[key->bin] += sums->count;
            place.ticks += mean ? (double)sums->time : 0;
            place.near_ticks += near ? (double)sums->time : 0;
        }
    }
    place.n = view->lines.n - place.first;
    place.mean = mean_of(place.timed - place.bins[LATENCY_LONGER], place.ticks, squares);
    view->timed += place.timed;
    view->ticks += place.ticks;
    if (place.timed)
        *vec_push(view) = place;
}

static int by_cost(const void *a, const void *b)
{
    const struct load_place *x = a, *y = b;
    if (x->ticks != y->ticks)
        return x->ticks > y->ticks ? -1 : 1;
    if (x->module != y->module)
        return x->module < y->module ? -1 : 1;
    return x->address < y->address ? -1 : x->address > y->address;
}

void latency_view_make(struct latency_view *view, struct scene *scene)
{
    struct records records = {0};
    const char *hertz = profile_fact_find(scene->sides[0], "tsc_hz");
    *view =
        (struct latency_view){.scene = scene,
                              .tsc_hz = hertz ? strtod(hertz, NULL) : 0,
                              .l3_untold = profile_fact_find(scene->sides[0], "latency_l3_untold"),
                              .untold = profile_fact_find(scene->sides[0], "latency_untold")};
    records_take(&records, scene);
    for (size_t i = 0, n; i < records.n; i += n) {
        const struct latency_key *key = &records.at[i].key;
        for (n = 1; i + n < records.n && records.at[i + n].key.module == key->module &&
                    records.at[i + n].key.address.v == key->address.v;
             n++)
            ;
        place_add(view, &records.at[i], n);
    }
    if (view->n)
        qsort(view->at, view->n, sizeof *view->at, by_cost);
    vec_release(&records);
}

void latency_view_narrow(struct latency_view *view)
{
    size_t kept = 0;
    for (size_t i = 0; i < view->n; i++)
        if (scene_place_wanted(view->scene, view->at[i].module, view->at[i].address))
            view->at[kept++] = view->at[i];
    view->n = kept;
}

void latency_view_forget_lines(struct latency_view *view)
{
    for (size_t i = 0; i < view->n; i++)
        view->at[i].n = 0;
}

void latency_view_release(struct latency_view *view)
{
    vec_release(&view->lines);
    vec_release(view);
}

struct estimate latency_view_find(const struct latency_view *view, uint32_t module,
                                  uint64_t address)
{
    for (size_t i = 0; i < view->n; i++)
        if (view->at[i].module == module && view->at[i].address == address)
            return view->at[i].mean;
    return (struct estimate){NAN, NAN, NAN};
}
