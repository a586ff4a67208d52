/* Random graphs of all kinds: whoever walks them, doing what is placed on arcs, counts the numbers
 * of the very paths that he walked. */
#include "paths/decode.h"
#include "paths/number.h"
#include "paths/place.h"
#include "paths/spanning.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include "base/memory.h"

#include <stdbool.h>
#include <stdlib.h>

static uint64_t seed = 1;

static uint32_t draw(uint32_t n)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((seed >> 33) % n);
}

static int by_from(const void *a, const void *b)
{
    const struct path_graph_edge *x = a, *y = b;
    return x->from < y->from ? -1 : x->from > y->from;
}

/* Any edges at all: circles with several ways in, edges side by side, edges to the entry and to
 * oneself, nodes that nothing leads to, and those that never come to an end. A node that has no
 * edge has an end. */
static void graph_draw(struct path_graph *graph, uint32_t n)
{
    *graph = (struct path_graph){.entry = draw(n)};
    uint32_t edges = draw(3 * n + 1), odd = 1 + draw(8);
    bool *left = mem_alloc(n * sizeof *left);
    for (uint32_t v = 0; v < n; v++)
        *vec_push(&graph->nodes) =
            (struct path_graph_node){.start = !draw(20), .loose = !draw(3), .cold = !draw(6)};
    for (uint32_t e = 0; e < edges; e++) {
        uint32_t from = draw(n), to = draw(odd) ? from + draw(n - from) : draw(n);
        *vec_push(&graph->edges) = (struct path_graph_edge){from, to, !draw(25)};
        left[from] = true;
    }
    if (graph->edges.n)
        qsort(graph->edges.at, graph->edges.n, sizeof *graph->edges.at, by_from);
    for (uint32_t v = 0; v < n; v++)
        if (!left[v] || !draw(6))
            *vec_push(&graph->ends) = (struct path_graph_end){v};
    mem_free(left);
}

struct walker {
    const struct path_graph *graph;
    struct path_numbering numbering;
    struct spanning tree;
    struct placed *placed;
    uint64_t path, counted; /* the register; the last number that was counted */
    uint32_t n_counted;
    struct path_arcs walked, decoded;
};

static void arc_take(struct walker *walker, uint32_t arc)
{
    const struct placed *placed = &walker->placed[arc];
    assert_false(placed->set && placed->add);
    if (placed->set)
        walker->path = placed->value;
    if (placed->add)
        walker->path += placed->value;
    if (placed->count) {
        walker->counted = walker->path;
        walker->n_counted++;
    }
    *vec_push(&walker->walked) = arc;
}

static void path_check(struct walker *walker)
{
    assert_int_equal(walker->n_counted, 1);
    assert_true(path_decode(&walker->numbering, walker->counted, &walker->decoded));
    assert_int_equal(walker->decoded.n, walker->walked.n);
    for (size_t i = 0; i < walker->walked.n; i++)
        assert_int_equal(walker->decoded.at[i], walker->walked.at[i]);
    walker->walked.n = 0;
    walker->n_counted = 0;
}

/* Begins a path at a node: whatever was in the register is forgotten. */
static void node_begin(struct walker *walker, uint32_t node, bool garble)
{
    if (garble)
        walker->path = (uint64_t)draw(UINT32_MAX) << 32;
    arc_take(walker, walker->numbering.begins[node]);
}

static void walk(struct walker *walker, uint32_t node, uint32_t steps)
{
    const struct path_graph *graph = walker->graph;
    node_begin(walker, node, true);
    while (true) {
        uint32_t first = walker->numbering.first[node];
        uint32_t arc = first + draw(walker->numbering.first[node + 1] - first);
        const struct arc *taken = &walker->numbering.arcs.at[arc];
        /* nothing is counted before a node from which there is no coming back */
        if (graph->nodes.at[node].loose)
            assert_int_equal(walker->n_counted, 0);
        arc_take(walker, arc);
        if (taken->kind == ARC_STEP) {
            node = taken->to;
            continue;
        }
        path_check(walker);
        if (taken->kind == ARC_END || !steps--)
            return;
        node = graph->edges.at[taken->of].to;
        node_begin(walker, node, graph->nodes.at[node].start);
    }
}

static void walker_open(struct walker *walker, struct path_graph *graph, uint64_t limit, bool timed)
{
    *walker = (struct walker){.graph = graph};
    number_paths(&walker->numbering, graph, limit);
    spanning_make(&walker->tree, &walker->numbering);
    walker->placed = place_make(&walker->numbering, graph, &walker->tree, timed);
}

static void walker_close(struct walker *walker)
{
    numbering_release(&walker->numbering);
    spanning_release(&walker->tree);
    mem_free(walker->placed);
    vec_release(&walker->walked);
    vec_release(&walker->decoded);
}

static void walks_count_what_they_walk(void **state)
{
    (void)state;
    for (uint32_t round = 0; round < 4000; round++) {
        struct path_graph graph;
        struct walker walker;
        uint32_t n = 1 + draw(round % 40 + 1);
        graph_draw(&graph, n);
        walker_open(&walker, &graph, round % 3 ? PATHS_LIMIT : 8, round % 5 == 0);
        for (uint32_t i = 0; i < 8; i++)
            walk(&walker, graph.entry, 20);
        for (uint32_t v = 0; v < n; v++)
            if (graph.nodes.at[v].start)
                walk(&walker, v, 5);
        walker_close(&walker);
        path_graph_release(&graph);
    }
}

/* Each number is another path: all of them, of graphs that have few. */
static void numbers_are_paths(void **state)
{
    (void)state;
    for (uint32_t round = 0; round < 500; round++) {
        struct path_graph graph;
        struct path_numbering numbering;
        struct path_arcs before = {0}, arcs = {0};
        graph_draw(&graph, 1 + draw(10));
        number_paths(&numbering, &graph, PATHS_LIMIT);
        for (uint64_t path = 0; path < numbering.total && path < 2000; path++) {
            assert_true(path_decode(&numbering, path, &arcs));
            uint64_t sum = 0;
            for (size_t i = 0; i < arcs.n; i++)
                sum += numbering.arcs.at[arcs.at[i]].value;
            assert_int_equal(sum, path);
            bool differs = before.n != arcs.n;
            for (size_t i = 0; !differs && i < arcs.n; i++)
                differs = before.at[i] != arcs.at[i];
            assert_true(differs);
            struct path_arcs other = before;
            before = arcs;
            arcs = other;
        }
        assert_false(path_decode(&numbering, numbering.total, &arcs));
        vec_release(&before);
        vec_release(&arcs);
        numbering_release(&numbering);
        path_graph_release(&graph);
    }
}

/* A chain of n questions has 2^n paths; one that is longer than the limit is cut, in as few places
 * as needed. */
static void chain_make(struct path_graph *graph, uint32_t questions)
{
    *graph = (struct path_graph){0};
    for (uint32_t i = 0; i <= questions; i++)
        (void)vec_push(&graph->nodes);
    for (uint32_t i = 0; i < questions; i++) {
        *vec_push(&graph->edges) = (struct path_graph_edge){i, i + 1, false};
        *vec_push(&graph->edges) = (struct path_graph_edge){i, i + 1, false};
    }
    *vec_push(&graph->ends) = (struct path_graph_end){questions};
}

static void chains_are_cut(void **state)
{
    (void)state;
    struct path_graph graph;
    struct path_numbering numbering;
    chain_make(&graph, 62);
    number_paths(&numbering, &graph, PATHS_LIMIT);
    assert_true(numbering.total == PATHS_LIMIT);
    assert_int_equal(numbering.cuts.n, 0);
    numbering_release(&numbering);
    path_graph_release(&graph);
    chain_make(&graph, 70);
    number_paths(&numbering, &graph, PATHS_LIMIT);
    assert_in_range(numbering.cuts.n, 1, 3);
    assert_true(numbering.total <= PATHS_LIMIT);
    numbering_release(&numbering);
    path_graph_release(&graph);
    /* Each start has as many as a node may: together they have no more. */
    chain_make(&graph, 62);
    for (uint32_t v = 0; v < 8; v++)
        graph.nodes.at[v].start = true;
    number_paths(&numbering, &graph, PATHS_LIMIT);
    assert_true(numbering.total <= PATHS_LIMIT);
    numbering_release(&numbering);
    path_graph_release(&graph);
}

/* What leads back is what is worth no increment: in a loop that asks once, one way of two costs
 * nothing. */
static void heavy_arcs_are_free(void **state)
{
    (void)state;
    struct path_graph graph = {0};
    struct walker walker;
    for (uint32_t i = 0; i < 4; i++) /* entry, head, one way, latch */
        (void)vec_push(&graph.nodes);
    *vec_push(&graph.edges) = (struct path_graph_edge){0, 1, false};
    *vec_push(&graph.edges) = (struct path_graph_edge){1, 2, false};
    *vec_push(&graph.edges) = (struct path_graph_edge){1, 3, false};
    *vec_push(&graph.edges) = (struct path_graph_edge){2, 3, false};
    *vec_push(&graph.edges) = (struct path_graph_edge){3, 1, false};
    *vec_push(&graph.ends) = (struct path_graph_end){3};
    walker_open(&walker, &graph, PATHS_LIMIT, false);
    assert_int_equal(walker.numbering.total, 8);
    uint32_t free_ways = 0;
    for (uint32_t e = 1; e <= 2; e++) {
        const struct placed *placed = &walker.placed[numbering_arc(&walker.numbering, &graph, e)];
        free_ways += !placed->set && !placed->add && !placed->count;
    }
    assert_int_equal(free_ways, 1);
    for (uint32_t i = 0; i < 100; i++)
        walk(&walker, 0, 10);
    walker_close(&walker);
    path_graph_release(&graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(walks_count_what_they_walk),
        cmocka_unit_test(numbers_are_paths),
        cmocka_unit_test(chains_are_cut),
        cmocka_unit_test(heavy_arcs_are_free),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
