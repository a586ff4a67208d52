#include "paths/expect.h"

#include "base/memory.h"
#include "paths/number.h"

enum { SHARE_COLD = 1, SHARE_USUAL = 16, SHARE_BACK = 112, LOOP_TIMES = 8 };
#define EXPECT_ENTRY (UINT64_C(1) << 24)
#define EXPECT_MOST (UINT64_C(1) << 48)

static uint32_t edge_share(const struct path_numbering *numbering, const struct shape *shape,
                           uint32_t edge)
{
    if (shape->nodes.at[shape->edges.at[edge].to].cold)
        return SHARE_COLD;
    return numbering->back[edge] && !shape->edges.at[edge].cut ? SHARE_BACK : SHARE_USUAL;
}

struct shares {
    uint64_t *sum;   /* of each node */
    uint32_t *first; /* edge of each node, and one more */
    bool *head;      /* something leads back there */
};

static void shares_make(struct shares *shares, const struct path_numbering *numbering,
                        const struct shape *shape)
{
    uint32_t n = numbering->n;
    shares->sum = mem_alloc(n * sizeof *shares->sum);
    shares->first = mem_alloc((n + 1) * sizeof *shares->first);
    shares->head = mem_alloc(n * sizeof *shares->head);
    for (uint32_t e = 0; e < shape->edges.n; e++) {
        const struct shape_edge *edge = &shape->edges.at[e];
        shares->sum[edge->from] += edge_share(numbering, shape, e);
        shares->first[edge->from + 1]++;
        shares->head[edge->to] |= numbering->back[e] && !edge->cut;
    }
    for (uint32_t e = 0; e < shape->ends.n; e++)
        shares->sum[shape->ends.at[e].from] += SHARE_USUAL;
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

static void nodes_expect(const struct path_numbering *numbering, const struct shape *shape,
                         const struct shares *shares, uint64_t *expected)
{
    for (uint32_t v = 0; v < numbering->n; v++)
        expected[v] = v == shape->entry ? EXPECT_ENTRY : 0;
    for (uint32_t i = 0; i < numbering->n; i++) {
        uint32_t v = numbering->order[i];
        expected[v] *= shares->head[v] ? LOOP_TIMES : 1;
        if (expected[v] > EXPECT_MOST)
            expected[v] = EXPECT_MOST;
        if (!expected[v])
            expected[v] = 1;
        for (uint32_t e = shares->first[v]; e < shares->first[v + 1]; e++)
            if (!numbering->back[e] || shape->edges.at[e].cut)
                expected[shape->edges.at[e].to] +=
                    share_of(expected[v], edge_share(numbering, shape, e), shares->sum[v]);
    }
}

void expect_nodes(const struct path_numbering *numbering, const struct shape *shape, uint64_t *ret)
{
    struct shares shares;
    shares_make(&shares, numbering, shape);
    nodes_expect(numbering, shape, &shares, ret);
    shares_release(&shares);
}

void expect_arcs(struct path_numbering *numbering, const struct shape *shape)
{
    struct shares shares;
    uint64_t *expected = mem_alloc(numbering->n * sizeof *expected);
    shares_make(&shares, numbering, shape);
    nodes_expect(numbering, shape, &shares, expected);
    for (size_t a = 0; a < numbering->arcs.n; a++) {
        struct arc *arc = &numbering->arcs.at[a];
        if (arc->kind == ARC_BEGIN) {
            arc->weight += arc->of == shape->entry ? EXPECT_ENTRY : 1;
            continue;
        }
        uint32_t share = arc->kind == ARC_END ? SHARE_USUAL : edge_share(numbering, shape, arc->of);
        arc->weight = share_of(expected[arc->from], share, shares.sum[arc->from]);
        if (arc->kind == ARC_BREAK)
            numbering->arcs.at[numbering->begins[shape->edges.at[arc->of].to]].weight +=
                arc->weight;
    }
    shares_release(&shares);
    mem_free(expected);
}
