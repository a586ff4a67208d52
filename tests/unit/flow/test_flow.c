#include "flow/flow.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include "base/memory.h"

#include <stdbool.h>
#include <string.h>

/* ---- by hand */

static void cheaper_way_first(void **state)
{
    (void)state;
    struct flow_graph graph = {0};
    flow_node a = flow_node_add(&graph, 5), b = flow_node_add(&graph, 0);
    flow_node c = flow_node_add(&graph, -5);
    flow_arc straight = flow_arc_add(&graph, a, c, FLOW_INFINITE, 10);
    flow_arc there = flow_arc_add(&graph, a, b, 3, 1);
    flow_arc on = flow_arc_add(&graph, b, c, 4, 2);
    assert_int_equal(flow_solve(&graph), FLOW_OPTIMAL);
    assert_int_equal(graph.arcs.at[straight].flow, 2);
    assert_int_equal(graph.arcs.at[there].flow, 3);
    assert_int_equal(graph.arcs.at[on].flow, 3);
    assert_int_equal(graph.cost, 29);
    flow_graph_release(&graph);
}

static void circulation_takes_what_pays(void **state)
{
    (void)state;
    struct flow_graph graph = {0};
    flow_node a = flow_node_add(&graph, 0), b = flow_node_add(&graph, 0);
    flow_arc_add(&graph, a, b, 7, -5);
    flow_arc_add(&graph, b, a, FLOW_INFINITE, 2);
    flow_arc_add(&graph, a, a, 4, -1);
    assert_int_equal(flow_solve(&graph), FLOW_OPTIMAL);
    assert_int_equal(graph.cost, -25);
    flow_graph_release(&graph);
}

static void nothing_to_solve(void **state)
{
    (void)state;
    struct flow_graph graph = {0};
    assert_int_equal(flow_solve(&graph), FLOW_OPTIMAL);
    flow_node a = flow_node_add(&graph, 0);
    assert_int_equal(flow_solve(&graph), FLOW_OPTIMAL);
    graph.nodes.at[a].supply = 1;
    assert_int_equal(flow_solve(&graph), FLOW_INFEASIBLE);
    flow_graph_release(&graph);
}

static void what_cannot_be(void **state)
{
    (void)state;
    struct flow_graph graph = {0};
    flow_node a = flow_node_add(&graph, 2), b = flow_node_add(&graph, -2);
    flow_arc ab = flow_arc_add(&graph, a, b, 1, 0);
    assert_int_equal(flow_solve(&graph), FLOW_INFEASIBLE);
    graph.arcs.at[ab].capacity = 2;
    assert_int_equal(flow_solve(&graph), FLOW_OPTIMAL);
    flow_arc ba = flow_arc_add(&graph, b, a, FLOW_INFINITE, 1);
    assert_int_equal(flow_solve(&graph), FLOW_OPTIMAL);
    graph.arcs.at[ab].capacity = FLOW_INFINITE;
    graph.arcs.at[ab].cost = -2;
    assert_int_equal(flow_solve(&graph), FLOW_UNBOUNDED);
    graph.arcs.at[ba].cost = 2;
    assert_int_equal(flow_solve(&graph), FLOW_OPTIMAL);
    assert_int_equal(graph.cost, -4);
    flow_graph_release(&graph);
}

static void sums_that_do_not_fit(void **state)
{
    (void)state;
    static const struct {
        int64_t supply, capacity, cost;
    } cases[] = {
        {INT64_MAX, FLOW_INFINITE, 1},
        {INT64_MIN, FLOW_INFINITE, 1},
        {1, INT64_MAX - 1, 1},
        {1, FLOW_INFINITE, INT64_MIN},
        {1, FLOW_INFINITE, INT64_MAX},
        {1, FLOW_INFINITE, INT64_MAX / 4},
        {INT64_C(1) << 40, FLOW_INFINITE, INT64_C(1) << 40}, /* only the cost of it all */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct flow_graph graph = {0};
        flow_node a = flow_node_add(&graph, cases[i].supply);
        flow_node b = flow_node_add(&graph, cases[i].supply == INT64_MIN ? 0 : -cases[i].supply);
        flow_arc_add(&graph, a, b, cases[i].capacity, cases[i].cost);
        assert_int_equal(flow_solve(&graph), FLOW_OVERFLOW);
        flow_graph_release(&graph);
    }
}

/* ---- against another solver */

static uint64_t dice_state;

static uint32_t dice(uint32_t sides)
{
    dice_state = dice_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(dice_state >> 33) % sides;
}

/* Shortest paths by Bellman and Ford in the residual graph, one after the other, after all arcs of
 * negative cost were filled. Slow, and nothing of a simplex. What has an optimum at all has one in
 * which no arc carries more than all supplies and finite capacities: infinite is 5000. */
enum { PLAIN_NODES = 16, PLAIN_INFINITE = 5000 };

struct plain {
    const struct flow_graph *graph;
    int64_t flow[64], excess[PLAIN_NODES];
};

static int64_t plain_room(const struct plain *plain, size_t arc, bool back)
{
    int64_t capacity = plain->graph->arcs.at[arc].capacity;
    if (back)
        return plain->flow[arc];
    return (capacity == FLOW_INFINITE ? PLAIN_INFINITE : capacity) - plain->flow[arc];
}

/* Distances from all nodes of excess; false if there is a negative cycle. */
static bool plain_search(const struct plain *plain, int64_t *distance, int *by)
{
    size_t n = plain->graph->nodes.n;
    for (size_t v = 0; v < n; v++) {
        distance[v] = plain->excess[v] > 0 ? 0 : INT64_MAX / 4;
        by[v] = -1;
    }
    for (size_t round = 0; round <= n; round++) {
        bool changed = false;
        for (size_t e = 0; e < 2 * plain->graph->arcs.n; e++) {
            const struct flow_arc_data *arc = &plain->graph->arcs.at[e / 2];
            bool back = e & 1;
            flow_node from = back ? arc->to : arc->from, to = back ? arc->from : arc->to;
            int64_t far = distance[from] + (back ? -arc->cost : arc->cost);
            if (distance[from] < INT64_MAX / 4 && plain_room(plain, e / 2, back) > 0 &&
                far < distance[to]) {
                distance[to] = far;
                by[to] = (int)e;
                changed = true;
            }
        }
        if (!changed)
            return true;
    }
    return false;
}

static flow_node plain_before(const struct plain *plain, int by)
{
    const struct flow_arc_data *arc = &plain->graph->arcs.at[by / 2];
    return by & 1 ? arc->to : arc->from;
}

static void plain_push(struct plain *plain, const int *by, flow_node to)
{
    int64_t push = -plain->excess[to];
    flow_node from = to;
    for (; by[from] >= 0; from = plain_before(plain, by[from])) {
        int64_t room = plain_room(plain, (size_t)by[from] / 2, by[from] & 1);
        push = room < push ? room : push;
    }
    push = plain->excess[from] < push ? plain->excess[from] : push;
    for (flow_node at = to; by[at] >= 0; at = plain_before(plain, by[at]))
        plain->flow[by[at] / 2] += by[at] & 1 ? -push : push;
    plain->excess[from] -= push;
    plain->excess[to] += push;
}

static bool plain_step(struct plain *plain, bool *ret_done)
{
    int64_t distance[PLAIN_NODES];
    int by[PLAIN_NODES], best = -1;
    *ret_done = true;
    assert_true(plain_search(plain, distance, by));
    for (size_t v = 0; v < plain->graph->nodes.n; v++)
        if (plain->excess[v] < 0) {
            *ret_done = false;
            if (distance[v] < INT64_MAX / 4 && (best < 0 || distance[v] < distance[best]))
                best = (int)v;
        }
    if (best < 0)
        return *ret_done;
    plain_push(plain, by, (flow_node)best);
    return true;
}

/* Whether infinite arcs alone make a cycle that pays. */
static bool plain_unbounded(const struct flow_graph *graph)
{
    struct flow_graph infinite = {0};
    struct plain plain = {.graph = &infinite};
    int64_t distance[PLAIN_NODES];
    int by[PLAIN_NODES];
    for (size_t v = 0; v < graph->nodes.n; v++) {
        flow_node_add(&infinite, 0);
        plain.excess[v] = 1;
    }
    for (size_t e = 0; e < graph->arcs.n; e++) {
        const struct flow_arc_data *arc = &graph->arcs.at[e];
        if (arc->capacity == FLOW_INFINITE)
            flow_arc_add(&infinite, arc->from, arc->to, FLOW_INFINITE, arc->cost);
    }
    bool bounded = plain_search(&plain, distance, by);
    flow_graph_release(&infinite);
    return !bounded;
}

static enum flow_outcome plain_solve(const struct flow_graph *graph, int64_t *ret_cost)
{
    struct plain plain = {.graph = graph};
    if (plain_unbounded(graph))
        return FLOW_UNBOUNDED;
    for (size_t v = 0; v < graph->nodes.n; v++)
        plain.excess[v] = graph->nodes.at[v].supply;
    for (size_t e = 0; e < graph->arcs.n; e++) {
        const struct flow_arc_data *arc = &graph->arcs.at[e];
        if (arc->cost >= 0)
            continue;
        plain.flow[e] = plain_room(&plain, e, false);
        plain.excess[arc->from] -= plain.flow[e];
        plain.excess[arc->to] += plain.flow[e];
    }
    bool done = false;
    while (!done)
        if (!plain_step(&plain, &done))
            return FLOW_INFEASIBLE;
    *ret_cost = 0;
    for (size_t e = 0; e < graph->arcs.n; e++)
        *ret_cost += plain.flow[e] * graph->arcs.at[e].cost;
    return FLOW_OPTIMAL;
}

/* Bounds, balances, and the proof by potentials. */
static void solution_check(const struct flow_graph *graph)
{
    int64_t *left = mem_alloc(graph->nodes.n * sizeof *left), cost = 0;
    for (size_t e = 0; e < graph->arcs.n; e++) {
        const struct flow_arc_data *arc = &graph->arcs.at[e];
        int64_t price =
            arc->cost + graph->nodes.at[arc->from].potential - graph->nodes.at[arc->to].potential;
        assert_true(arc->flow >= 0 && arc->flow <= arc->capacity);
        assert_true(arc->flow == arc->capacity || price >= 0);
        assert_true(arc->flow == 0 || price <= 0);
        left[arc->from] += arc->flow;
        left[arc->to] -= arc->flow;
        cost += arc->flow * arc->cost;
    }
    for (size_t v = 0; v < graph->nodes.n; v++)
        assert_int_equal(left[v], graph->nodes.at[v].supply);
    assert_int_equal(cost, graph->cost);
    mem_free(left);
}

static void supplies_roll(struct flow_graph *graph, uint32_t most)
{
    int64_t balance = 0;
    for (size_t v = 0; v + 1 < graph->nodes.n; v++) {
        graph->nodes.at[v].supply = (int64_t)dice(2 * most + 1) - most;
        balance += graph->nodes.at[v].supply;
    }
    graph->nodes.at[graph->nodes.n - 1].supply = -balance;
}

static void arc_roll(struct flow_graph *graph, bool negative)
{
    uint32_t n = (uint32_t)graph->nodes.n;
    flow_arc_add(graph, dice(n), dice(n), dice(5) == 0 ? FLOW_INFINITE : dice(9),
                 (int64_t)dice(20) - (negative ? 4 : 0));
}

static void compare(struct flow_graph *graph, unsigned *seen)
{
    int64_t cost = 0;
    enum flow_outcome wanted = plain_solve(graph, &cost), outcome = flow_solve(graph);
    if (wanted == FLOW_UNBOUNDED) { /* infeasible too, perhaps: then either may be said */
        assert_true(outcome == FLOW_UNBOUNDED || outcome == FLOW_INFEASIBLE);
    } else {
        assert_int_equal(outcome, wanted);
    }
    seen[outcome]++;
    if (outcome == FLOW_OPTIMAL) {
        assert_int_equal(graph->cost, cost);
        solution_check(graph);
    }
}

/* Each graph is solved, then changed a little and solved again, ten times over: warm starts are
 * held to the same truth as cold ones. */
static void random_graphs(void **state)
{
    (void)state;
    unsigned seen[4] = {0};
    dice_state = 1;
    for (int round = 0; round < 1500; round++) {
        struct flow_graph graph = {0};
        uint32_t n = 1 + dice(PLAIN_NODES - 4), arcs = dice(3 * n), most = 1 + dice(6);
        bool negative = dice(2);
        for (uint32_t v = 0; v < n; v++)
            flow_node_add(&graph, 0);
        supplies_roll(&graph, dice(3) ? most : 0);
        for (uint32_t e = 0; e < arcs; e++)
            arc_roll(&graph, negative);
        compare(&graph, seen);
        for (int change = 0; change < 10; change++) {
            uint32_t what = dice(5);
            flow_arc arc = arcs ? dice((uint32_t)graph.arcs.n) : 0;
            if (what == 0 && graph.arcs.n < 60)
                arc_roll(&graph, negative);
            else if (what == 1)
                supplies_roll(&graph, 2);
            else if (what == 2 && arcs)
                graph.arcs.at[arc].capacity = dice(9);
            else if (what == 3 && graph.nodes.n < PLAIN_NODES)
                flow_node_add(&graph, 0);
            else if (arcs)
                graph.arcs.at[arc].cost = dice(20);
            compare(&graph, seen);
        }
        flow_graph_release(&graph);
    }
    for (int outcome = FLOW_OPTIMAL; outcome <= FLOW_UNBOUNDED; outcome++)
        assert_true(seen[outcome] > 100);
}

/* A long chain of blocks with branches over some of them, forth and back, as control flow has it.
 */
static void chain_make(struct flow_graph *graph, uint32_t n, uint64_t seed)
{
    dice_state = seed;
    for (uint32_t v = 0; v < n; v++)
        flow_node_add(graph, 0);
    supplies_roll(graph, 1000);
    for (uint32_t v = 0; v + 1 < n; v++) {
        flow_arc_add(graph, v, v + 1, FLOW_INFINITE, 10 + dice(90));
        flow_arc_add(graph, v + 1, v, FLOW_INFINITE, 10 + dice(900));
        if (dice(2))
            flow_arc_add(graph, v, v + dice(n - v < 30 ? n - v : 30), dice(2000), dice(50));
    }
}

static void long_chains(void **state)
{
    (void)state;
    struct flow_graph graph = {0}, again = {0};
    chain_make(&graph, 5000, 7);
    chain_make(&again, 5000, 7);
    assert_int_equal(flow_solve(&graph), FLOW_OPTIMAL);
    solution_check(&graph);
    assert_int_equal(flow_solve(&again), FLOW_OPTIMAL);
    for (size_t e = 0; e < graph.arcs.n; e++)
        assert_int_equal(graph.arcs.at[e].flow, again.arcs.at[e].flow);
    uint64_t cold = graph.pivots;
    for (size_t e = 0; e < graph.arcs.n; e += 50)
        graph.arcs.at[e].cost++;
    assert_int_equal(flow_solve(&graph), FLOW_OPTIMAL);
    solution_check(&graph);
    assert_true(graph.pivots * 5 < cold);
    flow_forget(&graph);
    int64_t cost = graph.cost;
    assert_int_equal(flow_solve(&graph), FLOW_OPTIMAL);
    assert_int_equal(graph.cost, cost);
    flow_graph_release(&graph);
    flow_graph_release(&again);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cheaper_way_first),    cmocka_unit_test(circulation_takes_what_pays),
        cmocka_unit_test(nothing_to_solve),     cmocka_unit_test(what_cannot_be),
        cmocka_unit_test(sums_that_do_not_fit), cmocka_unit_test(random_graphs),
        cmocka_unit_test(long_chains)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
