#include "paths/module.h"

#include "base/memory.h"
#include "program/elf/image.h"
#include "program/cfg/cfg_build.h"
#include "program/symbols/leaving.h"
#include "program/symbols/no_return.h"

#include <stdlib.h>

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
        number_paths(&reading->numbering, &reading->ground.graph, PATHS_LIMIT);
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

/* ---- a module */

void path_module_open(struct path_module *module, const struct image *image,
                      const struct symbols *symbols)
{
    *module = (struct path_module){0};
    for (size_t f = 0; f < symbols->functions.n; f++)
        *vec_push(&module->functions) =
            (struct path_function){.start = symbols->functions.at[f].start};
    path_arrivals_find(&module->arrivals, image, symbols);
}

/* An array for what has few paths; for what has more, as long as half of the room is left. A
 * function in which one may be astray has a table, where a number that is none is seen. */
static struct path_store store_of(const struct path_function *function,
                                  const struct path_options *options, bool stub, uint32_t number)
{
    struct path_store store = {.dense = true,
                               .bits = path_store_bits(function->paths),
                               .ticks = options->ticks,
                               .in_node = options->in_nodes && !stub};
    uint64_t wanted = path_store_counters(&store);
    store.dense = options->counters_left && function->paths && function->paths <= PATHS_MANY &&
                  !function->unsure && wanted <= options->counters_left &&
                  (function->paths <= PATHS_FEW || options->plenty);
    store.counter = store.dense && !store.in_node ? options->counter : number;
    return store;
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

/* What begins or ends with the process. */
static bool borders_kernel(const struct cfg *cfg, const struct image *image,
                           const struct symbols *symbols, function_id f)
{
    struct svma entry = image_entry(image);
    if ((entry.v && symbols_find(symbols, entry) == f) ||
        no_return_at(symbols, symbols->functions.at[f].start))
        return true;
    for (size_t i = 0; i < cfg->instructions.n; i++)
        if (cfg->instructions.at[i].kind == INSTRUCTION_SYSCALL)
            return true;
    return false;
}

static enum path_leaving leaving_of(const struct cfg *cfg, const struct symbols *symbols,
                                    function_id f)
{
    struct svma start = symbols->functions.at[f].start;
    enum path_leaving leaving = jumps_far_at(symbols, start) || calls_back_at(symbols, start)
                                    ? LEAVING_BY_POINTER
                                    : LEAVING_NEVER;
    for (size_t i = 0; i < cfg->instructions.n && leaving != LEAVING_BY_POINTER; i++) {
        const struct instruction *at = &cfg->instructions.at[i];
        if (at->kind == INSTRUCTION_ICALL)
            return LEAVING_BY_POINTER;
        if (at->kind != INSTRUCTION_CALL)
            continue;
        function_id to = symbols_find(symbols, at->target);
        bool stub = to != FUNCTION_NONE && symbols->functions.at[to].source == FUNCTION_STUB;
        if (jumps_far_at(symbols, at->target) || calls_back_at(symbols, at->target))
            leaving = LEAVING_BY_POINTER;
        else if (!stub)
            leaving = LEAVING_BY_CALL;
        else if (leaving == LEAVING_NEVER && stub_may_throw(symbols, at->target))
            leaving = LEAVING_BY_STUB;
    }
    return leaving;
}

uint32_t path_module_plan(struct path_module *module, const struct image *image,
                          const struct symbols *symbols, function_id f,
                          const struct path_options *options, struct path_operations *ret)
{
    struct path_function *function = &module->functions.at[f];
    struct path_reading reading;
    struct path_operations raw = {0};
    if (!path_reading_open(&reading, image, symbols, &module->arrivals, f))
        return 0;
    function->paths = reading.numbering.total;
    function->unsure = reading.ground.unsure;
    function->cuts = (uint32_t)reading.numbering.cuts.n;
    function->leaving = borders_kernel(&reading.cfg, image, symbols, f)
                            ? LEAVING_BY_KERNEL
                            : leaving_of(&reading.cfg, symbols, f);
    path_plan(&reading.ground, &reading.cfg, &reading.numbering, options->ticks, &raw);
    path_reading_close(&reading);
    bool stub = symbols->functions.at[f].source == FUNCTION_STUB;
    function->store = store_of(function, options, stub, f);
    for (size_t i = 0; i < raw.n; i++)
        path_operation_settle(&raw.at[i], &function->store, ret);
    vec_release(&raw);
    operations_sort(ret);
    return path_store_counters(&function->store);
}

void path_module_release(struct path_module *module)
{
    vec_release(&module->functions);
    vec_release(&module->arrivals);
    *module = (struct path_module){0};
}
