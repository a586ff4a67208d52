#include "base/err.h"
#include "analysis/counts/counted.h"
#include "analysis/counts/items.h"

#include "strolls.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define LIBC "/lib/x86_64-linux-gnu/libc.so.6"

static void equal(const char *what, uint64_t at, uint64_t to, uint64_t got, uint64_t expected)
{
    if (got != expected)
        fail_msg("%s 0x%" PRIx64 " -> 0x%" PRIx64 ": %" PRIu64 ", truth %" PRIu64, what, at, to,
                 got, expected);
}

/* Kinds of one pair of addresses taken together: a branch to what follows it has two. */
static uint64_t edges_between(const struct cfg *cfg, const struct flow *flow, size_t e)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < cfg->edges.n; i++)
        if (cfg->edges.at[i].from.v == cfg->edges.at[e].from.v &&
            cfg->edges.at[i].to.v == cfg->edges.at[e].to.v)
            sum += flow->edges[i].count;
    return sum;
}

static void check_function(const struct strolls *strolls, const struct scene *scene,
                           const struct scene_function *function)
{
    struct counted_function counted;
    counted_function_build(&counted, scene, *function);
    struct cfg cfg = counted.cfg;
    struct flow flow = counted.flows[0];
    equal("stray records", 0, 0, flow.stray, 0);
    uint64_t body = 0;
    for (size_t i = 0; i < cfg.instructions.n; i++) {
        uint64_t at = cfg.instructions.at[i].at.v;
        equal("instruction", at, 0, flow.instructions[i].count, strolls_truth(strolls, at, 0));
        body += flow.instructions[i].count;
    }
    equal("body", 0, 0, flow.body.count, body);
    for (size_t e = 0; e < cfg.edges.n; e++) {
        const struct cfg_edge *edge = &cfg.edges.at[e];
        equal("edge", edge->from.v, edge->to.v, edges_between(&cfg, &flow, e),
              strolls_truth(strolls, edge->from.v, edge->to.v));
    }
    for (uint32_t i = 0; i < strolls->steps.n; i++) {
        const uint64_t *step = map_key(&strolls->steps, i);
        uint32_t to = cfg_find(&cfg, (struct svma){step[1]});
        if (!step[1] || to == INSTRUCTION_NONE || !strolls->counts.at[i] ||
            cfg.blocks.at[cfg.block_of[to]].start.v != step[1])
            continue;
        bool known = false;
        for (enum cfg_edge_kind kind = CFG_TAKEN; kind <= CFG_CASE; kind++)
            known |= cfg_edge_find(&cfg, (struct svma){step[0]}, (struct svma){step[1]}, kind) !=
                     EDGE_NONE;
        equal("step is an edge", step[0], step[1], known, true);
    }
    counted_function_release(&counted);
}

static void wander(struct strolls *strolls, const char *path, uint64_t seed)
{
    strolls_begin(strolls, path, seed);
    uint32_t n = (uint32_t)strolls->binary.symbols.functions.n;
    for (int i = 0; i < 300; i++) {
        function_id f = (function_id)(stroll_random(strolls) % n);
        for (int k = 0; k < 3; k++)
            strolls_wander(strolls, f, 3000);
    }
}

static void walks_are_counted_back(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        struct strolls strolls;
        wander(&strolls, LIBC, seed * 7919);
        struct scene scene;
        const struct profile *side = &strolls.profile;
        scene_open(&scene, &side, 1, NULL);
        size_t checked = 0;
        for (size_t i = 0; i < scene.functions.n; i++)
            if (scene.functions.at[i].function != FUNCTION_NONE) {
                check_function(&strolls, &scene, &scene.functions.at[i]);
                checked++;
            }
        assert_true(checked > 100);
        scene_close(&scene);
        strolls_end(&strolls);
    }
}

static uint64_t items_sum(const struct scene *scene, enum item_by by, bool body)
{
    struct items items;
    uint64_t sum = 0;
    items_list(&items, scene, by);
    for (size_t i = 0; i < items.n; i++)
        sum += body ? items.at[i].body[0].count : items.at[i].count[0].count;
    items_release(&items);
    return sum;
}

static void views_add_up(void **state)
{
    (void)state;
    struct strolls strolls;
    wander(&strolls, LIBC, 4711);
    uint64_t entries = 0, calls = 0;
    for (uint32_t i = 0; i < strolls.profile.edges.n; i++) {
        const struct edge_key *key = map_key(&strolls.profile.edges.keys, i);
        entries += key->from_module == strolls.outside ? strolls.profile.edges.at[i].count : 0;
        calls += key->kind == EDGE_CALL || key->kind == EDGE_ICALL
                     ? strolls.profile.edges.at[i].count
                     : 0;
    }
    struct scene scene;
    const struct profile *side = &strolls.profile;
    scene_open(&scene, &side, 1, NULL);
    uint64_t all = strolls.profile.totals.instructions;
    equal("functions", 0, 0, items_sum(&scene, BY_FUNCTION, true), all);
    equal("blocks", 0, 0, items_sum(&scene, BY_BLOCK, true), all);
    equal("instructions", 0, 0, items_sum(&scene, BY_INSTRUCTION, false), all);
    assert_true(items_sum(&scene, BY_FUNCTION, false) >= entries);
    assert_true(items_sum(&scene, BY_CALL, false) >= calls);
    scene_close(&scene);
    /* A module that is not asked for has nothing. */
    scene_open(&scene, &side, 1, "nothing.so");
    equal("no module", 0, 0, items_sum(&scene, BY_FUNCTION, true), 0);
    scene_close(&scene);
    strolls_end(&strolls);
}

/* The file is gone: records still add up, as one function. */
static void missing_binaries_keep_their_weight(void **state)
{
    (void)state;
    struct strolls strolls;
    wander(&strolls, LIBC, 99);
    strolls.profile.modules.at[strolls.module].path[1] = 'X';
    struct scene scene;
    const struct profile *side = &strolls.profile;
    scene_open(&scene, &side, 1, NULL);
    assert_null(scene.modules.at[strolls.module].binary);
    assert_non_null(strstr(scene.modules.at[strolls.module].missing, "No such file"));
    uint64_t all = strolls.profile.totals.instructions;
    equal("functions", 0, 0, items_sum(&scene, BY_FUNCTION, true), all);
    equal("blocks", 0, 0, items_sum(&scene, BY_BLOCK, true), all);
    assert_true(items_sum(&scene, BY_EDGE, false) > 0);
    scene_close(&scene);
    /* And so it is when the file is there but is another build. */
    strolls.profile.modules.at[strolls.module].path[1] = 'l';
    strolls.profile.modules.at[strolls.module].build_id[3] ^= 1;
    scene_open(&scene, &side, 1, NULL);
    assert_non_null(strstr(scene.modules.at[strolls.module].missing, "not the build"));
    scene_close(&scene);
    strolls_end(&strolls);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(walks_are_counted_back),
        cmocka_unit_test(views_add_up),
        cmocka_unit_test(missing_binaries_keep_their_weight),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
