#include "lab/paths/call_graph.h"

#include "analysis/counts/scene.h"
#include "lab/paths/call_records.h"
#include "lab/table/table.h"
#include "profile/profile.h"

#include <string.h>

struct arc_key {
    uint32_t from, to;
};

static struct call_arc *arc_get(struct call_graph *graph, uint32_t from, uint32_t to)
{
    struct arc_key key = {from, to};
    uint32_t index = map_add(&graph->keys, &key);
    if (index == graph->arcs.n)
        *vec_push(&graph->arcs) = (struct call_arc){.from = from, .to = to};
    return &graph->arcs.at[index];
}

/* ---- what was recorded */

static bool is_thread(const struct stacks *stacks, uint32_t node)
{
    return stacks_key(stacks, node).parent == STACK_NONE;
}

/* Calls are between the functions of a node and of the one above it. What they led to is known of
 * records, in which recursion is folded: a record's instructions, and those of all below it, belong
 * to the call that made it. */
static void cells_take(struct call_graph *graph, struct call_records *records,
                       const struct stacks *stacks, double *below)
{
    for (uint32_t i = 0; i < stacks->cells.n; i++) {
        const struct stack_cell *cell = map_key(&stacks->cells, i);
        double weight = (double)stacks->weights.at[i];
        if (is_thread(stacks, cell->node))
            continue;
        uint32_t record = call_record_of(records, stacks, cell->node);
        uint32_t function = records->at[record].function,
                 caller = stacks_key(stacks, cell->node).parent;
        if (cell->group == STACK_CALLS && !is_thread(stacks, caller)) {
            uint32_t from = records->at[call_record_of(records, stacks, caller)].function;
            arc_get(graph, from, function)->calls += weight;
        } else if (cell->group == STACK_INSTRUCTIONS) {
            below[record] += weight;
            graph->nodes.at[function].self += weight;
            graph->instructions += weight;
        }
    }
}

/* A caller's record stands before those that it made. */
static void measured_take(struct call_graph *graph, const struct call_records *records,
                          double *below)
{
    for (size_t i = records->n; i-- > 0;) {
        const struct call_record *record = &records->at[i];
        if (record->parent == CALL_RECORD_NONE)
            continue;
        below[record->parent] += below[i];
        arc_get(graph, records->at[record->parent].function, record->function)->measured +=
            below[i];
    }
}

/* ---- circles (Tarjan): callees are numbered before their callers */

struct search {
    struct call_graph *graph;
    uint32_t *first, *next; /* arcs of each function, as lists; UINT32_MAX ends one */
    uint32_t marks;
    struct {
        VEC(uint32_t);
    } open;
};

static void circle_close(struct search *search, uint32_t function)
{
    struct call_nodes *nodes = &search->graph->nodes;
    uint32_t last;
    do {
        last = search->open.at[--search->open.n];
        nodes->at[last].open = false;
        nodes->at[last].circle = search->graph->n_circles;
    } while (last != function);
    search->graph->n_circles++;
}

/* Recursive: no deeper than there are functions that ran. */
static void visit(struct search *search, uint32_t function)
{
    struct call_node *node = &search->graph->nodes.at[function];
    node->low = node->mark = ++search->marks;
    node->open = true;
    *vec_push(&search->open) = function;
    for (uint32_t a = search->first[function]; a != UINT32_MAX; a = search->next[a]) {
        uint32_t to = search->graph->arcs.at[a].to;
        const struct call_node *callee = &search->graph->nodes.at[to];
        if (!callee->mark)
            visit(search, to);
        if (callee->open && callee->low < node->low)
            node->low = callee->low;
    }
    if (node->low == node->mark)
        circle_close(search, function);
}

static void circles_find(struct call_graph *graph)
{
    size_t n = graph->nodes.n, n_arcs = graph->arcs.n;
    struct search search = {graph,
                            mem_alloc((n + 1) * sizeof(uint32_t)),
                            mem_alloc((n_arcs + 1) * sizeof(uint32_t)),
                            0,
                            {0}};
    memset(search.first, 0xff, n * sizeof *search.first);
    for (uint32_t a = 0; a < n_arcs; a++) {
        search.next[a] = search.first[graph->arcs.at[a].from];
        search.first[graph->arcs.at[a].from] = a;
    }
    for (uint32_t i = 0; i < n; i++)
        if (!graph->nodes.at[i].mark)
            visit(&search, i);
    mem_free(search.first);
    mem_free(search.next);
    vec_release(&search.open);
}

/* ---- what gprof says */

struct circle {
    double total, entries;
};

/* Arcs by the circle that they lead to: those that lead to callees first. */
static uint32_t *arcs_sort(const struct call_graph *graph)
{
    size_t n = graph->arcs.n;
    uint32_t *order = mem_alloc((n + 1) * sizeof *order),
             *ends = mem_alloc((graph->n_circles + 1) * sizeof *ends);
    for (size_t i = 0; i < n; i++)
        ends[graph->nodes.at[graph->arcs.at[i].to].circle]++;
    for (uint32_t c = 1; c <= graph->n_circles; c++)
        ends[c] += ends[c - 1];
    for (size_t i = n; i-- > 0;)
        order[--ends[graph->nodes.at[graph->arcs.at[i].to].circle]] = (uint32_t)i;
    mem_free(ends);
    return order;
}

static void entries_count(struct call_graph *graph, struct circle *circles)
{
    for (size_t i = 0; i < graph->nodes.n; i++)
        circles[graph->nodes.at[i].circle].total += graph->nodes.at[i].self;
    for (size_t i = 0; i < graph->arcs.n; i++) {
        struct call_arc *arc = &graph->arcs.at[i];
        struct call_node *to = &graph->nodes.at[arc->to];
        arc->circle = graph->nodes.at[arc->from].circle == to->circle;
        if (arc->circle)
            continue;
        circles[to->circle].entries += arc->calls;
        to->callers++;
    }
}

static void apportion(struct call_graph *graph)
{
    struct circle *circles = mem_alloc((graph->n_circles + 1) * sizeof *circles);
    uint32_t *order = arcs_sort(graph);
    entries_count(graph, circles);
    for (size_t i = 0; i < graph->arcs.n; i++) {
        struct call_arc *arc = &graph->arcs.at[order[i]];
        const struct circle *to = &circles[graph->nodes.at[arc->to].circle];
        if (arc->circle || to->entries <= 0)
            continue;
        arc->given = to->total * arc->calls / to->entries;
        circles[graph->nodes.at[arc->from].circle].total += arc->given;
    }
    for (size_t i = 0; i < graph->nodes.n; i++) {
        graph->nodes.at[i].total = circles[graph->nodes.at[i].circle].total;
        graph->nodes.at[i].entries = circles[graph->nodes.at[i].circle].entries;
    }
    mem_free(order);
    mem_free(circles);
}

void call_graph_make(struct call_graph *graph, const struct lab_recording *recording)
{
    struct call_records records;
    *graph = (struct call_graph){0};
    map_init(&graph->keys, sizeof(struct arc_key));
    call_records_init(&records, recording->scene, false);
    call_records_take(&records, &recording->profile->stacks);
    for (uint32_t i = 0; i < records.functions.n; i++)
        *vec_push(&graph->nodes) = (struct call_node){0};
    double *below = mem_alloc((records.n + 1) * sizeof *below);
    cells_take(graph, &records, &recording->profile->stacks, below);
    measured_take(graph, &records, below);
    circles_find(graph);
    apportion(graph);
    mem_free(below);
    graph->functions = records.functions;
    map_init(&records.functions, sizeof(struct call_function)); /* it is the graph's now */
    call_records_release(&records);
}

void call_graph_release(struct call_graph *graph)
{
    map_release(&graph->functions);
    map_release(&graph->keys);
    vec_release(&graph->nodes);
    vec_release(&graph->arcs);
}
