#include "program/cfg/graphs.h"

#include "base/err.h"
#include "program/binary.h"
#include "program/cfg/cfg_build.h"

#include "oracle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static void check_edges(const struct graphs *graphs, const struct graph *graph,
                        const struct cfg *cfg)
{
    uint32_t n = 0;
    assert_int_equal(graph->n_edges, cfg->edges.n);
    assert_int_equal(graph->blocks[graph->n_blocks].first_edge, graph->n_edges);
    for (block_id b = 0; b < graph->n_blocks; b++) {
        const struct graph_block *block = &graph->blocks[b];
        struct svma from = graph_address(graphs, block->start + block->bytes - block->last_bytes);
        for (uint32_t e = block->first_edge; e < block[1].first_edge; e++, n++) {
            struct svma to = graph_address(graphs, graph->blocks[graph->edges[e].to].start);
            enum cfg_edge_kind kind = (enum cfg_edge_kind)graph->edges[e].kind;
            assert_true(cfg_edge_find(cfg, from, to, kind) != EDGE_NONE);
        }
    }
    assert_int_equal(n, graph->n_edges);
}

static void check_function(const struct graphs *graphs, const struct graph *graph,
                           const struct cfg *cfg)
{
    assert_int_equal(graph->n_blocks, cfg->blocks.n);
    assert_int_equal(graph->undecoded, cfg->undecoded);
    for (block_id b = 0; b < graph->n_blocks; b++) {
        assert_int_equal(graph_address(graphs, graph->blocks[b].start).v,
                         cfg->blocks.at[b].start.v);
        assert_int_equal(graph->blocks[b].bytes, cfg->blocks.at[b].bytes);
        assert_int_equal(graph->blocks[b].instructions, cfg->blocks.at[b].instructions);
    }
    if (graph->entry != BLOCK_NONE)
        assert_int_equal(cfg->blocks.at[graph->entry].start.v, cfg->entry.v);
    check_edges(graphs, graph, cfg);
    assert_int_equal(graph->n_exits, cfg->exits.n);
    for (uint32_t e = 0; e < graph->n_exits; e++) {
        assert_int_equal(graph_address(graphs, graph->exits[e].from).v, cfg->exits.at[e].from.v);
        assert_int_equal(graph->exits[e].unresolved, cfg->exits.at[e].unresolved);
        assert_int_equal(graph->exits[e].reason, cfg->exits.at[e].reason);
        if (!graph->exits[e].unresolved)
            assert_int_equal(graph_address(graphs, graph->exits[e].to).v, cfg->exits.at[e].to.v);
    }
}

static void graphs_are_those_of_each_function(void **state)
{
    (void)state;
    struct binary binary;
    struct graphs graphs;
    struct err err;
    if (!binary_open(&binary, "/bin/bash", &err))
        fail_msg("%s", err.text);
    graphs_build(&graphs, &binary.image, &binary.symbols);
    assert_int_equal(graphs.n, binary.symbols.functions.n);
    uint64_t instructions = 0, blocks = 0, tables = 0;
    for (function_id f = 0; f < graphs.n; f++) {
        struct cfg cfg;
        cfg_build(&cfg, &binary.image, &binary.symbols, f, NULL, 0);
        check_function(&graphs, &graphs.at[f], &cfg);
        instructions += cfg.instructions.n;
        blocks += cfg.blocks.n;
        for (size_t j = 0; j < cfg.jumps.n; j++)
            tables += cfg.jumps.at[j].reason == REASON_NONE;
        cfg_release(&cfg);
    }
    assert_int_equal(graphs.instructions, instructions);
    assert_int_equal(graphs.blocks, blocks);
    assert_int_equal(graphs.tables, tables);
    assert_true(tables > 20);
    graphs_release(&graphs);
    binary_close(&binary);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(graphs_are_those_of_each_function)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
