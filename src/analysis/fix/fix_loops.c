/* Loops: what stops vectorisation, and loads that can be prefetched. */
#include "analysis/fix/fix.h"

#include "analysis/loops/loop_view.h"
#include "analysis/loops/loop_words.h"
#include "analysis/pipeline/run_sums.h"
#include "analysis/values/latencies.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum { DISTANCE_MOST = 64, PAGE_STRIDE = 1024 };
static const double NEAR = 0.9, STEADY = 0.9;

struct looking {
    struct fixes *fixes;
    const struct loop_view *view;
    const struct latency_view *latencies;
    double per_tick; /* instructions */
};

static void reasons_add(struct looking *looking, const struct loop_row *row)
{
    struct loop_reasons reasons;
    char words[LOOP_WORDS];
    loop_reasons_find(&reasons, row);
    for (uint32_t i = 0; i < reasons.n; i++) {
        const struct loop_reason *reason = &reasons.at[i];
        if (reason->stop == STOP_VECTORISED)
            return;
        loop_reason_words(words, looking->view, row, reason);
        fixes_add(looking->fixes, (struct fix_row){.kind = FIX_LOOP,
                                                   .module = row->module,
                                                   .at = reason->at ? reason->at : row->head,
                                                   .weight = row->share.value,
                                                   .evidence = arena_format(
                                                       &looking->fixes->scene->arena, "%s", words),
                                                   .text = loop_stop_fix(reason->stop)});
    }
}

static const struct load_place *load_find(const struct latency_view *latencies, uint32_t module,
                                          uint64_t at)
{
    for (size_t i = 0; latencies && i < latencies->n; i++)
        if (latencies->at[i].module == module && latencies->at[i].address == at)
            return &latencies->at[i];
    return NULL;
}

/* What is fetched behind the end of the loop is fetched for nothing: a quarter at most. */
static double distance_most(const struct loop_row *row)
{
    return row->trips.value > 0 ? fmin(floor(row->trips.value / 4), DISTANCE_MOST) : DISTANCE_MOST;
}

/* A load that is often far, of an address that does not wait for the load before: its own index, or
 * a stride too long for the processor to follow. */
static void prefetch_add(struct looking *looking, const struct loop_row *row,
                         const struct loop_access *access)
{
    struct scene *scene = looking->fixes->scene;
    const struct load_place *load = load_find(looking->latencies, row->module, access->at);
    double each = (double)row->instructions / (double)row->iterations;
    if (!load || !load->timed || !(looking->per_tick > 0) || access->steps * 4 < access->n ||
        (double)load->bins[LATENCY_NEAR] > NEAR * (double)load->timed)
        return;
    const struct loop_stride *most = &access->strides[0];
    bool strided = (double)most->n >= STEADY * (double)access->steps;
    if (strided && llabs(most->bytes) < PAGE_STRIDE)
        return; /* processors fetch that by themselves */
    double ahead = ceil(load->mean.value * looking->per_tick / each);
    int distance = (int)fmax(fmin(ahead, distance_most(row)), 1);
    fixes_add(
        looking->fixes,
        (struct fix_row){
            .kind = FIX_PREFETCH,
            .module = row->module,
            .at = access->at,
            .weight = row->share.value,
            .evidence = arena_format(
                &scene->arena,
                "%.0f %% of loads are not near, %.0f ticks on average; %.0f instructions an "
                "iteration",
                100 * (1 - (double)load->bins[LATENCY_NEAR] / (double)load->timed),
                load->mean.value, each),
            .ahead = strided ? distance * most->bytes : 0,
            .text = strided
                        ? "prefetch so many iterations ahead that the load is near when it runs; "
                          "gait export --format llvm-prefetch writes that as a hint for clang"
                        : "prefetch so many iterations ahead that the load is near when it runs",
            .sketch = strided ? arena_format(&scene->arena,
                                             "__builtin_prefetch((const char *)p + %d * "
                                             "(%" PRId64 "));",
                                             distance, most->bytes)
                              : arena_format(&scene->arena,
                                             "__builtin_prefetch(&table[index of iteration i "
                                             "+ %d]);",
                                             distance)});
}

static bool is_chased(const struct loop_row *row)
{
    struct loop_reasons reasons;
    loop_reasons_find(&reasons, row);
    for (uint32_t i = 0; i < reasons.n; i++)
        if (reasons.at[i].stop == STOP_CHASE)
            return true;
    return false;
}

static void row_add(struct looking *looking, const struct loop_row *row)
{
    if (!row->inner || !row->iterations)
        return;
    if (fixes_want(looking->fixes, FIX_LOOP))
        reasons_add(looking, row);
    if (!fixes_want(looking->fixes, FIX_PREFETCH) || is_chased(row))
        return;
    for (size_t i = 0; i < row->accesses.n; i++)
        if (row->accesses.at[i].what.loads)
            prefetch_add(looking, row, &row->accesses.at[i]);
}

void fixes_loops(struct fixes *fixes)
{
    struct scene *scene = fixes->scene;
    struct loop_view view;
    struct latency_view latencies;
    struct run_sums sums;
    bool timed = scene->sides[0]->latencies.n > 0;
    if (!scene->sides[0]->windows.n)
        return;
    loop_view_make(&view, scene);
    run_sums_make(&sums, scene, false);
    if (timed)
        latency_view_make(&latencies, scene);
    struct looking looking = {fixes, &view, timed ? &latencies : NULL, sums.per_tick.value};
    for (size_t i = 0; i < view.order.n; i++)
        row_add(&looking, &view.fold.rows.at[view.order.at[i]]);
    if (timed)
        latency_view_release(&latencies);
    loop_view_release(&view);
}
