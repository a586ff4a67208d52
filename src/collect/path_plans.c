#include "collect/path_plans.h"

#include "base/err.h"
#include "base/memory.h"
#include "collect/banks.h"
#include "collect/path_bursts.h"
#include "course/exact.h"
#include "space/mappings.h"
#include "collect/share.h"
#include "collect/source.h"
#include "paths/number.h"
#include "profile/profile.h"
#include "profile/sums.h"
#include "program/image.h"
#include "wire/node.h"

#include <string.h>
#include <time.h>

bool path_plans_open(struct path_plans *plans, const struct share *share, struct err *err)
{
    plans->library = share_map_library(share);
    plans->counters = plans->functions = 1; /* 0 is nobody's */
    return plans->library || err_set(err, ERR_SYSTEM, "no memory for plans of paths");
}

void path_plans_release(struct path_plans *plans)
{
    for (size_t i = 0; i < plans->modules.n; i++)
        vec_release(&plans->modules.at[i].functions);
    vec_release(&plans->modules);
    path_counts_release(&plans->counts);
    if (plans->library)
        share_unmap_library(plans->library);
    *plans = (struct path_plans){0};
}

/* ---- making */

/* Room in the library, or NULL. */
static void *library_take(struct path_plans *plans, size_t bytes, uint64_t *ret_at)
{
    if (bytes > PLAN_LIBRARY_BYTES - plans->library_used)
        return NULL;
    *ret_at = plans->library_used;
    plans->library_used += (bytes + 7) & ~(size_t)7;
    return plans->library + *ret_at;
}

static void operations_put(struct path_plans *plans, const struct planned_module *planned,
                           const struct path_operations *operations)
{
    struct wire_plan *to = (void *)(plans->library + planned->operations);
    for (size_t i = 0; i < operations->n; i++) {
        to[i] = operations->at[i];
        if (to[i].action == PLAN_COUNT_PATH || to[i].flags & PLAN_IN_NODE)
            to[i].counter += planned->first_function;
        else if (to[i].action == PLAN_COUNT)
            to[i].counter += planned->first_counter;
    }
}

/* What processes need to know of a stretch of code; PLAN_ flags. */
static uint16_t flags_of(const struct path_plans *plans, const struct planned_module *planned,
                         const struct symbols *symbols, const struct code_range *range)
{
    const struct function *function = &symbols->functions.at[range->function];
    uint16_t flags = 0;
    if (plans->contexts && function->source != FUNCTION_STUB)
        flags |= PLAN_FUNCTION |
                 (symbols->ranges.at[function->first_range].next != RANGE_NONE ? PLAN_PARTED : 0);
    if (plans->paths && plans->covered) {
        const struct path_function *paths = &planned->functions.at[range->function];
        flags |= paths->paths && !paths->unsure ? PLAN_COVERED : 0;
    }
    return flags;
}

static struct wire_plan_function told_of(const struct planned_module *planned,
                                         const struct symbols *symbols,
                                         const struct code_range *range)
{
    struct wire_plan_function told = {.start = range->start.v,
                                      .of = symbols->functions.at[range->function].start.v,
                                      .bytes = (uint32_t)range->bytes,
                                      .number = planned->first_function + range->function};
    if (planned->functions.n) {
        const struct path_store *store = &planned->functions.at[range->function].store;
        if (store->in_node)
            told.paths = store->dense ? (uint16_t)(store->bits + 1u) : NODE_KNOWN_PATHS;
    }
    return told;
}

static uint32_t covered_put(struct path_plans *plans, const struct planned_module *planned,
                            const struct symbols *symbols)
{
    struct wire_plan_function *to = (void *)(plans->library + planned->covered);
    uint32_t n = 0;
    for (size_t r = 0; r < symbols->ranges.n; r++) {
        const struct code_range *range = &symbols->ranges.at[r];
        uint16_t flags = flags_of(plans, planned, symbols, range);
        if (!flags || range->bytes > UINT32_MAX)
            continue;
        to[n] = told_of(planned, symbols, range);
        to[n++].flags = flags;
    }
    return n;
}

static void module_plan(struct path_plans *plans, struct planned_module *planned,
                        const struct image *image, bool tables)
{
    struct symbols symbols;
    struct path_module made = {0};
    struct path_options options = {.ticks = plans->contexts ? TICKS_NONE : plans->ticks,
                                   .in_nodes = plans->contexts,
                                   .counters =
                                       tables ? 0 : (PATH_COUNTERS_MAX - plans->counters) / 2};
    symbols_build(&symbols, image);
    if (plans->paths)
        path_module_make(&made, image, &symbols, options);
    planned->first_counter = plans->counters;
    planned->first_function = plans->functions;
    planned->functions = made.functions;
    uint64_t before = plans->library_used;
    void *operations =
        library_take(plans, made.operations.n * sizeof(struct wire_plan), &planned->operations);
    void *covered = library_take(plans, symbols.ranges.n * sizeof(struct wire_plan_function),
                                 &planned->covered);
    if (operations && covered) {
        planned->n_operations = (uint32_t)made.operations.n;
        operations_put(plans, planned, &made.operations);
        planned->n_covered = covered_put(plans, planned, &symbols);
        plans->counters += made.counters;
        plans->functions += (uint32_t)symbols.functions.n;
    } else {
        plans->library_used = before;
        plans->unplanned++;
    }
    made.functions = (struct path_functions){0};
    path_module_release(&made);
    symbols_release(&symbols);
}

/* The agent's own code is nobody's paths. */
static bool is_planned(const struct mappings *mappings, uint32_t module)
{
    const char *path = mappings->profile->modules.at[module].path;
    const char *slash = strrchr(path, '/');
    return strcmp(path, "[vdso]") == 0 || (slash && strcmp(slash, "/libgait.so") != 0);
}

/* Recording begins in the middle of the loader's functions: in a table, what was not seen from its beginning has a number that is none. */
static bool is_loader(const struct mappings *mappings, uint32_t module)
{
    return strstr(mappings->profile->modules.at[module].path, "/ld-linux") != NULL;
}

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Of a module of the profile, made when it is met first. */
static const struct planned_module *planned_get(struct path_plans *plans,
                                                const struct mappings *mappings, uint32_t module)
{
    for (size_t i = 0; i < plans->modules.n; i++)
        if (plans->modules.at[i].module == module)
            return &plans->modules.at[i];
    struct planned_module *planned = vec_push(&plans->modules);
    struct image image;
    uint64_t start = now_ns();
    planned->module = module;
    if (is_planned(mappings, module) && mappings_image_open(mappings, module, &image)) {
        module_plan(plans, planned, &image, is_loader(mappings, module));
        image_close(&image);
    }
    plans->make_ns += now_ns() - start;
    return planned;
}

void path_plans_map(struct path_plans *plans, struct channel *channel, struct mappings *mappings,
                    const struct wire_map *map)
{
    struct place start = mappings_place(mappings, (struct avma){map->start});
    const struct planned_module *planned = planned_get(plans, mappings, start.module);
    struct wire_plan_module module = {.bytes = sizeof module,
                                      .n = planned->n_operations,
                                      .start = map->start,
                                      .end = map->end,
                                      .bias = map->start - start.address.v,
                                      .operations = planned->operations,
                                      .functions = planned->covered,
                                      .n_functions = planned->n_covered};
    uint64_t at = channel->plans_bytes;
    if ((!module.n && !module.n_functions) || at > CHANNEL_PLANS_BYTES ||
        sizeof module > CHANNEL_PLANS_BYTES - at)
        return;
    memcpy((unsigned char *)channel + CHANNEL_PLANS_AT + at, &module, sizeof module);
    __atomic_store_n(&channel->plans_bytes, at + sizeof module, __ATOMIC_RELEASE);
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
                           .function = function,
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
                        !function->unsure);
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
    uint64_t first = taking->planned->first_counter + (uint64_t)store->counter;
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
        if (function - plans->modules.at[i].first_function < plans->modules.at[i].functions.n &&
            plans->modules.at[i].n_operations)
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
        path_add(&taking, &taking.planned->functions.at[function - taking.planned->first_function],
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
        if (!taking->planned->n_operations)
            continue;
        for (size_t f = 0; f < taking->planned->functions.n; f++)
            dense_take(taking, &taking->planned->functions.at[f], banks);
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
            gone_take(
                taking,
                &taking->planned->functions.at[path->function - taking->planned->first_function],
                path->function | BURST_BY_NUMBER, path->path, gone_of(banks, path));
        else if (taking->solved || !taking->bursts)
            taking->plans->wrong += path->count;
    }
}

void path_plans_take(struct path_plans *plans, const struct source *source)
{
    struct banks *banks = source->banks;
    struct profile *profile = source->exact->profile;
    struct path_bursts bursts;
    struct taking taking = {.plans = plans,
                            .mappings = &source->mappings,
                            .profile = profile,
                            .bursts = plans->ticks == TICKS_SOME ? &bursts : NULL};
    banks_read_paths(banks, &source->units.paths);
    path_bursts_init(&bursts);
    if (taking.bursts) {
        path_bursts_read(&bursts, source);
        all_dense_take(&taking, banks);
        all_numbered_take(&taking, banks);
        path_bursts_solve(&bursts);
        taking.solved = true;
    }
    all_dense_take(&taking, banks);
    all_numbered_take(&taking, banks);
    path_bursts_release(&bursts);
    path_counts_give(&plans->counts, source->exact);
    sum_add(&profile->totals.losses[LOSS_path_wrong], plans->wrong);
    sum_add(&profile->totals.losses[LOSS_path_begun], plans->begun);
    sum_add(&profile->totals.losses[LOSS_garbled], bursts.garbled);
    plans->wrong = plans->begun = 0;
}
