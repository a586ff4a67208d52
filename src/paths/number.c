#include "paths/number.h"

#include "base/err.h"
#include "base/memory.h"
#include "paths/expect.h"

/* Shape edges by node: from first_edge[v] to first_edge[v + 1]; ends likewise. */
struct numberer {
    struct path_numbering *out;
    struct path_graph *graph;
    uint32_t *first_edge, *first_end;
    uint8_t *state; /* of each node: enum visit */
    uint32_t *next; /* of nodes on the walk: the edge to look at */
    uint32_t *stack, *done;
    uint32_t n_done;
    uint64_t limit;
};

enum visit { VISIT_NOT, VISIT_OPEN, VISIT_DONE };

static void rows_make(struct numberer *numberer)
{
    const struct path_graph *graph = numberer->graph;
    size_t n = graph->nodes.n;
    for (size_t e = 0; e < graph->edges.n; e++)
        numberer->first_edge[graph->edges.at[e].from + 1]++;
    for (size_t e = 0; e < graph->ends.n; e++)
        numberer->first_end[graph->ends.at[e].from + 1]++;
    for (size_t v = 0; v < n; v++) {
        numberer->first_edge[v + 1] += numberer->first_edge[v];
        numberer->first_end[v + 1] += numberer->first_end[v];
    }
}

/* ---- edges that go back */

/* What begins a path by itself is not gone on to from before. */
static bool edge_ends_path(const struct path_graph *graph, uint32_t edge)
{
    return graph->edges.at[edge].cut || graph->nodes.at[graph->edges.at[edge].to].start;
}

static void node_visit(struct numberer *numberer, uint32_t root)
{
    const struct path_graph *graph = numberer->graph;
    uint32_t depth = 0;
    if (numberer->state[root] != VISIT_NOT)
        return;
    numberer->stack[depth++] = root;
    numberer->state[root] = VISIT_OPEN;
    numberer->next[root] = numberer->first_edge[root];
    while (depth) {
        uint32_t v = numberer->stack[depth - 1];
        if (numberer->next[v] == numberer->first_edge[v + 1]) {
            numberer->state[v] = VISIT_DONE;
            numberer->done[numberer->n_done++] = v;
            depth--;
            continue;
        }
        uint32_t edge = numberer->next[v]++, w = graph->edges.at[edge].to;
        bool open = numberer->state[w] == VISIT_OPEN;
        numberer->out->back[edge] = open || edge_ends_path(graph, edge);
        if (numberer->out->back[edge] || numberer->state[w] != VISIT_NOT)
            continue;
        numberer->state[w] = VISIT_OPEN;
        numberer->next[w] = numberer->first_edge[w];
        numberer->stack[depth++] = w;
    }
}

/* From the entry, from other starts, from where cut edges lead; what is then left is reached in no
 * known way, and its first node is a start like any other. */
static void graph_visit(struct numberer *numberer)
{
    struct path_graph *graph = numberer->graph;
    node_visit(numberer, graph->entry);
    for (uint32_t v = 0; v < graph->nodes.n; v++)
        if (graph->nodes.at[v].start)
            node_visit(numberer, v);
    for (size_t e = 0; e < graph->edges.n; e++)
        if (graph->edges.at[e].cut && numberer->state[graph->edges.at[e].from] != VISIT_NOT)
            node_visit(numberer, graph->edges.at[e].to);
    for (uint32_t v = 0; v < graph->nodes.n; v++)
        if (numberer->state[v] == VISIT_NOT) {
            graph->nodes.at[v].start = true;
            node_visit(numberer, v);
        }
    ASSERT(numberer->n_done == graph->nodes.n);
    for (uint32_t i = 0; i < numberer->n_done; i++)
        numberer->out->order[i] = numberer->done[numberer->n_done - 1 - i];
}

/* ---- how many */

static uint64_t paths_from(const struct numberer *numberer, uint32_t v)
{
    const struct path_numbering *out = numberer->out;
    uint64_t n = numberer->first_end[v + 1] - numberer->first_end[v];
    for (uint32_t e = numberer->first_edge[v];
         e < numberer->first_edge[v + 1] && n <= numberer->limit; e++)
        n += out->back[e] ? 1 : out->paths[numberer->graph->edges.at[e].to];
    return n; /* no summand is more than the limit: it fits, and says so if it is too many */
}

/* Of all nodes; or the first that has too many. */
static uint32_t paths_count(struct numberer *numberer)
{
    struct path_numbering *out = numberer->out;
    for (uint32_t i = out->n; i-- > 0;) {
        uint32_t v = out->order[i];
        out->paths[v] = paths_from(numberer, v);
        if (out->paths[v] > numberer->limit)
            return v;
    }
    return UINT32_MAX;
}

/* ---- cuts */

static void node_cut(struct numberer *numberer, uint32_t node)
{
    struct path_numbering *out = numberer->out;
    for (size_t e = 0; e < numberer->graph->edges.n; e++)
        if (numberer->graph->edges.at[e].to == node)
            out->back[e] = true;
    *vec_push(&out->cuts) = node;
}

/* Of what lies behind a node that begins too many paths: the node that runs least, if it begins
 * many; many enough that few such cuts do. */
static uint32_t cut_choose(struct numberer *numberer, uint32_t top, const uint64_t *expected)
{
    const struct path_numbering *out = numberer->out;
    uint64_t largest = 0;
    uint32_t depth = 0, best = UINT32_MAX;
    bool *met = mem_alloc(out->n * sizeof *met);
    for (uint32_t e = numberer->first_edge[top]; e < numberer->first_edge[top + 1]; e++)
        if (!out->back[e] && out->paths[numberer->graph->edges.at[e].to] > largest)
            largest = out->paths[numberer->graph->edges.at[e].to];
    uint64_t many = 2;
    while (many * many < largest)
        many *= 2;
    numberer->stack[depth++] = top;
    while (depth) {
        uint32_t v = numberer->stack[--depth];
        for (uint32_t e = numberer->first_edge[v]; e < numberer->first_edge[v + 1]; e++) {
            uint32_t w = numberer->graph->edges.at[e].to;
            if (out->back[e] || met[w] || out->paths[w] < many)
                continue;
            met[w] = true;
            numberer->stack[depth++] = w;
            if (best == UINT32_MAX || expected[w] < expected[best] ||
                (expected[w] == expected[best] && out->paths[w] > out->paths[best]) ||
                (expected[w] == expected[best] && out->paths[w] == out->paths[best] && w < best))
                best = w;
        }
    }
    mem_free(met);
    return best;
}

/* Where paths begin: at starts, and behind edges that go back. */
static bool *begins_find(const struct numberer *numberer)
{
    const struct path_graph *graph = numberer->graph;
    bool *begins = mem_alloc(graph->nodes.n * sizeof *begins);
    for (size_t v = 0; v < graph->nodes.n; v++)
        begins[v] = graph->nodes.at[v].start || v == graph->entry;
    for (size_t e = 0; e < graph->edges.n; e++)
        begins[graph->edges.at[e].to] |= numberer->out->back[e];
    return begins;
}

static bool total_fits(const struct numberer *numberer)
{
    uint64_t total = 0;
    bool *begins = begins_find(numberer);
    for (uint32_t v = 0; v < numberer->out->n && total <= PATHS_LIMIT; v++)
        total += begins[v] ? numberer->out->paths[v] : 0;
    mem_free(begins);
    return total <= PATHS_LIMIT;
}

/* One node a round: what begins too many has fewer after each. */
static void paths_limit(struct numberer *numberer)
{
    uint64_t *expected = NULL;
    for (;;) {
        uint32_t top = paths_count(numberer);
        if (top == UINT32_MAX && total_fits(numberer))
            break;
        if (top == UINT32_MAX) {
            numberer->limit /= 2;
            continue;
        }
        if (!expected) {
            expected = mem_alloc(numberer->out->n * sizeof *expected);
            expect_nodes(numberer->out, numberer->graph, expected);
        }
        uint32_t node = cut_choose(numberer, top, expected);
        if (node == UINT32_MAX)
            numberer->limit = numberer->out->paths[top]; /* so many edges has one node */
        else
            node_cut(numberer, node);
    }
    mem_free(expected);
}

/* ---- arcs */

static void arc_add(struct path_numbering *out, uint32_t from, uint32_t to, enum arc_kind kind,
                    uint32_t of)
{
    *vec_push(&out->arcs) = (struct arc){.from = from, .to = to, .of = of, .kind = (uint8_t)kind};
}

static void arcs_of(struct numberer *numberer, uint32_t v)
{
    struct path_numbering *out = numberer->out;
    uint64_t sum = 0;
    size_t a = out->arcs.n;
    for (uint32_t e = numberer->first_edge[v]; e < numberer->first_edge[v + 1]; e++)
        if (out->back[e])
            arc_add(out, v, out->exit, ARC_BREAK, e);
        else
            arc_add(out, v, numberer->graph->edges.at[e].to, ARC_STEP, e);
    for (uint32_t e = numberer->first_end[v]; e < numberer->first_end[v + 1]; e++)
        arc_add(out, v, out->exit, ARC_END, e);
    for (; a < out->arcs.n; a++) {
        out->arcs.at[a].value = sum;
        sum += out->arcs.at[a].kind == ARC_STEP ? out->paths[out->arcs.at[a].to] : 1;
    }
    ASSERT(sum == out->paths[v]);
}

static void arcs_make(struct numberer *numberer)
{
    struct path_numbering *out = numberer->out;
    bool *begins = begins_find(numberer);
    for (uint32_t v = 0; v < out->n; v++) {
        out->first[v] = (uint32_t)out->arcs.n;
        arcs_of(numberer, v);
    }
    out->first[out->entry] = (uint32_t)out->arcs.n;
    for (uint32_t v = 0; v < out->n; v++) {
        out->begins[v] = ARC_NONE;
        if (!begins[v])
            continue;
        out->begins[v] = (uint32_t)out->arcs.n;
        arc_add(out, out->entry, v, ARC_BEGIN, v);
        out->arcs.at[out->arcs.n - 1].value = out->total;
        out->total += out->paths[v];
    }
    out->first[out->entry + 1] = (uint32_t)out->arcs.n;
    mem_free(begins);
}

void number_paths(struct path_numbering *numbering, struct path_graph *graph, uint64_t limit)
{
    uint32_t n = (uint32_t)graph->nodes.n;
    ASSERT(n && graph->entry < n && limit >= 4 && limit <= PATHS_LIMIT);
    *numbering = (struct path_numbering){.n = n, .entry = n, .exit = n + 1};
    numbering->first = mem_alloc((n + 2) * sizeof(uint32_t));
    numbering->begins = mem_alloc(n * sizeof(uint32_t));
    numbering->order = mem_alloc(n * sizeof(uint32_t));
    numbering->paths = mem_alloc(n * sizeof(uint64_t));
    numbering->back = mem_alloc((graph->edges.n + 1) * sizeof(bool));
    uint32_t *memory = mem_alloc((5 * (size_t)n + 2) * sizeof *memory);
    struct numberer numberer = {
        .out = numbering,
        .graph = graph,
        .first_edge = memory,
        .first_end = memory + n + 1,
        .next = memory + 2 * (size_t)n + 2,
        .stack = memory + 3 * (size_t)n + 2,
        .done = memory + 4 * (size_t)n + 2,
        .state = mem_alloc(n),
        .limit = limit,
    };
    graph->nodes.at[graph->entry].start = true;
    rows_make(&numberer);
    graph_visit(&numberer);
    paths_limit(&numberer);
    arcs_make(&numberer);
    expect_arcs(numbering, graph);
    mem_free(numberer.state);
    mem_free(memory);
}

void numbering_release(struct path_numbering *numbering)
{
    vec_release(&numbering->arcs);
    vec_release(&numbering->cuts);
    mem_free(numbering->first);
    mem_free(numbering->begins);
    mem_free(numbering->order);
    mem_free(numbering->paths);
    mem_free(numbering->back);
    *numbering = (struct path_numbering){0};
}

uint32_t numbering_arc(const struct path_numbering *numbering, const struct path_graph *graph,
                       uint32_t edge)
{
    uint32_t from = graph->edges.at[edge].from;
    for (uint32_t a = numbering->first[from]; a < numbering->first[from + 1]; a++)
        if (numbering->arcs.at[a].kind != ARC_END && numbering->arcs.at[a].of == edge)
            return a;
    ASSERT(!"an edge without an arc");
    return ARC_NONE;
}
