#include "program/cfg/loops.h"
#include "program/cfg/cfg_build.h"

#include "random_graphs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

/* Loops by their definition, slowly: blocks that reach each other without an edge into the head of
 * a loop around them; the head is the one that a walk from the entry meets first. */
enum { BLOCKS = GRAPH_BLOCKS_MAX * 2 };

struct slow {
    const struct cfg *cfg;
    uint32_t order[BLOCKS], met; /* by block, from 1 on */
    bool cut[BLOCKS];            /* heads of loops around: nothing enters them */
    block_id head_of[BLOCKS];    /* innermost, or BLOCK_NONE */
    block_id parent_of[BLOCKS];  /* of the loop that this block heads */
    bool is_head[BLOCKS], irreducible[BLOCKS];
};

static void walk(struct slow *slow, block_id at)
{
    slow->order[at] = ++slow->met;
    for (size_t e = 0; e < slow->cfg->edges.n; e++)
        if (slow->cfg->edges.at[e].from_block == at &&
            !slow->order[slow->cfg->edges.at[e].to_block])
            walk(slow, slow->cfg->edges.at[e].to_block);
}

static void reach_inside(const struct slow *slow, const bool *inside, block_id from, bool *reached)
{
    memset(reached, 0, BLOCKS);
    for (bool more = true; more;) {
        more = false;
        for (size_t e = 0; e < slow->cfg->edges.n; e++) {
            block_id a = slow->cfg->edges.at[e].from_block, b = slow->cfg->edges.at[e].to_block;
            if ((a == from || reached[a]) && inside[a] && inside[b] && !slow->cut[b] && !reached[b])
                more = reached[b] = true;
        }
    }
}

static void split(struct slow *slow, const bool *inside, block_id around)
{
    bool done[BLOCKS] = {0};
    for (block_id b = 0; b < slow->cfg->blocks.n; b++) {
        bool ahead[BLOCKS], back[BLOCKS], loop[BLOCKS] = {0};
        if (!inside[b] || done[b])
            continue;
        reach_inside(slow, inside, b, ahead);
        if (!ahead[b])
            continue;
        block_id head = b;
        for (block_id k = 0; k < slow->cfg->blocks.n; k++) {
            if (!ahead[k])
                continue;
            reach_inside(slow, inside, k, back);
            loop[k] = done[k] = back[b];
            if (loop[k] && slow->order[k] < slow->order[head])
                head = k;
        }
        slow->is_head[head] = true;
        slow->parent_of[head] = around;
        for (block_id k = 0; k < slow->cfg->blocks.n; k++)
            if (loop[k])
                slow->head_of[k] = head;
        for (size_t e = 0; e < slow->cfg->edges.n; e++) {
            block_id from = slow->cfg->edges.at[e].from_block, to = slow->cfg->edges.at[e].to_block;
            if (slow->order[from] && !loop[from] && loop[to] && to != head)
                slow->irreducible[head] = true;
        }
        slow->cut[head] = true;
        split(slow, loop, head);
        slow->cut[head] = false;
    }
}

static void check_loops(const struct cfg *cfg, size_t *n_loops, size_t *n_irreducible)
{
    struct loops loops;
    struct slow slow = {.cfg = cfg};
    bool inside[BLOCKS];
    loops_find(&loops, cfg);
    for (block_id b = 0; b < cfg->blocks.n; b++)
        slow.head_of[b] = BLOCK_NONE;
    walk(&slow, 0);
    for (block_id b = 0; b < cfg->blocks.n; b++)
        inside[b] = slow.order[b] != 0;
    split(&slow, inside, BLOCK_NONE);
    size_t heads = 0;
    for (block_id b = 0; b < cfg->blocks.n; b++) {
        loop_id innermost = loops.of_block[b];
        block_id head = innermost == LOOP_NONE ? BLOCK_NONE : loops.at[innermost].head;
        assert_int_equal(head, slow.head_of[b]);
        heads += slow.is_head[b];
    }
    assert_int_equal(loops.n, heads);
    for (loop_id i = 0; i < loops.n; i++) {
        const struct loop *loop = &loops.at[i];
        block_id parent = loop->parent == LOOP_NONE ? BLOCK_NONE : loops.at[loop->parent].head;
        assert_true(slow.is_head[loop->head] && loops_hold(&loops, i, loop->head));
        assert_int_equal(parent, slow.parent_of[loop->head]);
        assert_int_equal(loop->irreducible, slow.irreducible[loop->head]);
        assert_int_equal(loop->depth,
                         loop->parent == LOOP_NONE ? 1 : loops.at[loop->parent].depth + 1);
        *n_irreducible += loop->irreducible;
    }
    *n_loops += loops.n;
    loops_release(&loops);
}

static void random_graphs_have_their_loops(void **state)
{
    (void)state;
    struct binary binary;
    graphs_open(&binary, 11);
    size_t n_loops = 0, n_irreducible = 0;
    for (function_id f = 0; f < binary.symbols.functions.n; f++) {
        struct cfg cfg;
        cfg_build(&cfg, &binary.image, &binary.symbols, f, NULL, 0);
        if (cfg.blocks.n && cfg.blocks.n <= BLOCKS)
            check_loops(&cfg, &n_loops, &n_irreducible);
        cfg_release(&cfg);
    }
    printf("%zu loops, %zu irreducible\n", n_loops, n_irreducible);
    assert_true(n_loops > GRAPHS && n_irreducible > GRAPHS / 4 && n_irreducible < n_loops * 3 / 4);
    binary_close(&binary);
}

int main(void)
{
    oracle_need("gcc");
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_graphs_have_their_loops)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
