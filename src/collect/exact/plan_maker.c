#include "collect/exact/plan_maker.h"

#include "base/clock.h"
#include "base/memory.h"
#include "collect/exact/path_plans.h"
#include "paths/number.h"
#include "profile/profile.h"
#include "program/elf/image.h"
#include "program/symbols/leaving.h"
#include "process/mappings.h"
#include "wire/node.h"

#include <limits.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

struct planned_code {
    struct image image;
    struct symbols symbols;
};

void plan_maker_release(struct planned_module *planned)
{
    path_module_release(&planned->made);
    if (!planned->code)
        return;
    symbols_release(&planned->code->symbols);
    image_close(&planned->code->image);
    mem_free(planned->code);
}

/* Room in the library, or NULL. */
static void *library_take(struct path_plans *plans, size_t bytes, uint64_t *ret_at)
{
    if (bytes > PLAN_LIBRARY_BYTES - plans->library_used)
        return NULL;
    *ret_at = plans->library_used;
    plans->library_used += (bytes + 7) & ~(size_t)7;
    return plans->library + *ret_at;
}

/* ---- modules */

static uint16_t context_flags(const struct path_plans *plans, const struct symbols *symbols,
                              const struct function *function)
{
    if (!plans->contexts || function->source == FUNCTION_STUB)
        return 0;
    bool parted = symbols->ranges.at[function->first_range].next != RANGE_NONE;
    return PLAN_FUNCTION | (parted ? PLAN_PARTED : 0);
}

static void module_tell(struct path_plans *plans, struct planned_module *planned)
{
    const struct symbols *symbols = &planned->code->symbols;
    struct wire_plan_function *to =
        library_take(plans, symbols->ranges.n * sizeof *to, &planned->told);
    if (!to) {
        plans->unplanned++;
        return;
    }
    planned->n_told = (uint32_t)symbols->ranges.n;
    for (size_t r = 0; r < symbols->ranges.n; r++) {
        const struct code_range *range = &symbols->ranges.at[r];
        const struct function *function = &symbols->functions.at[range->function];
        to[r] = (struct wire_plan_function){
            .start = range->start.v,
            .of = function->start.v,
            .bytes = range->bytes > UINT32_MAX ? 0 : (uint32_t)range->bytes,
            .number = planned->first_function + range->function,
            .flags = context_flags(plans, symbols, function),
            .state = plans->paths ? PLAN_TO_MAKE : PLAN_MADE};
    }
}

/* The agent's own code is nobody's paths. */
static bool is_planned(const struct mappings *mappings, uint32_t module)
{
    const char *path = mappings->profile->modules.at[module].path;
    const char *slash = strrchr(path, '/');
    return strcmp(path, "[vdso]") == 0 || (slash && strcmp(slash, "/libgait.so") != 0);
}

/* Recording begins in the middle of the loader's functions: in a table, what was not seen from its
 * beginning has a number that is none. */
static bool is_loader(const struct mappings *mappings, uint32_t module)
{
    return strstr(mappings->profile->modules.at[module].path, "/ld-linux") != NULL;
}

static void module_open(struct path_plans *plans, struct planned_module *planned,
                        const struct mappings *mappings)
{
    struct planned_code *code = mem_alloc(sizeof *code);
    if (!is_planned(mappings, planned->module) ||
        !mappings_image_open(mappings, planned->module, &code->image)) {
        mem_free(code);
        return;
    }
    symbols_build(&code->symbols, &code->image);
    planned->code = code;
    planned->tables = is_loader(mappings, planned->module);
    planned->leaving = module_leaving(&code->image);
    plans->leaving |= planned->leaving;
    planned->first_function = plans->functions;
    plans->functions += (uint32_t)code->symbols.functions.n;
    module_tell(plans, planned);
}

/* Of a module of the profile, made when it is met first. */
static const struct planned_module *planned_get(struct path_plans *plans,
                                                const struct mappings *mappings, uint32_t module)
{
    for (size_t i = 0; i < plans->modules.n; i++)
        if (plans->modules.at[i].module == module)
            return &plans->modules.at[i];
    struct planned_module *planned = vec_push(&plans->modules);
    uint64_t start = clock_ns(CLOCK_MONOTONIC);
    planned->module = module;
    module_open(plans, planned, mappings);
    plans->make_ns += clock_ns(CLOCK_MONOTONIC) - start;
    return planned;
}

void path_plans_map(struct path_plans *plans, struct channel *channel, struct mappings *mappings,
                    const struct wire_map *map)
{
    struct place start = mappings_place(mappings, (struct avma){map->start});
    const struct planned_module *planned = planned_get(plans, mappings, start.module);
    struct wire_plan_module module = {.bytes = sizeof module,
                                      .start = map->start,
                                      .end = map->end,
                                      .bias = map->start - start.address.v,
                                      .functions = planned->told,
                                      .n_functions = planned->n_told};
    uint64_t at = channel->plans_bytes;
    if (!module.n_functions || at > CHANNEL_PLANS_BYTES || sizeof module > CHANNEL_PLANS_BYTES - at)
        return;
    memcpy((unsigned char *)channel + CHANNEL_PLANS_AT + at, &module, sizeof module);
    __atomic_store_n(&channel->plans_bytes, at + sizeof module, __ATOMIC_RELEASE);
}

/* ---- functions */

static struct path_options options_now(const struct path_plans *plans,
                                       const struct planned_module *planned)
{
    uint32_t left = PATH_COUNTERS_MAX - plans->counters;
    return (struct path_options){.ticks = plans->contexts ? TICKS_NONE : plans->ticks,
                                 .in_nodes = plans->contexts,
                                 .counter = plans->counters,
                                 .counters_left = planned->tables ? 0 : left,
                                 .plenty = left > PATH_COUNTERS_MAX / 2};
}

/* Operations in the library; false: there is no room. */
static bool operations_put(struct path_plans *plans, const struct planned_module *planned,
                           const struct path_operations *operations, uint64_t *ret_at)
{
    struct wire_plan *to = library_take(plans, operations->n * sizeof *to, ret_at);
    for (size_t i = 0; to && i < operations->n; i++) {
        to[i] = operations->at[i];
        if (to[i].action == PLAN_COUNT_PATH || to[i].flags & PLAN_IN_NODE)
            to[i].counter += planned->first_function;
    }
    return to;
}

/* What is known of the function now, in all its parts. */
static void function_tell(struct path_plans *plans, const struct planned_module *planned,
                          function_id f, const struct wire_plan_function *more)
{
    const struct symbols *symbols = &planned->code->symbols;
    struct wire_plan_function *told = (void *)(plans->library + planned->told);
    for (uint32_t r = symbols->functions.at[f].first_range; r != RANGE_NONE;
         r = symbols->ranges.at[r].next) {
        told[r].flags =
            (uint16_t)(context_flags(plans, symbols, &symbols->functions.at[f]) | more->flags);
        told[r].paths = more->paths;
        told[r].operations = more->operations;
        told[r].n = more->n;
        __atomic_store_n(&told[r].state, PLAN_MADE, __ATOMIC_RELEASE);
        syscall(SYS_futex, &told[r].state, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
    }
}

/* What ran along a path that never ends is not counted with it, nor what ran of one that was under
 * way when the recording began: the loader's, which call constructors by pointers. */
static bool may_leave(const struct path_plans *plans, const struct planned_module *planned,
                      const struct path_function *function)
{
    return (planned->leaving & MODULE_THROWS && function->leaving >= LEAVING_BY_STUB) ||
           (planned->leaving & MODULE_JUMPS_FAR && function->leaving >= LEAVING_BY_CALL) ||
           (plans->leaving && function->leaving >= LEAVING_BY_POINTER) ||
           (planned->tables && function->leaving >= LEAVING_BY_POINTER) ||
           function->leaving == LEAVING_BY_KERNEL;
}

static void function_make(struct path_plans *plans, struct planned_module *planned, function_id f)
{
    const struct planned_code *code = planned->code;
    struct path_options options = options_now(plans, planned);
    struct path_operations operations = {0};
    struct wire_plan_function more = {0};
    if (!planned->made.functions.n)
        path_module_open(&planned->made, &code->image, &code->symbols);
    uint32_t counters =
        path_module_plan(&planned->made, &code->image, &code->symbols, f, &options, &operations);
    struct path_function *function = &planned->made.functions.at[f];
    if (operations_put(plans, planned, &operations, &more.operations)) {
        plans->counters += counters;
        more.n = (uint32_t)operations.n;
        function->covered = plans->covered && function->paths && !function->unsure &&
                            !may_leave(plans, planned, function);
        if (function->covered)
            more.flags = PLAN_COVERED;
        if (function->store.in_node)
            more.paths =
                function->store.dense ? (uint16_t)(function->store.bits + 1u) : NODE_KNOWN_PATHS;
    } else {
        *function = (struct path_function){.start = function->start};
        plans->unplanned++;
    }
    vec_release(&operations);
    function_tell(plans, planned, f, &more);
}

/* By its place in the library, which another process has told us. */
static bool function_serve(struct path_plans *plans, uint64_t at)
{
    for (size_t i = 0; i < plans->modules.n; i++) {
        struct planned_module *planned = &plans->modules.at[i];
        uint64_t within = at - planned->told, each = sizeof(struct wire_plan_function);
        if (at < planned->told || within / each >= planned->n_told || within % each)
            continue;
        const struct wire_plan_function *told = (const void *)(plans->library + at);
        if (plans->paths && __atomic_load_n(&told->state, __ATOMIC_ACQUIRE) != PLAN_MADE)
            function_make(plans, planned, planned->code->symbols.ranges.at[within / each].function);
        return true;
    }
    return false;
}

uint32_t path_plans_serve(struct path_plans *plans, struct channel *channel)
{
    uint32_t served = 0;
    uint64_t start = clock_ns(CLOCK_MONOTONIC);
    for (uint32_t i = 0; i < PLAN_ASKS; i++) {
        uint64_t ask = __atomic_load_n(&channel->plan_asks[i], __ATOMIC_ACQUIRE);
        if (!ask)
            continue;
        function_serve(plans, ask - 1);
        __atomic_store_n(&channel->plan_asks[i], 0, __ATOMIC_RELEASE);
        served++;
    }
    plans->make_ns += served ? clock_ns(CLOCK_MONOTONIC) - start : 0;
    return served;
}
