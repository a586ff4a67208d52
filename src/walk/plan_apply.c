#include "walk/plan_apply.h"

#include "walk/node_count.h"
#include "walk/node_tree.h"
#include "walk/sys.h"

/* ---- paths by their number */

enum { PATHS = PATHS_BYTES / sizeof(struct wire_path), PROBES = 1 << 12 };
_Static_assert(PATHS == PATH_QUARTERS * PATH_HOMES, "as the code has it");

static uint32_t path_home(uint32_t function, uint64_t path, uint32_t node)
{
    uint64_t sum = path + (path >> 16) + path_salt(function) + node;
    return (uint32_t)(path_slots_at(function) - PATHS_AT) / sizeof(struct wire_path) +
           (uint32_t)(sum % PATH_HOMES);
}

/* Found by linear probing from a place that its key gives. False: there is no room near it. */
static bool path_add(uint8_t *bank, const struct wire_path *more)
{
    struct wire_path *paths = (struct wire_path *)(void *)(bank + PATHS_AT);
    uint32_t at = path_home(more->function, more->path, more->node);
    for (uint32_t i = 0; i < PROBES; i++, at = (at + 1) % PATHS) {
        struct wire_path *slot = &paths[at];
        if (slot->count && (slot->path != more->path || slot->function != more->function ||
                            slot->node != more->node))
            continue;
        slot->path = more->path;
        slot->function = more->function;
        slot->node = more->node;
        slot->ticks += more->ticks;
        slot->count += more->count;
        return true;
    }
    return false;
}

static void path_count(struct context *context, uint8_t *bank, const struct wire_path *more)
{
    if (!path_add(bank, more) && context->paths_lost)
        __atomic_fetch_add(context->paths_lost, more->count, __ATOMIC_RELAXED);
}

/* Pages that nobody has touched are read, which is what a thread's end costs. */
void paths_merge(struct context *context, uint8_t *bank)
{
    uint8_t *own = (uint8_t *)context->counters;
    const struct wire_path *paths = (const struct wire_path *)(const void *)(own + PATHS_AT);
    for (uint32_t i = 0; context->counts_paths && i < PATHS; i++) {
        struct wire_path path = paths[i];
        if (!path.count)
            continue;
        path.node = path.node ? node_at(own, path.node)->first : 0; /* as contexts_merge left it */
        path_count(context, bank, &path);
    }
    context->counts_paths = 0;
}

/* In no context, if it is not that function's. */
static void count_in_node(struct context *context, const struct wire_plan *operation, uint64_t sum)
{
    uint64_t path =
        operation->bits ? sum & ((1u << operation->bits) - 1) : (uint64_t)operation->value;
    uint64_t *counter = node_count_at(context, operation->counter, path);
    if (counter) {
        ++*counter;
        return;
    }
    context->counts_paths = 1;
    path_count(context, (uint8_t *)context->counters,
               &(struct wire_path){.path = path, .function = operation->counter, .count = 1});
}

static void count(struct context *context, const struct wire_plan *operation, uint64_t sum,
                  uint64_t elapsed)
{
    if (operation->flags & PLAN_IN_NODE) {
        count_in_node(context, operation, sum);
        return;
    }
    bool pairs = operation->flags & PLAN_TICKS;
    uint64_t index = (sum & ((UINT64_C(1) << operation->bits) - 1)) << pairs;
    context->counters[operation->counter + index]++;
    if (pairs)
        context->counters[operation->counter + index + 1] += elapsed;
}

static void apply(const struct wire_plan *operation, struct context *context)
{
    uint64_t sum = context->path + (uint64_t)operation->value;
    bool ticks = operation->flags & PLAN_TICKS;
    uint64_t now = ticks ? sys_tsc() : 0, elapsed = ticks ? now - context->path_began : 0;
    struct shadow *shadow = context_shadow(context, context->gpr[RSP]);
    switch ((enum plan_action)operation->action) {
    case PLAN_SET:
        context->path = (uint64_t)operation->value;
        context->path_began = ticks ? now : context->path_began;
        break;
    case PLAN_ADD: context->path = sum; break;
    case PLAN_COUNT:
        count(context, operation, sum, elapsed);
        context->path_began = ticks ? now : context->path_began;
        break;
    case PLAN_COUNT_PATH:
        context->counts_paths = 1;
        path_count(context, (uint8_t *)context->counters,
                   &(struct wire_path){.path = sum,
                                       .function = operation->counter,
                                       .node = operation->flags & PLAN_IN_NODE
                                                   ? node_count_node(context, operation->counter)
                                                   : 0,
                                       .count = 1,
                                       .ticks = elapsed});
        break;
    case PLAN_KEEP:
        shadow->path = context->path;
        shadow->ticks = ticks ? elapsed : shadow->ticks;
        break;
    case PLAN_BACK:
        context->path = shadow->path;
        context->path_began = ticks ? now - shadow->ticks : context->path_began;
        break;
    case PLAN_NOTHING:
    case PLAN_ACTIONS: break;
    }
}

void path_apply(struct plan_path path, struct context *context)
{
    context->path = path.value + (path.known ? 0 : context->path);
}

void plan_apply(const struct plan *plan, plan_place place, struct context *context)
{
    for (uint32_t i = 0; i < plan_operations(place); i++)
        apply(&plan_operation(plan, place)[i], context);
}

void plan_apply_left(const struct plan *plan, struct context *context)
{
    const struct wire_plan *operation =
        (const struct wire_plan *)(const void *)(plan->library + 8 * (size_t)context->exit);
    if (operation->action == PLAN_COUNT)
        count_in_node(context, operation, context->left_path);
    else
        apply(operation, context);
}
