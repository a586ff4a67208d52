#include "walk/count/node_ticks.h"

#include "walk/count/cpu_lost.h"
#include "walk/count/node_tree.h"
#include "walk/base/sys.h"

/* Two clock reads in a row: the mean of the quietest of some rounds, since clocks have coarse
 * steps. */
static uint64_t clock_cost(void)
{
    enum { LOOKS = 64, ROUNDS = 8 };
    uint64_t least = UINT64_MAX;
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t start = sys_tsc_fenced(), last = start;
        for (int i = 0; i < LOOKS; i++)
            last = sys_tsc_fenced();
        least = last - start < least ? last - start : least;
    }
    return least / LOOKS;
}

void node_stay_begin(struct context *context)
{
    struct wire_node *node = node_at((uint8_t *)context->counters, (uint32_t)context->node);
    if (--node->left >= 0)
        return;
    context->node_timed = 1;
    context->node_began = sys_tsc();
}

/* How many stays the next measured one stands for: measuring must be cheap, and frequent enough. */
static uint32_t weight_for(const struct wire_node *node)
{
    enum { COST = 400, PART = 32, SURE = 4 };
    uint64_t mean = (int64_t)node->ticks > 0 ? node->ticks / node->stays : 0;
    uint64_t weight = COST * PART / (mean + 1);
    uint64_t sure = node->timed / SURE;
    weight = weight < sure ? weight : sure;
    weight = weight < NODE_WEIGHT_MAX ? weight : NODE_WEIGHT_MAX;
    return weight ? (uint32_t)weight : 1;
}

static uint32_t gap_draw(struct context *context, uint32_t weight)
{
    return 1 + (uint32_t)(context_chance(context) % (2 * weight - 1));
}

/* Independent draws: w (w - 1) t^2; these are more even. Capped beyond 2^28 ticks: too long to be
 * skipped twice. */
static uint64_t spread_of(uint64_t weight, int64_t ticks)
{
    enum { SMALL = 22, ROOT = 6 };
    _Static_assert(1 << 2 * ROOT == NODE_SPREAD, "by its root where the square is too large");
    uint64_t t = (uint64_t)(ticks < 0 ? -ticks : ticks), scale = weight * (weight - 1);
    if (t < UINT64_C(1) << SMALL)
        return (scale * t * t + NODE_SPREAD - 1) / NODE_SPREAD;
    t = t >> ROOT < UINT64_C(1) << SMALL ? t >> ROOT : UINT64_C(1) << SMALL;
    return scale * t * t;
}

/* ---- the CPU was lost */

/* Looking takes about half a microsecond: at most every tenth of a millisecond. */
enum { LOOK_EVERY = 1 << 18 };

void node_stay_resume(struct context *context, uint64_t paused, uint64_t now)
{
    if (now - context->cpu_tsc < LOOK_EVERY)
        return;
    uint64_t lost = cpu_lost_look(context);
    if (!paused || !context->node_timed || context->node_began > paused)
        return;
    /* It was lost to the dispatcher, if that was long enough; else to the stay. */
    context->node_lost += lost > now - paused ? lost - (now - paused) : 0;
}

/* A long stay's ticks without the time that the thread had no CPU. Some of that may have been
 * before it began, and caches were cold afterwards: `ret_doubt` is the possible error. */
static int64_t ticks_with_cpu(struct context *context, int64_t ticks, uint64_t *ret_doubt)
{
    enum { SWITCH = 1 << 14 };
    uint64_t all = (uint64_t)ticks, before = 0, lost = context->node_lost;
    if (context->cpu_tsc && context->node_began > context->cpu_tsc)
        before = context->node_began - context->cpu_tsc;
    uint64_t seen = cpu_lost_look(context);
    lost += seen;
    lost = lost < all ? lost : all;
    if (!lost)
        return ticks;
    uint64_t doubt = (seen < before ? seen : before) + SWITCH;
    *ret_doubt = doubt < all ? doubt : all;
    return (int64_t)(all - lost);
}

/* An interval of two deviations reaches as far as the doubt. */
static uint64_t spread_of_doubt(uint64_t doubt)
{
    enum { ROOT = 6 };
    uint64_t half = (doubt / 2 + (1 << ROOT) - 1) >> ROOT;
    return half < UINT64_C(1) << 31 ? half * half : UINT64_C(1) << 62;
}

/* Among short stays, one of half a millisecond was interrupted or waited: it stands only for
 * itself. */
enum { STAY_INTERRUPTED = 1 << 20 };

void node_stay_end(struct context *context, uint64_t now)
{
    struct wire_node *node = node_at((uint8_t *)context->counters, (uint32_t)context->node);
    if (!context->node_timed)
        return;
    context->node_timed = 0;
    if (!context->node_clock)
        context->node_clock = clock_cost();
    int64_t ticks = (int64_t)(now - context->node_began - context->node_clock);
    uint64_t weight = node->weight ? node->weight : 1, doubt = 0;
    if (ticks >= CPU_LOST_LEAST)
        ticks = ticks_with_cpu(context, ticks, &doubt);
    context->node_lost = 0;
    if (doubt && weight > 1 && node->stays) /* what is left of it says little: it was as others */
        ticks = (int64_t)node->ticks / (int64_t)node->stays;
    if (weight > 1 && ticks >= STAY_INTERRUPTED) {
        context_lose(context->interrupted, 1);
        weight = 1;
    }
    uint64_t spread = spread_of(weight, ticks) + spread_of_doubt(doubt);
    node->ticks += (uint64_t)ticks * weight;
    node->timed++;
    node->stays += weight;
    node->spread = node->spread + spread < spread ? UINT64_MAX : node->spread + spread;
    node->weight = weight_for(node);
    node->gap = gap_draw(context, node->weight);
    node->left = (int32_t)node->gap - 1;
}
