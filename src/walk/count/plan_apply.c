#include "walk/count/plan_apply.h"

#include "walk/count/event_clock.h"
#include "walk/count/node_tree.h"
#include "walk/count/passages.h"
#include "walk/count/path_table.h"
#include "walk/base/sys.h"

/* The current node if it is that function's, else 0. */
static uint32_t own_node(struct context *context, uint32_t number)
{
    const struct wire_node *node = node_at((uint8_t *)context->counters, (uint32_t)context->node);
    return node->number == number && node->function ? (uint32_t)context->node : 0;
}

/* The counter of a path in the current node. NULL: the node is another function's. */
static uint64_t *node_counter(struct context *context, uint32_t number, uint64_t path)
{
    uint32_t at = own_node(context, number);
    struct wire_node *node = node_at((uint8_t *)context->counters, at);
    return at && path < node_counters(node->paths) ? &node_path_counters(node)[path] : NULL;
}

/* In no context, if it is not that function's. */
static void count_in_node(struct context *context, const struct wire_plan *operation, uint64_t sum)
{
    uint64_t path =
        operation->bits ? sum & ((1u << operation->bits) - 1) : (uint64_t)operation->value;
    uint64_t *counter = node_counter(context, operation->counter, path);
    if (counter) {
        ++*counter;
        return;
    }
    path_count(context, (uint8_t *)context->counters,
               &(struct wire_path){.path = path, .function = operation->counter, .count = 1});
}

/* ---- operations */

static void count(struct context *context, const struct wire_plan *operation, uint64_t sum,
                  uint64_t elapsed)
{
    if (operation->flags & PLAN_IN_NODE) {
        count_in_node(context, operation, sum);
        return;
    }
    uint64_t index = sum & ((UINT64_C(1) << operation->bits) - 1);
    uint64_t *counters = context->counters + operation->counter;
    bool pairs = operation->flags & PLAN_TICKS;
    counters[index << pairs]++;
    if (pairs)
        counters[2 * index + 1] += elapsed;
}

static void count_path(struct context *context, const struct wire_plan *operation, uint64_t sum,
                       uint64_t elapsed)
{
    struct wire_path more = {.path = sum,
                             .function = operation->counter,
                             .count = 1,
                             .ticks = operation->flags & PLAN_TICKS ? elapsed : 0};
    if (operation->flags & PLAN_IN_NODE)
        more.node = own_node(context, operation->counter);
    path_count(context, (uint8_t *)context->counters, &more);
}

static void keep(struct context *context, const struct wire_plan *operation, uint64_t elapsed)
{
    struct shadow *shadow = context_shadow(context, context->gpr[RSP]);
    if (!(operation->flags & PLAN_TIME))
        shadow->path = context->path;
    if (operation->flags & PLAN_TICKS)
        shadow->ticks = elapsed;
}

static void back(struct context *context, const struct wire_plan *operation, uint64_t now)
{
    const struct shadow *shadow = context_shadow(context, context->gpr[RSP]);
    if (!(operation->flags & PLAN_TIME))
        context->path = shadow->path;
    if (operation->flags & PLAN_TICKS)
        context->path_began = now - shadow->ticks;
}

static void apply(const struct wire_plan *operation, struct context *context)
{
    uint64_t sum = context->path + (uint64_t)operation->value;
    bool ticks = operation->flags & PLAN_TICKS;
    uint64_t now = ticks ? event_clock_now(context) : 0;
    uint64_t elapsed = event_clock_since(now, context->path_began);
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
    case PLAN_COUNT_PATH: count_path(context, operation, sum, elapsed); break;
    case PLAN_KEEP: keep(context, operation, elapsed); break;
    case PLAN_BACK: back(context, operation, now); break;
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
    for (uint32_t i = 0; i < plan_operations(place); i++) {
        const struct wire_plan *operation = &plan_operation(plan, place)[i];
        if (operation->flags & PLAN_SOME)
            passage_passes(plan, operation, context);
        apply(operation, context);
    }
}

void plan_apply_left(const struct plan *plan, struct context *context)
{
    const struct wire_plan *operation = (const void *)(plan->library + 8 * (size_t)context->exit);
    if (operation->action == PLAN_COUNT && operation->flags & PLAN_IN_NODE)
        count_in_node(context, operation, context->left_path);
    else if (operation->flags & PLAN_SOME && passages_full(context))
        passages_take_left(plan, context);
    else if (operation->flags & PLAN_SOME && operation->action == PLAN_BACK)
        passage_goes_on(context);
    else
        apply(operation, context);
}
