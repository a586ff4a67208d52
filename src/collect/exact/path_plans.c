#include "collect/exact/path_plans.h"

#include "base/err.h"
#include "base/memory.h"
#include "collect/channel/banks.h"
#include "collect/exact/path_bursts.h"
#include "collect/exact/plan_maker.h"
#include "consumers/exact.h"
#include "process/units.h"
#include "collect/channel/share.h"
#include "collect/exact/exact_process.h"
#include "paths/number.h"
#include "profile/profile.h"
#include "profile/sums.h"

#include <string.h>

bool path_plans_open(struct path_plans *plans, const struct share *share, struct err *err)
{
    plans->library = share_map_library(share);
    plans->counters = plans->functions = 1; /* 0 is nobody's */
    return plans->library || err_set(err, ERR_SYSTEM, "no memory for plans of paths");
}

void path_plans_release(struct path_plans *plans)
{
    for (size_t i = 0; i < plans->modules.n; i++)
        plan_maker_release(&plans->modules.at[i]);
    vec_release(&plans->modules);
    path_counts_release(&plans->counts);
    if (plans->library)
        share_unmap_library(plans->library);
    *plans = (struct path_plans){0};
}

/* ---- what they came to */

struct taking {
    struct path_plans *plans;
    const struct mappings *mappings;
    struct profile *profile;
    const struct planned_module *planned;
    struct path_bursts *bursts; /* TICKS_SOME, or NULL */
    bool solved;                /* else what they need is gathered, and nothing taken */
};

static struct sums *row(const struct taking *taking, enum path_kind kind, uint64_t function,
                        uint64_t path)
{
    struct path_key key = {.module = taking->planned->module,
                           .kind = (uint32_t)kind,
                           .function = {function},
                           .path = path};
    return table_at(&taking->profile->paths, &key);
}

struct gone {
    uint64_t count, ticks;
    struct wire_measured some; /* TICKS_SOME: of some of them */
};

static void measured_add(const struct taking *taking, const struct path_function *function,
                         uint64_t path, const struct wire_measured *some)
{
    struct sums *measured = row(taking, PATH_MEASURED, function->start.v, path);
    sum_add(&measured->count, some->passages);
    sum_add(&measured->time, some->ticks);
    struct sums *looked = row(taking, PATH_LOOKED, function->start.v, path);
    sum_add(&looked->count, some->looks);
    sum_add(&looked->time, some->squares);
    sum_add(&row(taking, PATH_BURSTS, function->start.v, path)->count, some->bursts);
}

/* PLAN_NO_PATH, and what was added since. */
static bool path_begun_before(uint64_t path)
{
    return path - (PLAN_NO_PATH - PATHS_LIMIT) < 2 * PATHS_LIMIT;
}

static void path_add(struct taking *taking, const struct path_function *function, uint64_t path,
                     struct gone gone)
{
    uint64_t count = gone.count;
    if (path >= function->paths) {
        *(path_begun_before(path) ? &taking->plans->begun : &taking->plans->wrong) += count;
        return;
    }
    struct sums *sums = row(taking, PATH_RAN, function->start.v, path);
    sum_add(&sums->count, count);
    sum_add(&sums->time, gone.ticks);
    if (gone.some.passages)
        measured_add(taking, function, path, &gone.some);
    row(taking, PATH_FUNCTION, function->start.v, function->paths)->count = 1;
    if (taking->plans->covered)
        path_counts_add(&taking->plans->counts, taking->mappings,
                        (struct place){taking->planned->module, function->start}, path, count,
                        function->covered);
}

/* `key`: as bursts have it. */
static void gone_take(struct taking *taking, const struct path_function *function, uint32_t key,
                      uint64_t path, struct gone gone)
{
    if (taking->bursts && !taking->solved) {
        path_bursts_alone(taking->bursts, key, path, &gone.some);
        return;
    }
    if (taking->bursts)
        path_bursts_apply(taking->bursts, key, path, &gone.some);
    path_add(taking, function, path, gone);
}

static void dense_take(struct taking *taking, const struct path_function *function,
                       const struct banks *banks)
{
    const struct path_store *store = &function->store;
    uint64_t first = store->counter;
    uint64_t n = UINT64_C(1) << store->bits, each = store->ticks == TICKS_ALL ? 2 : 1;
    const uint64_t *sum = banks->sum.at;
    if (!function->paths || !store->dense || store->in_node)
        return;
    if (first + path_store_counters(store) > banks->sum.n)
        return;
    for (uint64_t i = 0; i < n; i++) {
        uint64_t at = first + i * each, measured = first + n + MEASURED_WORDS * i;
        struct gone gone = {.count = sum[at]};
        if (store->ticks == TICKS_ALL)
            gone.ticks = sum[at + 1];
        if (store->ticks == TICKS_SOME)
            memcpy(&gone.some, &sum[measured], sizeof gone.some);
        if (gone.count)
            gone_take(taking, function, (uint32_t)first, i, gone);
    }
}

static const struct planned_module *planned_of(const struct path_plans *plans, uint32_t function)
{
    for (size_t i = 0; i < plans->modules.n; i++)
        if (function - plans->modules.at[i].first_function < plans->modules.at[i].made.functions.n)
            return &plans->modules.at[i];
    return NULL;
}

void path_plans_add(struct path_plans *plans, struct profile *profile,
                    const struct mappings *mappings, uint32_t function, uint64_t path,
                    uint64_t count)
{
    struct taking taking = {.plans = plans,
                            .mappings = mappings,
                            .profile = profile,
                            .planned = planned_of(plans, function)};
    if (taking.planned)
        path_add(&taking,
                 &taking.planned->made.functions.at[function - taking.planned->first_function],
                 path, (struct gone){.count = count});
    else
        plans->wrong += count;
}

static struct gone gone_of(const struct banks *banks, const struct wire_path *path)
{
    const struct wire_path none = {0};
    const struct wire_path *timed = banks_path(banks, path->function | PATH_TIMED, path->path);
    if (!timed)
        return (struct gone){.count = path->count, .ticks = path->ticks};
    const struct wire_path *looked =
        banks_path(banks, path->function | PATH_TIMED_LOOKS, path->path);
    const struct wire_path *bursts =
        banks_path(banks, path->function | PATH_TIMED_BURSTS, path->path);
    looked = looked ? looked : &none;
    return (struct gone){.count = path->count,
                         .some = {.ticks = timed->ticks,
                                  .passages = timed->count,
                                  .looks = looked->count,
                                  .squares = looked->ticks,
                                  .bursts = bursts ? bursts->count : 0}};
}

static void all_dense_take(struct taking *taking, const struct banks *banks)
{
    const struct path_plans *plans = taking->plans;
    for (size_t i = 0; i < plans->modules.n; i++) {
        taking->planned = &plans->modules.at[i];
        for (size_t f = 0; f < taking->planned->made.functions.n; f++)
            dense_take(taking, &taking->planned->made.functions.at[f], banks);
    }
}

static void all_numbered_take(struct taking *taking, const struct banks *banks)
{
    for (size_t i = 0; i < banks->paths.n; i++) {
        const struct wire_path *path = &banks->paths.at[i];
        taking->planned = planned_of(taking->plans, path->function);
        if (path->function & PATH_TIMED)
            continue;
        if (taking->planned)
            gone_take(taking,
                      &taking->planned->made.functions
                           .at[path->function - taking->planned->first_function],
                      path->function | BURST_BY_NUMBER, path->path, gone_of(banks, path));
        else if (taking->solved || !taking->bursts)
            taking->plans->wrong += path->count;
    }
}

void path_plans_take(struct path_plans *plans, const struct exact_process *process)
{
    struct banks *banks = process->banks;
    struct profile *profile = process->profile;
    struct path_bursts bursts;
    struct taking taking = {.plans = plans,
                            .mappings = process->mappings,
                            .profile = profile,
                            .bursts = plans->ticks == TICKS_SOME ? &bursts : NULL};
    banks_read_paths(banks, &process->units->paths);
    path_bursts_init(&bursts);
    if (taking.bursts) {
        path_bursts_read(&bursts, process);
        all_dense_take(&taking, banks);
        all_numbered_take(&taking, banks);
        path_bursts_solve(&bursts);
        taking.solved = true;
    }
    all_dense_take(&taking, banks);
    all_numbered_take(&taking, banks);
    path_bursts_release(&bursts);
    path_counts_give(&plans->counts, process->exact);
    sum_add(&profile->totals.losses[LOSS_path_wrong], plans->wrong);
    sum_add(&profile->totals.losses[LOSS_path_begun], plans->begun);
    sum_add(&profile->totals.losses[LOSS_garbled], bursts.garbled);
    plans->wrong = plans->begun = 0;
}
