#include "analysis/windows/window_list.h"

#include "analysis/counts/labels.h"
#include "analysis/windows/window_cycles.h"
#include "base/err.h"
#include "profile/part.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

const char *window_measure_name(enum window_measure measure)
{
    static const char *const names[] = {"code", "depth", "calls", "cycles"};
    return names[measure];
}

bool window_list_has(const struct profile *profile)
{
    return profile->windows.n > 0;
}

/* ---- numbers */

struct dated {
    uint64_t tsc, tid;
    size_t index;
};

static int by_time(const void *a, const void *b)
{
    const struct dated *x = a, *y = b;
    if (x->tsc != y->tsc)
        return x->tsc < y->tsc ? -1 : 1;
    if (x->tid != y->tid)
        return x->tid < y->tid ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

static void order_make(struct window_list *list)
{
    const struct windows *windows = &list->scene->sides[0]->windows;
    struct dated *dated = mem_alloc((windows->n + 1) * sizeof *dated);
    for (size_t i = 0; i < windows->n; i++)
        dated[i] = (struct dated){windows->at[i].tsc, windows->at[i].tid, i};
    qsort(dated, windows->n, sizeof *dated, by_time);
    for (size_t i = 0; i < windows->n; i++)
        *vec_push(&list->order) = dated[i].index;
    mem_free(dated);
}

static void clock_make(struct window_list *list)
{
    const struct profile *profile = list->scene->sides[0];
    const char *hz = profile_fact_find(profile, "tsc_hz");
    struct window_clock *clock = &list->clock;
    struct tick_clock ticks;
    *clock = (struct window_clock){.hz = hz ? strtod(hz, NULL) : 0,
                                   .zero = profile->windows.at[list->order.at[0]].tsc};
    if (!tick_clock_read(profile, &ticks))
        return;
    double since = (double)(int64_t)(ticks.unix_ns - profile->start_unix_ns) / 1e9 * clock->hz;
    if (fabs(since) > 9e18)
        return;
    clock->zero = ticks.tsc - (uint64_t)(int64_t)since;
    clock->started = true;
}

bool window_list_open(struct window_list *list, struct scene *scene, const char *core,
                      struct err *err)
{
    *list = (struct window_list){.scene = scene};
    if (!model_open(core_choose(scene->sides[0], core, list->core_why), &list->model, err))
        return false;
    list->has_model = true;
    window_code_init(&list->code, scene);
    order_make(list);
    clock_make(list);
    return true;
}

void window_list_close(struct window_list *list)
{
    if (list->has_model)
        model_release(&list->model);
    window_code_release(&list->code);
    vec_release(&list->order);
    vec_release(list);
}

/* ---- facts of one window */

const char *window_thread(const struct window_list *list, size_t index, uint32_t *ret_tid)
{
    const struct profile *profile = list->scene->sides[0];
    const char *name = "";
    *ret_tid = (uint32_t)profile->windows.at[index].tid;
    /* Which process it is of is not known: a number comes twice only after a very long time. */
    for (size_t i = 0; i < profile->threads.n; i++)
        if (profile->threads.at[i].tid == *ret_tid)
            name = threads_name(&profile->threads, profile->threads.at[i].pid, *ret_tid);
    return name ? name : "";
}

double window_time(const struct window_list *list, size_t index)
{
    const struct window_clock *clock = &list->clock;
    uint64_t tsc = list->scene->sides[0]->windows.at[index].tsc;
    return clock->hz > 0 ? (double)(int64_t)(tsc - clock->zero) / clock->hz : (double)NAN;
}

static void shape_fill(struct window_row *row, const struct window_tree *tree)
{
    size_t n = tree->depths.n;
    for (size_t part = 0; part < WINDOW_SHAPE; part++) {
        size_t from = part * n / WINDOW_SHAPE, to = (part + 1) * n / WINDOW_SHAPE;
        double sum = 0;
        to = to > from ? to : from + 1;
        for (size_t i = from; i < to && i < n; i++)
            sum += tree->depths.at[i];
        row->shape[part] = sum / (double)(to - from);
    }
}

static void row_fill(struct window_list *list, struct window_row *row,
                     const struct window_tree *tree)
{
    const struct window *window = &list->scene->sides[0]->windows.at[row->index];
    row->thread = window_thread(list, row->index, &row->tid);
    row->time = window_time(list, row->index);
    row->stands_for = (double)window->weight_ns / 1e9;
    row->instructions = (uint32_t)tree->steps.n;
    row->calls = tree->calls;
    row->levels = tree->levels;
    row->breaks = tree->breaks;
    row->opaque = tree->opaque;
    row->broken = tree->broken;
    for (size_t i = 0; i < tree->n; i++)
        row->loops += tree->at[i].kind == SCOPE_LOOP;
    if (tree->steps.n) {
        const struct window_insn *first = &list->code.insns.at[tree->steps.at[0]];
        row->module = first->module;
        row->at = first->at;
        row->function = first->function;
    }
    shape_fill(row, tree);
}

bool window_calls_known(const struct window_row *row)
{
    return row->instructions && row->opaque * 10 <= row->instructions;
}

/* ---- functions */

/* The share of a window's instructions that a function has. */
struct mix_share {
    uint32_t row, function;
    double share;
};
struct mix {
    VEC(struct mix_share); /* by row */
};
struct own_sums {
    VEC(double);
};

static void mix_add(struct mix *mix, const struct window_tree *tree, uint32_t row)
{
    struct map seen;
    struct own_sums own = {0};
    map_init(&seen, sizeof(uint32_t));
    for (size_t i = 0; i < tree->n; i++) {
        uint32_t index = map_add(&seen, &tree->at[i].function);
        if (index == own.n)
            *vec_push(&own) = 0;
        own.at[index] += tree->at[i].own;
    }
    for (uint32_t i = 0; i < own.n; i++) {
        uint32_t function;
        memcpy(&function, map_key(&seen, i), sizeof function);
        *vec_push(mix) = (struct mix_share){row, function, own.at[i] / (double)tree->steps.n};
    }
    vec_release(&own);
    map_release(&seen);
}

/* 1 - overlap of each window with the mean of the others. */
static void codes_measure(struct window_list *list, const struct mix *mix)
{
    double *all = mem_alloc((list->code.functions.n + 1) * sizeof *all);
    for (size_t i = 0; i < mix->n; i++)
        all[mix->at[i].function] += mix->at[i].share;
    for (size_t i = 0; i < mix->n; i++) {
        const struct mix_share *part = &mix->at[i];
        struct window_row *row = &list->at[part->row];
        double usual = (all[part->function] - part->share) / (double)(list->n - 1);
        row->measures[MEASURE_CODE] -= fmin(part->share, usual);
        if (part->share - usual > row->odd_share - row->odd_usual) {
            row->odd_function = part->function;
            row->odd_share = part->share;
            row->odd_usual = usual;
        }
    }
    mem_free(all);
}

/* ---- what is unusual */

static void distances_make(struct window_list *list)
{
    /* Differences below these are none to look at. */
    static const double least[MEASURES] = {0.02, 0.5, 0.5, 0.02};
    double *figures = mem_alloc((list->n + 1) * sizeof *figures);
    for (int m = 0; m < MEASURES; m++) {
        for (size_t i = 0; i < list->n; i++)
            figures[i] = list->at[i].measures[m];
        struct usual usual = usual_of(figures, list->n, least[m]);
        if (!isnan(usual.median)) /* nor is a twentieth */
            usual.spread = fmax(usual.spread, usual.median / 20);
        list->usual[m] = usual;
        for (size_t i = 0; i < list->n; i++) {
            struct window_row *row = &list->at[i];
            bool alike = m == MEASURE_CODE && row->measures[m] < usual.median;
            row->distances[m] = alike ? 0 : usual_distance(&usual, row->measures[m]);
            if (!isnan(row->distances[m]) && !(row->distances[m] <= row->unlike))
                row->unlike = row->distances[m];
        }
    }
    mem_free(figures);
}

static void cycles_take(void *to, size_t index, const struct window_times *times)
{
    struct window_list *list = to;
    struct window_row *row = NULL;
    for (size_t i = 0; i < list->n; i++)
        if (list->at[i].index == index)
            row = &list->at[i];
    if (!row || times->warming >= times->n || !times->warming)
        return;
    row->counted = (double)(times->n - times->warming);
    row->cycles = (double)(times->at[times->n - 1].retire - times->at[times->warming - 1].retire);
    row->measures[MEASURE_CYCLES] = row->cycles / row->counted;
}

void window_list_make(struct window_list *list)
{
    struct mix mix = {0};
    for (uint32_t i = 0; i < list->order.n; i++) {
        struct window_tree tree;
        struct window_row *row = vec_push(list);
        *row = (struct window_row){.number = i + 1, .index = list->order.at[i], .unlike = NAN};
        window_tree_build(&tree, &list->code, &list->scene->sides[0]->windows, row->index);
        row_fill(list, row, &tree);
        bool any = row->instructions > 0;
        row->measures[MEASURE_CODE] = any && list->order.n > 1 ? 1 : (double)NAN;
        row->measures[MEASURE_DEPTH] = window_calls_known(row) ? row->levels : (double)NAN;
        row->measures[MEASURE_CALLS] =
            window_calls_known(row) ? 1e3 * row->calls / row->instructions : (double)NAN;
        row->cycles = row->counted = row->measures[MEASURE_CYCLES] = NAN;
        if (any && list->order.n > 1)
            mix_add(&mix, &tree, i);
        window_tree_release(&tree);
    }
    codes_measure(list, &mix);
    vec_release(&mix);
    window_cycles_make(list->scene, &list->model, WINDOW_ALL, cycles_take, list);
    distances_make(list);
}

const char *window_since(const struct window_list *list)
{
    return list->clock.started ? "start" : "first window";
}

bool window_in_part(const struct window_list *list, size_t index, double from, double to)
{
    double time = window_time(list, index);
    return time >= from && !(to > 0 && time >= to);
}

const char *window_odd_text(const struct window_list *list, const struct window_row *row,
                            enum window_measure measure)
{
    struct scene *scene = list->scene;
    double usual = list->usual[measure].median;
    switch (measure) {
    case MEASURE_CODE:
        return arena_format(&scene->arena, "%.0f %% in %s, usually %.*f %%", 100 * row->odd_share,
                            name_text(scene, list->code.functions.at[row->odd_function].linkage),
                            row->odd_usual < 0.0995, 100 * row->odd_usual);
    case MEASURE_DEPTH:
        return arena_format(&scene->arena, "%u levels of calls, usually %.0f", row->levels, usual);
    case MEASURE_CALLS:
        return arena_format(&scene->arena, "%.1f calls per 1000 instructions, usually %.1f",
                            row->measures[measure], usual);
    case MEASURE_CYCLES:
        return arena_format(&scene->arena, "%.2f modelled cycles an instruction, usually %.2f",
                            row->measures[measure], usual);
    case MEASURES: break;
    }
    return "";
}
