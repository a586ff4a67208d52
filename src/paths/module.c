#include "paths/module.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "program/image.h"

#include <stdlib.h>

enum { SHARD = 32 };

struct shard {
    struct path_operations operations;
    uint32_t n_operations[SHARD]; /* of each function */
};

struct job {
    struct path_module *module;
    const struct image *image;
    const struct symbols *symbols;
    enum path_ticks ticks;
    struct shard *shards;
};

/* ---- one function */

bool path_reading_open(struct path_reading *reading, const struct image *image,
                       const struct symbols *symbols, const struct path_arrivals *arrivals,
                       function_id function)
{
    struct path_arrivals here = {0};
    struct {
        VEC(struct cfg_seen);
    } seen = {0};
    path_arrivals_pick(arrivals, symbols, function, &here);
    for (size_t i = 0; i < here.n; i++)
        *vec_push(&seen) = (struct cfg_seen){.to = here.at[i]};
    cfg_build(&reading->cfg, image, symbols, function, seen.at, seen.n);
    bool any = ground_make(&reading->ground, &reading->cfg, symbols, here.at, here.n);
    if (any)
        number_paths(&reading->numbering, &reading->ground.shape, PATHS_LIMIT);
    else
        cfg_release(&reading->cfg);
    vec_release(&here);
    vec_release(&seen);
    return any;
}

void path_reading_close(struct path_reading *reading)
{
    numbering_release(&reading->numbering);
    ground_release(&reading->ground);
    cfg_release(&reading->cfg);
}

static void function_make(const struct job *job, function_id f, struct shard *shard, size_t slot)
{
    struct path_function *function = &job->module->functions.at[f];
    struct path_reading reading;
    shard->n_operations[slot] = 0;
    if (!path_reading_open(&reading, job->image, job->symbols, &job->module->arrivals, f))
        return;
    function->paths = reading.numbering.total;
    function->unsure = reading.ground.unsure;
    function->cuts = (uint32_t)reading.numbering.cuts.n;
    size_t before = shard->operations.n;
    path_plan(&reading.ground, &reading.cfg, &reading.numbering, job->ticks, &shard->operations);
    shard->n_operations[slot] = (uint32_t)(shard->operations.n - before);
    path_reading_close(&reading);
}

/* ---- all of them */

static void shard_make(void *context, size_t index, unsigned worker)
{
    (void)worker;
    const struct job *job = context;
    size_t first = index * SHARD, n = job->module->functions.n - first;
    for (size_t i = 0; i < n && i < SHARD; i++)
        function_make(job, (function_id)(first + i), &job->shards[index], i);
}

/* Arrays for what has few paths. Of those that have more, as many as there is room for. A function in which one may be astray has a table, where a
 * number that is none is seen. */
static void stores_give(struct path_module *module, const struct symbols *symbols,
                        const struct path_options *options)
{
    uint32_t room = options->counters;
    for (size_t f = 0; f < module->functions.n; f++) {
        struct path_function *function = &module->functions.at[f];
        struct path_store store = {.dense = true,
                                   .bits = path_store_bits(function->paths),
                                   .ticks = options->ticks,
                                   .in_node = options->in_nodes &&
                                              symbols->functions.at[f].source != FUNCTION_STUB};
        uint64_t wanted = path_store_counters(&store);
        store.dense = room && function->paths && function->paths <= PATHS_MANY &&
                      !function->unsure && wanted <= room - module->counters &&
                      (function->paths <= PATHS_FEW || wanted <= room / 2 - module->counters / 2);
        store.counter = store.dense && !store.in_node ? module->counters : (uint32_t)f;
        module->counters += path_store_counters(&store);
        function->store = store;
    }
}

static void operations_gather(struct path_module *module, const struct shard *shard, size_t first)
{
    const struct wire_plan *from = shard->operations.at;
    for (size_t i = 0; i < SHARD && first + i < module->functions.n; i++)
        for (uint32_t k = 0; k < shard->n_operations[i]; k++)
            path_operation_settle(from++, &module->functions.at[first + i].store,
                                  &module->operations);
}

struct sorted {
    uint64_t from, to;
    size_t at;
};

static int by_place(const void *a, const void *b)
{
    const struct sorted *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    if (x->to != y->to)
        return x->to < y->to ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

static void operations_sort(struct path_operations *operations)
{
    size_t n = operations->n;
    struct path_operations sorted = {0};
    struct sorted *order = mem_alloc((n + 1) * sizeof *order);
    for (size_t i = 0; i < n; i++)
        order[i] = (struct sorted){operations->at[i].from, operations->at[i].to, i};
    qsort(order, n, sizeof *order, by_place);
    vec_room(&sorted, n);
    for (size_t i = 0; i < n; i++)
        sorted.at[i] = operations->at[order[i].at];
    sorted.n = n;
    mem_free(order);
    vec_release(operations);
    *operations = sorted;
}

void path_module_make(struct path_module *module, const struct image *image,
                      const struct symbols *symbols, struct path_options options)
{
    size_t n = symbols->functions.n, shards = (n + SHARD - 1) / SHARD;
    struct job job = {module, image, symbols, options.ticks, NULL};
    *module = (struct path_module){0};
    job.shards = mem_alloc((shards + 1) * sizeof *job.shards);
    for (size_t f = 0; f < n; f++)
        *vec_push(&module->functions) =
            (struct path_function){.start = symbols->functions.at[f].start};
    path_arrivals_find(&module->arrivals, image, symbols);
    parallel_for(shards, shard_make, &job);
    stores_give(module, symbols, &options);
    for (size_t s = 0; s < shards; s++) {
        operations_gather(module, &job.shards[s], s * SHARD);
        vec_release(&job.shards[s].operations);
    }
    operations_sort(&module->operations);
    mem_free(job.shards);
}

void path_module_release(struct path_module *module)
{
    vec_release(&module->functions);
    vec_release(&module->operations);
    vec_release(&module->arrivals);
    *module = (struct path_module){0};
}
