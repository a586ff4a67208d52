#include "program/cfg/dominators.h"
#include "program/cfg/cfg_build.h"

#include "random_graphs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static bool is_end(const struct cfg *cfg, block_id block)
{
    for (size_t e = 0; e < cfg->edges.n; e++)
        if (cfg->edges.at[e].from_block == block)
            return false;
    return true;
}

/* Whether a block gets to an end without passing another one. */
static bool ends(const struct cfg *cfg, block_id from, block_id without)
{
    bool reached[GRAPH_BLOCKS_MAX * 2];
    reach(cfg, from, without, reached);
    for (block_id b = 0; b < cfg->blocks.n; b++)
        if (reached[b] && is_end(cfg, b))
            return true;
    return false;
}

static void check_post_dominators(const struct cfg *cfg)
{
    struct dominators dominators;
    post_dominators_build(&dominators, cfg);
    for (block_id b = 0; b < cfg->blocks.n; b++) {
        assert_int_equal(dominators.enter[b] != 0, ends(cfg, b, BLOCK_NONE));
        for (block_id a = 0; a < cfg->blocks.n; a++)
            assert_int_equal(dominators_have(&dominators, a, b), ends(cfg, a, BLOCK_NONE) &&
                                                                     ends(cfg, b, BLOCK_NONE) &&
                                                                     !ends(cfg, b, a));
    }
    dominators_release(&dominators);
}

static void random_graphs_have_their_dominators(void **state)
{
    (void)state;
    struct binary binary;
    graphs_open(&binary, 7);
    size_t checked = 0;
    for (function_id f = 0; f < binary.symbols.functions.n; f++) {
        struct cfg cfg;
        cfg_build(&cfg, &binary.image, &binary.symbols, f, NULL, 0);
        if (cfg.blocks.n && cfg.blocks.n <= GRAPH_BLOCKS_MAX * 2) {
            check_post_dominators(&cfg);
            checked++;
        }
        cfg_release(&cfg);
    }
    assert_true(checked >= GRAPHS);
    binary_close(&binary);
}

int main(void)
{
    oracle_need("gcc");
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_graphs_have_their_dominators)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
