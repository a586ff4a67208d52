#include "infer/lanes.h"

#include <string.h>

static void lane_add(struct lanes *lanes, struct infer_count *count, uint32_t from, uint32_t to,
                     enum cost_kind kind)
{
    *vec_push(lanes) = (struct lane){.count = count, .from = from, .to = to, .kind = kind};
}

/* Sums of all counts must be well within an int64_t. */
static void lanes_fill(struct lanes *lanes)
{
    double sum = 0;
    for (size_t i = 0; i < lanes->n; i++)
        sum += (double)lanes->at[i].count->seen;
    for (; sum > 0x1p58; sum /= 2)
        lanes->dropped++;
    for (size_t i = 0; i < lanes->n; i++)
        lanes->at[i].now = (int64_t)(lanes->at[i].count->seen >> lanes->dropped);
}

/* What was walked has happened, and counts as being seen once does; but not more than the function
 * is known to have been entered. */
static int64_t lanes_least(const struct lanes *lanes, const struct infer_problem *problem)
{
    uint64_t least = problem->grain;
    if (problem->entry < problem->blocks.n) {
        const struct infer_count *entered = &problem->blocks.at[problem->entry].entered;
        if (entered->firm && entered->seen < least)
            least = entered->seen;
    }
    least >>= lanes->dropped;
    return (int64_t)least > lanes->one ? (int64_t)least : lanes->one;
}

void lanes_open(struct lanes *lanes, struct infer_problem *problem)
{
    uint32_t world = 2 * (uint32_t)problem->blocks.n;
    *lanes = (struct lanes){.nodes = world + (size_t)1, .points = problem->points};
    for (uint32_t i = 0; i < problem->blocks.n; i++) {
        struct infer_block *block = &problem->blocks.at[i];
        lane_add(lanes, &block->ran, 2 * i, 2 * i + 1,
                 i == problem->entry ? COST_ENTRY_BLOCK : COST_BLOCK);
        lanes->at[lanes->n - 1].sampled = block->sampled;
        lane_add(lanes, &block->entered, world, 2 * i, COST_OUTSIDE);
        lane_add(lanes, &block->left, 2 * i + 1, world, COST_OUTSIDE);
    }
    for (size_t i = 0; i < problem->edges.n; i++) {
        struct infer_edge *edge = &problem->edges.at[i];
        lane_add(lanes, &edge->gone, 2 * edge->from + 1, 2 * edge->to, COST_EDGE);
    }
    lanes_fill(lanes);
    int64_t one = (int64_t)(problem->one >> lanes->dropped);
    lanes->one = one > 0 ? one : 1;
    lanes->least = lanes_least(lanes, problem);
}

/* What did not change is given back as it was, whatever bits were dropped. */
void lanes_close(struct lanes *lanes)
{
    for (size_t i = 0; i < lanes->n; i++) {
        const struct lane *lane = &lanes->at[i];
        uint64_t seen = lane->count->seen, now = (uint64_t)lane->now;
        lane->count->inferred = now == seen >> lanes->dropped ? seen : now << lanes->dropped;
    }
    vec_release(lanes);
}

bool lanes_missing(const struct lanes *lanes, int64_t *missing)
{
    memset(missing, 0, lanes->nodes * sizeof *missing);
    for (size_t i = 0; i < lanes->n; i++) {
        missing[lanes->at[i].from] -= lanes->at[i].now;
        missing[lanes->at[i].to] += lanes->at[i].now;
    }
    for (size_t i = 0; i < lanes->nodes; i++)
        if (missing[i])
            return true;
    return false;
}

/* ---- joining */

#define LANE_NONE UINT32_MAX

/* One search from the world, ahead along lanes or back against them. */
struct search {
    uint32_t *first; /* by node: the first lane that leads on */
    uint32_t *next;  /* by lane */
    uint32_t *by;    /* by node: the lane by which it was come to */
    uint32_t *far;   /* by node: lanes without flow on the way there; UINT32_MAX: there is none */
};

struct joiner {
    struct lanes *lanes;
    struct search ways[2]; /* ahead, back */
    uint32_t *island;      /* by node: towards the one that stands for all that flow connects */
    uint32_t *queue;       /* grows at both ends; a node is put in twice at most */
};

static uint32_t island_of(const struct joiner *joiner, uint32_t node)
{
    uint32_t *island = joiner->island;
    while (island[node] != node)
        node = island[node] = island[island[node]];
    return node;
}

static void joiner_open(struct joiner *joiner, struct lanes *lanes)
{
    size_t nodes = lanes->nodes, n = lanes->n;
    uint32_t *memory = mem_alloc((11 * nodes + 2 * n + 2) * sizeof *memory);
    *joiner = (struct joiner){.lanes = lanes, .island = memory, .queue = memory + nodes};
    memory += 5 * nodes + 2;
    for (int back = 0; back < 2; back++, memory += 3 * nodes + n) {
        joiner->ways[back] =
            (struct search){memory, memory + 3 * nodes, memory + nodes, memory + 2 * nodes};
        memset(memory, 0xFF, 3 * nodes * sizeof *memory);
    }
    for (uint32_t i = 0; i < nodes; i++)
        joiner->island[i] = i;
    for (uint32_t i = (uint32_t)n; i-- > 0;) {
        const struct lane *lane = &lanes->at[i];
        uint32_t ends[2] = {lane->from, lane->to};
        for (int back = 0; back < 2; back++) {
            joiner->ways[back].next[i] = joiner->ways[back].first[ends[back]];
            joiner->ways[back].first[ends[back]] = i;
        }
        if (lane->now > 0)
            joiner->island[island_of(joiner, lane->from)] = island_of(joiner, lane->to);
    }
}

/* The ways with the fewest lanes that carry nothing. Lanes that the code rules out are none. */
static void joiner_search(struct joiner *joiner, int back)
{
    const struct lanes *lanes = joiner->lanes;
    struct search *search = &joiner->ways[back];
    uint32_t world = (uint32_t)lanes->nodes - 1;
    uint32_t *low = joiner->queue + 2 * lanes->nodes, *high = low;
    search->far[world] = 0;
    *high++ = world;
    while (low < high) {
        uint32_t at = *low++;
        for (uint32_t i = search->first[at]; i != LANE_NONE; i = search->next[i]) {
            const struct lane *lane = &lanes->at[i];
            uint32_t to = back ? lane->from : lane->to, far = search->far[at] + (lane->now == 0);
            if (far >= search->far[to] || (lane->count->ruled && !lane->now))
                continue;
            search->far[to] = far;
            search->by[to] = i;
            if (lane->now)
                *--low = to;
            else
                *high++ = to;
        }
    }
}

/* From the world to the node and back, once more on all the way. */
static void joiner_lead(struct joiner *joiner, uint32_t node)
{
    uint32_t world = (uint32_t)joiner->lanes->nodes - 1;
    for (int back = 0; back < 2; back++)
        for (uint32_t at = node; at != world;) {
            struct lane *lane = &joiner->lanes->at[joiner->ways[back].by[at]];
            lane->now += joiner->lanes->one;
            joiner->island[island_of(joiner, at)] = island_of(joiner, world);
            at = back ? lane->to : lane->from;
        }
}

/* How many islands carry flow. */
static size_t islands_count(struct joiner *joiner)
{
    const struct lanes *lanes = joiner->lanes;
    size_t nodes = 0, joined = 0;
    for (uint32_t i = 0; i < lanes->nodes; i++) {
        joiner->island[i] = i;
        joiner->queue[i] = 0; /* whether it was met */
    }
    for (size_t i = 0; i < lanes->n; i++) {
        const struct lane *lane = &lanes->at[i];
        if (lane->now <= 0)
            continue;
        nodes += joiner->queue[lane->from] == 0;
        joiner->queue[lane->from] = 1;
        nodes += joiner->queue[lane->to] == 0;
        joiner->queue[lane->to] = 1;
        uint32_t from = island_of(joiner, lane->from), to = island_of(joiner, lane->to);
        joiner->island[from] = to;
        joined += from != to;
    }
    return nodes - joined;
}

/* A way from the lane to the world all along which one less is enough; by[] has it backwards. What
 * was seen stays seen. */
static bool joiner_spare(struct joiner *joiner, const struct lane *entry)
{
    const struct lanes *lanes = joiner->lanes;
    struct search *search = &joiner->ways[0];
    uint32_t world = (uint32_t)lanes->nodes - 1, *low = joiner->queue, *high = low;
    memset(search->by, 0xFF, lanes->nodes * sizeof *search->by);
    *high++ = entry->to;
    while (low < high && search->by[world] == LANE_NONE) {
        uint32_t at = *low++;
        for (uint32_t i = search->first[at]; i != LANE_NONE; i = search->next[i]) {
            const struct lane *lane = &lanes->at[i];
            int64_t least = lane->count->seen ? lanes->one : 0;
            if (lane->now - lanes->one < least || search->by[lane->to] != LANE_NONE ||
                lane->to == entry->to)
                continue;
            search->by[lane->to] = i;
            *high++ = lane->to;
        }
    }
    return search->by[world] != LANE_NONE;
}

static void joiner_change(struct joiner *joiner, struct lane *entry, int64_t by)
{
    entry->now += by;
    for (uint32_t at = (uint32_t)joiner->lanes->nodes - 1; at != entry->to;) {
        struct lane *lane = &joiner->lanes->at[joiner->ways[0].by[at]];
        lane->now += by;
        at = lane->from;
    }
}

/* Each way that was led came in once more than is known: another way is taken once less, if nothing
 * comes apart by that. */
static void joiner_balance(struct joiner *joiner)
{
    struct lanes *lanes = joiner->lanes;
    for (size_t i = 0; i < lanes->n; i++) {
        struct lane *lane = &lanes->at[i];
        int64_t seen = (int64_t)(lane->count->seen >> lanes->dropped);
        while (lane->kind == COST_OUTSIDE && lane->count->firm && lane->now - lanes->one >= seen) {
            size_t islands = islands_count(joiner);
            if (!joiner_spare(joiner, lane))
                break;
            joiner_change(joiner, lane, -lanes->one);
            if (islands_count(joiner) > islands) {
                joiner_change(joiner, lane, lanes->one);
                break;
            }
        }
    }
}

void lanes_join(struct lanes *lanes)
{
    struct joiner joiner;
    joiner_open(&joiner, lanes);
    uint32_t world = (uint32_t)lanes->nodes - 1;
    uint32_t *best = mem_alloc(lanes->nodes * sizeof *best); /* of each island; node + 1 */
    bool led = false;
    joiner_search(&joiner, 0);
    joiner_search(&joiner, 1);
    const uint32_t *ahead = joiner.ways[0].far, *back = joiner.ways[1].far;
    for (size_t i = 0; i < lanes->n; i++) {
        uint32_t node = lanes->at[i].from, island = island_of(&joiner, node);
        if (!lanes->at[i].now || ahead[node] == UINT32_MAX || back[node] == UINT32_MAX)
            continue;
        uint32_t least = best[island] ? best[island] - 1 : node;
        if (ahead[node] + back[node] <= ahead[least] + back[least])
            best[island] = node + 1;
    }
    for (uint32_t i = 0; i < lanes->nodes; i++)
        if (best[i] && island_of(&joiner, i) != island_of(&joiner, world)) {
            joiner_lead(&joiner, best[i] - 1);
            led = true;
        }
    if (led)
        joiner_balance(&joiner);
    mem_free(best);
    mem_free(joiner.island);
}
