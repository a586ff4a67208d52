#include "paths/expect.h"

#include "base/memory.h"
#include "paths/number.h"

enum { SHARE_COLD = 1, SHARE_USUAL = 16, SHARE_BACK = 112, LOOP_TIMES = 8 };
#define EXPECT_ENTRY (UINT64_C(1) << 24)
#define EXPECT_MOST (UINT64_C(1) << 48)

static uint32_t edge_share(const struct path_numbering *numbering, const struct path_graph *graph,
                           uint32_t edge)
{
    if (graph->nodes.at[graph->edges.at[edge].to].cold)
        return SHARE_COLD;
    return numbering->back[edge] && !graph->edges.at[edge].cut ? SHARE_BACK : SHARE_USUAL;
}

struct shares {
    uint64_t *sum;   /* of each node */
    uint32_t *first; /* edge of each node, and one more */
    bool *head;      /* something leads back there */
};

static void shares_make(struct shares *shares, const struct path_numbering *numbering,
                        const struct path_graph *graph)
{
    uint32_t n = numbering->n;
    shares->sum = mem_alloc(n * sizeof *shares->sum);
    shares->first = mem_alloc((n + 1) * sizeof *shares->first);
    shares->head = mem_alloc(n * sizeof *shares->head);
    for (uint32_t e = 0; e < graph->edges.n; e++) {
        const struct path_graph_edge *edge = &graph->edges.at[e];
        shares->sum[edge->from] += edge_share(numbering, graph, e);
        shares->first[edge->from + 1]++;
        shares->head[edge->to] |= numbering->back[e] && !edge->cut;
    }
    for (uint32_t e = 0; e < graph->ends.n; e++)
        shares->sum[graph->ends.at[e].from] += SHARE_USUAL;
    for (uint32_t v = 0; v < n; v++)
        shares->first[v + 1] += shares->first[v];
}

static void shares_release(struct shares *shares)
{
    mem_free(shares->sum);
    mem_free(shares->first);
    mem_free(shares->head);
}

static uint64_t share_of(uint64_t expected, uint32_t share, uint64_t sum)
{
    uint64_t part = expected / (sum ? sum : 1) * share;
    return part ? part : 1;
}

static void nodes_expect(const struct path_numbering *numbering, const struct path_graph *graph,
                         const struct shares *shares, uint64_t *expected)
{
    for (uint32_t v = 0; v < numbering->n; v++)
        expected[v] = v == graph->entry ? EXPECT_ENTRY : 0;
    for (uint32_t i = 0; i < numbering->n; i++) {
        uint32_t v = numbering->order[i];
        expected[v] *= shares->head[v] ? LOOP_TIMES : 1;
        if (expected[v] > EXPECT_MOST)
            expected[v] = EXPECT_MOST;
        if (!expected[v])
            expected[v] = 1;
        for (uint32_t e = shares->first[v]; e < shares->first[v + 1]; e++)
            if (!numbering->back[e] || graph->edges.at[e].cut)
                expected[graph->edges.at[e].to] +=
                    share_of(expected[v], edge_share(numbering, graph, e), shares->sum[v]);
    }
}

void expect_nodes(const struct path_numbering *numbering, const struct path_graph *graph,
                  uint64_t *ret)
{
    struct shares shares;
    shares_make(&shares, numbering, graph);
    nodes_expect(numbering, graph, &shares, ret);
    shares_release(&shares);
}

void expect_arcs(struct path_numbering *numbering, const struct path_graph *graph)
{
    struct shares shares;
    uint64_t *expected = mem_alloc(numbering->n * sizeof *expected);
    shares_make(&shares, numbering, graph);
    nodes_expect(numbering, graph, &shares, expected);
    for (size_t a = 0; a < numbering->arcs.n; a++) {
        struct arc *arc = &numbering->arcs.at[a];
        if (arc->kind == ARC_BEGIN) {
            arc->weight += arc->of == graph->entry ? EXPECT_ENTRY : 1;
            continue;
        }
        uint32_t share = arc->kind == ARC_END ? SHARE_USUAL : edge_share(numbering, graph, arc->of);
        arc->weight = share_of(expected[arc->from], share, shares.sum[arc->from]);
        if (arc->kind == ARC_BREAK)
            numbering->arcs.at[numbering->begins[graph->edges.at[arc->of].to]].weight +=
                arc->weight;
    }
    shares_release(&shares);
    mem_free(expected);
}
