#include "walk/node_ticks.h"

#include "walk/node_tree.h"
#include "walk/sys.h"

/* What is between two looks at the clock when nothing else is: a mean, since clocks go in steps that may be longer, of
 * the quietest of some rounds. */
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

/* How many stays the next that is measured stands for: measuring is to take a small part of them, and to have been done often enough. */
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

/* Of draws that are independent: w (w - 1) t^2; ours are more even than that. Of stays beyond 2^28 ticks, too long to be skipped twice, no more. */
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

/* Where stays are so short that not all are measured, one of half a millisecond was interrupted, or waited: it stands for itself alone. */
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
    uint64_t weight = node->weight ? node->weight : 1;
    if (weight > 1 && ticks >= STAY_INTERRUPTED) {
        context_lose(context->interrupted, 1);
        weight = 1;
    }
    uint64_t spread = spread_of(weight, ticks);
    node->ticks += (uint64_t)ticks * weight;
    node->timed++;
    node->stays += weight;
    node->spread = node->spread + spread < spread ? UINT64_MAX : node->spread + spread;
    node->weight = weight_for(node);
    node->gap = gap_draw(context, node->weight);
    node->left = (int32_t)node->gap - 1;
}
