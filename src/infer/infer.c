#include "infer/infer.h"

#include "base/err.h"
#include "flow/flow.h"
#include "infer/costs.h"
#include "infer/even.h"
#include "infer/lanes.h"

#include <string.h>

void infer_release(struct infer_problem *problem)
{
    vec_release(&problem->blocks);
    vec_release(&problem->edges);
}

/* ---- the network */

/* How far a count can be lowered: what was walked has happened. */
static int64_t lane_room(const struct lanes *lanes, const struct lane *lane)
{
    int64_t least = lane->count->measured && !lanes->points ? lanes->least : 0;
    return lane->now > least ? lane->now - least : 0;
}

static void network_make(struct flow_graph *graph, struct lanes *lanes, const int64_t *missing,
                         const struct costs *costs, unsigned shift)
{
    int64_t sum = 0;
    for (size_t i = 0; i + 1 < lanes->nodes; i++) {
        int64_t supply = missing[i] / ((int64_t)1 << shift);
        flow_node_add(graph, supply);
        sum += supply;
    }
    flow_node_add(graph, -sum); /* the world takes what rounding leaves */
    for (size_t i = 0; i < lanes->n; i++) {
        struct lane *lane = &lanes->at[i];
        struct unit_cost cost = lane->sampled == CLASS_FAIR
                                    ? costs_of(costs, lane->count, lane->kind)
                                    : costs_of_class(costs, lane->sampled);
        flow_arc_add(graph, lane->from, lane->to, FLOW_INFINITE, cost.raise);
        flow_arc_add(graph, lane->to, lane->from, lane_room(lanes, lane) >> shift, cost.lower);
    }
}

static void network_read(const struct flow_graph *graph, struct lanes *lanes, unsigned shift)
{
    for (size_t i = 0; i < lanes->n; i++) {
        int64_t more = graph->arcs.at[2 * i].flow - graph->arcs.at[2 * i + 1].flow;
        lanes->at[i].now += more * ((int64_t)1 << shift);
    }
}

/* Flows may be large; sums of them and of their costs must fit. Where they would not, deviations
 * are found in steps of 2^shift first, and what rounding left then. */
static unsigned shift_find(const struct lanes *lanes, const int64_t *missing)
{
    double off = 0, most = 0x1p61 / COST_RULED / (double)lanes->nodes;
    unsigned shift = 0;
    for (size_t i = 0; i < lanes->nodes; i++)
        off += missing[i] < 0 ? -(double)missing[i] : (double)missing[i];
    for (; off > most; off /= 2)
        shift++;
    return shift;
}

static void lanes_solve(struct lanes *lanes, const struct costs *costs)
{
    int64_t *missing = mem_alloc(lanes->nodes * sizeof *missing);
    while (lanes_missing(lanes, missing)) {
        struct flow_graph graph = {0};
        unsigned shift = shift_find(lanes, missing);
        network_make(&graph, lanes, missing, costs, shift);
        enum flow_outcome outcome = flow_solve(&graph);
        ASSERT(outcome == FLOW_OPTIMAL); /* raising is never bounded, and all was made to fit */
        network_read(&graph, lanes, shift);
        flow_graph_release(&graph);
    }
    mem_free(missing);
}

void infer_solve(struct infer_problem *problem, enum infer_method method)
{
    struct lanes lanes;
    lanes_open(&lanes, problem);
    struct costs costs = costs_make(problem, method);
    if (method != INFER_STATIC) {
        lanes_solve(&lanes, &costs);
        lanes_join(&lanes);
    }
    lanes_close(&lanes);
    if (method != INFER_LEVIN && method != INFER_STATIC)
        infer_even(problem);
}
