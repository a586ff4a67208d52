#include "base/err.h"
#include "analysis/counts/counted_module.h"

#include "strolls.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define LIBC "/lib/x86_64-linux-gnu/libc.so.6"

static void wander(struct strolls *strolls)
{
    strolls_begin(strolls, LIBC, 4711);
    uint32_t n = (uint32_t)strolls->binary.symbols.functions.n;
    for (int i = 0; i < 300; i++)
        strolls_wander(strolls, (function_id)(stroll_random(strolls) % n), 3000);
    strolls->profile.mode = PROFILE_SAMPLED;
    strolls->profile.totals.batches = 2;
}

static uint32_t libc_of(const struct scene *scene)
{
    for (uint32_t i = 0; i < scene->modules.n; i++)
        if (scene->modules.at[i].binary)
            return i;
    return MODULE_NONE;
}

static void same_counts(const struct counted_function *a, const struct counted_function *b)
{
    assert_int_equal(a->cfg.instructions.n, b->cfg.instructions.n);
    for (size_t i = 0; i < a->cfg.instructions.n; i++)
        assert_int_equal(a->flows[0].instructions[i].count, b->flows[0].instructions[i].count);
    for (size_t i = 0; i < a->cfg.edges.n; i++)
        assert_int_equal(a->flows[0].edges[i].count, b->flows[0].edges[i].count);
    assert_int_equal(a->flows[0].entries.count, b->flows[0].entries.count);
}

static void raw_counts_are_those_of_each_function(void **state)
{
    (void)state;
    struct strolls strolls;
    struct scene scene;
    struct counted_module counted;
    wander(&strolls);
    const struct profile *side = &strolls.profile;
    scene_open(&scene, &side, 1, NULL);
    scene.inferred[0] = true;
    counted_module_open(&counted, &scene, libc_of(&scene), false);
    assert_true(counted.functions.n > 50);
    for (size_t i = counted.functions.n; i-- > 0;) { /* in any order */
        struct counted_function alone;
        const struct counted_function *function = counted_module_take(&counted, i);
        counted_function_build(&alone, &scene, function->seen);
        same_counts(function, &alone);
        counted_function_release(&alone);
        counted_module_drop(&counted, i);
    }
    counted_module_close(&counted);
    scene_close(&scene);
    strolls_end(&strolls);
}

/* Calls tie functions together: one that is shown alone must still be solved with all others. */
static void what_is_shown_does_not_change_inferred_counts(void **state)
{
    (void)state;
    struct strolls strolls;
    struct scene all, one;
    struct counted_module counted, alone;
    size_t changed = 0;
    wander(&strolls);
    const struct profile *side = &strolls.profile;
    scene_open(&all, &side, 1, NULL);
    all.inferred[0] = true;
    uint32_t module = libc_of(&all);
    counted_module_open(&counted, &all, module, true);
    for (size_t i = 0; i < counted.functions.n; i += 40) {
        const struct counted_function *function = counted_module_take(&counted, i);
        const char *name = scene_function_name(&all, module, function->seen.function);
        scene_open(&one, &side, 1, NULL);
        scene_only_function(&one, name);
        one.inferred[0] = true;
        counted_module_open(&alone, &one, module, true);
        for (size_t k = 0; k < alone.functions.n; k++)
            if (alone.functions.at[k].seen.function == function->seen.function)
                same_counts(function, counted_module_take(&alone, k));
        assert_true(alone.functions.n >= 1 && alone.functions.n < counted.functions.n);
        struct counted_function raw;
        counted_function_build(&raw, &all, function->seen);
        changed += raw.flows[0].entries.count != function->flows[0].entries.count;
        counted_function_release(&raw);
        counted_module_close(&alone);
        scene_close(&one);
    }
    assert_true(changed > 0); /* else nothing was inferred, and nothing shown */
    counted_module_close(&counted);
    scene_close(&all);
    strolls_end(&strolls);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(raw_counts_are_those_of_each_function),
        cmocka_unit_test(what_is_shown_does_not_change_inferred_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
