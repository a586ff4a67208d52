#include "walk/plan_apply.h"

#include "walk/node_count.h"
#include "walk/node_tree.h"
#include "walk/sys.h"

/* ---- paths by their number */

enum { PATHS_NEAR = PATH_QUARTERS * PATH_HOMES, PROBES_NEAR = 64, PROBES_BEHIND = 1 << 12 };
_Static_assert(PATHS_BYTES == (PATHS_NEAR + PATHS_BEHIND) * sizeof(struct wire_path),
               "as the code has it");

static uint32_t path_home(const struct wire_path *path)
{
    uint64_t sum = path->path + (path->path >> 16) + path_salt(path->function) + path->node;
    return (uint32_t)(path_slots_at(path->function) - PATHS_AT) / sizeof *path +
           (uint32_t)(sum % PATH_HOMES);
}

static uint32_t path_home_behind(const struct wire_path *path)
{
    uint64_t key = path->path ^ (uint64_t)path->function << 32 ^ (uint64_t)path->node << 16;
    return (uint32_t)(key * UINT64_C(0x9E3779B97F4A7C15) >> 32) % PATHS_BEHIND;
}

/* Of `n` slots that lie in a circle, the path's own or the first free one, not further than so many from its home. NULL: there is no room. */
static struct wire_path *path_slot(struct wire_path *slots, uint32_t n, uint32_t home,
                                   uint32_t probes, const struct wire_path *path)
{
    for (uint32_t i = 0; i < probes; i++) {
        struct wire_path *slot = &slots[(home + i) % n];
        if (!slot->count || (slot->path == path->path && slot->function == path->function &&
                             slot->node == path->node))
            return slot;
    }
    return NULL;
}

static bool path_add(uint8_t *bank, const struct wire_path *more)
{
    struct wire_path *paths = (struct wire_path *)(void *)(bank + PATHS_AT);
    struct wire_path *slot = path_slot(paths, PATHS_NEAR, path_home(more), PROBES_NEAR, more);
    if (!slot)
        slot = path_slot(paths + PATHS_NEAR, PATHS_BEHIND, path_home_behind(more), PROBES_BEHIND,
                         more);
    if (!slot)
        return false;
    slot->path = more->path;
    slot->function = more->function;
    slot->node = more->node;
    slot->ticks += more->ticks;
    slot->count += more->count;
    return true;
}

static void path_count(struct context *context, uint8_t *bank, const struct wire_path *more)
{
    if (!path_add(bank, more))
        context_lose(context->paths_lost, more->count);
}

void paths_merge(struct context *context, uint8_t *bank, uint64_t from, uint64_t to)
{
    uint8_t *own = (uint8_t *)context->counters;
    const struct wire_path *paths = (const struct wire_path *)(const void *)(own + PATHS_AT);
    for (uint64_t i = from / sizeof *paths; i < to / sizeof *paths; i++) {
        struct wire_path path = paths[i];
        if (!path.count)
            continue;
        path.node = path.node ? node_at(own, path.node)->first : 0; /* as contexts_merge left it */
        path_count(context, bank, &path);
    }
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
    path_count(context, (uint8_t *)context->counters,
               &(struct wire_path){.path = path, .function = operation->counter, .count = 1});
}

/* ---- some passages measured */

enum { PASSAGES_MEAN = 512 };

/* How many paths begin until one is measured: each number up to twice the mean is as likely as every other. */
static int64_t passages_draw(struct context *context)
{
    return 1 + (int64_t)(context_chance(context) % (2 * PASSAGES_MEAN - 1));
}

static bool passage_runs(const struct context *context)
{
    return !context->path_back;
}

static void passage_stop(struct context *context)
{
    context->path_left = passages_draw(context);
    context->path_back = context->path_waits;
}

/* A path goes round no loop: one of a tenth of a millisecond was interrupted, or waited in the kernel. Standing for hundreds of others it would have
 * most of the ticks there are. */
enum { PASSAGE_INTERRUPTED = 1 << 18 };

/* The path that is measured is at its end. False: it was not, or not to be believed. */
static bool passage_ends(struct context *context, const struct wire_plan *operation,
                         uint64_t elapsed)
{
    if (!(operation->flags & PLAN_SOME) || !passage_runs(context))
        return false;
    passage_stop(context);
    if (elapsed >= PASSAGE_INTERRUPTED)
        context_lose(context->interrupted, 1);
    return elapsed < PASSAGE_INTERRUPTED;
}

/* Those that wait below the stack pointer were left for good. Whoever waits stands further up than who was put by later: should the shadow have
 * been overwritten by another stack, nobody does. */
static void passages_drop(struct context *context, uint64_t below)
{
    while (context->path_waits < below) {
        uint64_t next = context_shadow(context, context->path_waits)->waits;
        context->path_waits = next > context->path_waits ? next : PATH_WAITS_NONE;
    }
}

/* What is between two looks at the clock when nothing else is. */
static uint64_t clock_ticks(void)
{
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < 64; i++) {
        uint64_t before = sys_tsc(), ticks = sys_tsc() - before;
        least = ticks < least ? ticks : least;
    }
    return least;
}

static void passage_begin(struct context *context, const struct wire_plan *operation, uint64_t now)
{
    if (!(operation->flags & PLAN_SOME))
        return;
    if (passage_runs(context))
        passage_stop(context); /* it was left for good */
    context->path_left -= context->path_left > 0;
    if (context->path_left > 0)
        return;
    context->path_left = 0;
    context->path_back = 0;
    context->path_began = now;
    if (!context->path_clock)
        context->path_clock = clock_ticks();
}

/* The ticks of the passage that is measured, less what looking at the clock took. */
static uint64_t passage_ticks(const struct context *context, uint64_t now)
{
    int64_t ticks = (int64_t)(now - context->path_began - context->path_clock);
    return ticks > 0 ? (uint64_t)ticks : 0;
}

/* ---- operations */

static void count(struct context *context, const struct wire_plan *operation, uint64_t sum,
                  uint64_t elapsed)
{
    if (operation->flags & PLAN_IN_NODE) {
        count_in_node(context, operation, sum);
        return;
    }
    uint64_t n = UINT64_C(1) << operation->bits, index = sum & (n - 1);
    uint64_t *counters = context->counters + operation->counter;
    bool pairs = operation->flags & PLAN_TICKS;
    counters[index << pairs]++;
    if (pairs)
        counters[2 * index + 1] += elapsed;
    if (passage_ends(context, operation, elapsed)) {
        counters[n + 2 * index] += elapsed;
        counters[n + 2 * index + 1]++;
    }
}

static void count_path(struct context *context, const struct wire_plan *operation, uint64_t sum,
                       uint64_t elapsed)
{
    struct wire_path more = {.path = sum,
                             .function = operation->counter,
                             .count = 1,
                             .ticks = operation->flags & PLAN_TICKS ? elapsed : 0};
    if (operation->flags & PLAN_IN_NODE)
        more.node = node_count_node(context, operation->counter);
    path_count(context, (uint8_t *)context->counters, &more);
    if (!passage_ends(context, operation, elapsed))
        return;
    more.function |= PATH_TIMED;
    more.ticks = elapsed;
    path_count(context, (uint8_t *)context->counters, &more);
}

static void passage_wait(struct context *context, struct shadow *shadow, uint64_t elapsed)
{
    uint64_t sp = context->gpr[RSP];
    passages_drop(context, sp + 1);
    shadow->ticks = elapsed;
    shadow->waits = context->path_waits;
    context->path_waits = sp;
    passage_stop(context);
}

static void keep(struct context *context, const struct wire_plan *operation, uint64_t elapsed)
{
    struct shadow *shadow = context_shadow(context, context->gpr[RSP]);
    if (!(operation->flags & PLAN_TIME))
        shadow->path = context->path;
    if (operation->flags & PLAN_TICKS)
        shadow->ticks = elapsed;
    if (operation->flags & PLAN_SOME && passage_runs(context))
        passage_wait(context, shadow, elapsed);
}

/* Behind a call nothing is measured, unless what called it waits. */
static void passage_back(struct context *context, const struct shadow *shadow, uint64_t now)
{
    uint64_t sp = context->gpr[RSP];
    if (passage_runs(context))
        passage_stop(context); /* it was left for good */
    passages_drop(context, sp);
    context->path_back = context->path_waits;
    if (context->path_waits != sp)
        return;
    context->path_waits = shadow->waits;
    context->path_began = now - shadow->ticks;
    context->path_left = 0;
    context->path_back = 0;
}

static void back(struct context *context, const struct wire_plan *operation, uint64_t now)
{
    const struct shadow *shadow = context_shadow(context, context->gpr[RSP]);
    if (!(operation->flags & PLAN_TIME))
        context->path = shadow->path;
    if (operation->flags & PLAN_TICKS)
        context->path_began = now - shadow->ticks;
    if (operation->flags & PLAN_SOME)
        passage_back(context, shadow, now);
}

static void apply(const struct wire_plan *operation, struct context *context, uint64_t now)
{
    uint64_t sum = context->path + (uint64_t)operation->value;
    bool ticks = operation->flags & PLAN_TICKS;
    uint64_t elapsed =
        operation->flags & PLAN_SOME ? passage_ticks(context, now) : now - context->path_began;
    switch ((enum plan_action)operation->action) {
    case PLAN_SET:
        context->path = (uint64_t)operation->value;
        context->path_began = ticks ? now : context->path_began;
        passage_begin(context, operation, now);
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
    for (uint32_t i = 0; i < plan_operations(place); i++)
        apply(&plan_operation(plan, place)[i], context, sys_tsc());
}

void plan_apply_left(const struct plan *plan, struct context *context)
{
    const struct wire_plan *operation = (const void *)(plan->library + 8 * (size_t)context->exit);
    bool begins = operation->action == PLAN_SET || operation->action == PLAN_BACK;
    if (operation->action == PLAN_COUNT && operation->flags & PLAN_IN_NODE)
        count_in_node(context, operation, context->left_path);
    else if (operation->flags & PLAN_SOME)
        apply(operation, context, begins ? 0 : context->slot_clock);
    else
        apply(operation, context, sys_tsc());
}
