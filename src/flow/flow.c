#include "flow/flow.h"

#include "base/err.h"
#include "flow/basis.h"

flow_node flow_node_add(struct flow_graph *graph, int64_t supply)
{
    ASSERT(graph->nodes.n < INT32_MAX);
    vec_push(&graph->nodes)->supply = supply;
    return (flow_node)(graph->nodes.n - 1);
}

flow_arc flow_arc_add(struct flow_graph *graph, flow_node from, flow_node to, int64_t capacity,
                      int64_t cost)
{
    ASSERT(from < graph->nodes.n && to < graph->nodes.n && capacity >= 0);
    ASSERT(graph->arcs.n < INT32_MAX);
    *vec_push(&graph->arcs) =
        (struct flow_arc_data){.from = from, .to = to, .capacity = capacity, .cost = cost};
    return (flow_arc)(graph->arcs.n - 1);
}

void flow_forget(struct flow_graph *graph)
{
    basis_free(graph->basis);
    graph->basis = NULL;
}

void flow_graph_release(struct flow_graph *graph)
{
    flow_forget(graph);
    vec_release(&graph->nodes);
    vec_release(&graph->arcs);
    *graph = (struct flow_graph){0};
}

/* ---- what fits */

/* No room of the tree may pass ROOM_LIMIT: it is at most all supplies and all full arcs together.
 */
static bool flows_fit(const struct flow_graph *graph, int64_t *ret_balance)
{
    int64_t all = 0, balance = 0;
    for (size_t i = 0; i < graph->nodes.n; i++) {
        int64_t supply = graph->nodes.at[i].supply;
        if (supply <= -ROOM_LIMIT || supply >= ROOM_LIMIT)
            return false;
        all += supply < 0 ? -supply : supply;
        balance += supply;
        if (all >= ROOM_LIMIT)
            return false;
    }
    for (size_t i = 0; i < graph->arcs.n; i++) {
        int64_t capacity = graph->arcs.at[i].capacity;
        if (capacity == FLOW_INFINITE)
            continue;
        if (capacity >= ROOM_LIMIT || (all += capacity) >= ROOM_LIMIT)
            return false;
    }
    *ret_balance = balance;
    return true;
}

/* An artificial arc must cost more than any way through the graph, and a potential is the cost of
 * such a way and of two artificial arcs at most. */
static bool costs_fit(const struct flow_graph *graph, int64_t *ret_steep)
{
    int64_t most = 0, steep, bound;
    for (size_t i = 0; i < graph->arcs.n; i++) {
        int64_t cost = graph->arcs.at[i].cost;
        if (cost == INT64_MIN)
            return false;
        cost = cost < 0 ? -cost : cost;
        most = cost > most ? cost : most;
    }
    if (__builtin_add_overflow(most, 1, &most) ||
        __builtin_mul_overflow(most, (int64_t)graph->nodes.n + 1, &steep) ||
        __builtin_mul_overflow(steep, 8, &bound))
        return false;
    *ret_steep = steep;
    return true;
}

static bool cost_sum(struct flow_graph *graph)
{
    int64_t sum = 0, cost;
    for (size_t i = 0; i < graph->arcs.n; i++)
        if (__builtin_mul_overflow(graph->arcs.at[i].cost, graph->arcs.at[i].flow, &cost) ||
            __builtin_add_overflow(sum, cost, &sum))
            return false;
    graph->cost = sum;
    return true;
}

/* ---- pricing */

/* Block search: the best of the next few arcs, about the root of their number, from where the last
 * search ended. Fewer are searched than all for each pivot, better ones are found than the first.
 */
struct search {
    uint32_t at, block;
};

#define ARC_NONE UINT32_MAX

static uint32_t block_size(uint32_t n_arcs)
{
    uint32_t root = 1;
    while ((uint64_t)root * root < n_arcs)
        root++;
    return root < 10 ? 10 : root;
}

static uint32_t search_best(const struct basis *basis, uint32_t from, uint32_t to, int64_t *best)
{
    const int64_t *potentials = basis->potentials;
    uint32_t found = ARC_NONE;
    for (uint32_t i = from; i < to; i++) {
        const struct offer *offer = &basis->offers[i];
        int64_t price = offer->cost + potentials[offer->from] - potentials[offer->to];
        if (price < *best) {
            *best = price;
            found = i;
        }
    }
    return found;
}

static uint32_t search_next(struct search *search, const struct basis *basis)
{
    for (uint32_t left = basis->n_arcs; left;) {
        uint32_t end = search->at + search->block;
        int64_t best = 0;
        if (end > basis->n_arcs)
            end = basis->n_arcs;
        uint32_t found = search_best(basis, search->at, end, &best);
        left -= left < end - search->at ? left : end - search->at;
        search->at = end == basis->n_arcs ? 0 : end;
        if (found != ARC_NONE)
            return found;
    }
    return ARC_NONE;
}

/* ---- all */

enum flow_outcome flow_solve(struct flow_graph *graph)
{
    int64_t balance, steep;
    if (!flows_fit(graph, &balance) || !costs_fit(graph, &steep))
        return FLOW_OVERFLOW;
    if (balance)
        return FLOW_INFEASIBLE;
    basis_fit(graph, steep);
    struct basis *basis = graph->basis;
    struct search search = {.block = block_size(basis->n_arcs)};
    uint32_t entering;
    graph->pivots = 0;
    while ((entering = search_next(&search, basis)) != ARC_NONE) {
        if (!basis_pivot(basis, graph, entering))
            return FLOW_UNBOUNDED;
        graph->pivots++;
    }
    if (!basis_feasible(basis))
        return FLOW_INFEASIBLE;
    basis_read(basis, graph);
    return cost_sum(graph) ? FLOW_OPTIMAL : FLOW_OVERFLOW;
}
