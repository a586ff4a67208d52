#include "base/err.h"
#include "analysis/counts/items.h"
#include "analysis/verify/verify.h"

#include "../text/json_check.h"
#include "../analysis/strolls.h"
#include "program/cfg/cfg_build.h"
#include "view/views.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#define LIBC "/lib/x86_64-linux-gnu/libc.so.6"

/* Strolls do not run what they call, so only functions that call nothing are in balance. */
static bool is_leaf(const struct strolls *strolls, function_id function)
{
    struct cfg cfg;
    cfg_build(&cfg, &strolls->binary.image, &strolls->binary.symbols, function, NULL, 0);
    bool leaf = !cfg.exits.n && cfg.instructions.n > 3 && !cfg.undecoded && cfg.edges.n;
    cfg_release(&cfg);
    return leaf;
}

/* Leaves that every walk gets out of, each walked three times. */
static void wander(struct strolls *strolls)
{
    strolls_begin(strolls, LIBC, 31337);
    int walked = 0;
    for (function_id f = 0; f < strolls->binary.symbols.functions.n && walked < 60; f++)
        if (is_leaf(strolls, f)) {
            walked++;
            for (int i = 0; i < 3; i++)
                assert_true(strolls_wander(strolls, f, 1000000));
        }
    assert_int_equal(walked, 60);
}

static void verify(struct verification *verdict, const struct profile *profile)
{
    struct scene scene;
    scene_open(&scene, &profile, 1, NULL);
    verify_profile(verdict, &scene);
    scene_close(&scene);
}

static void walks_are_good(void **state)
{
    (void)state;
    struct strolls strolls;
    wander(&strolls);
    struct verification verdict;
    verify(&verdict, &strolls.profile);
    for (size_t i = 0; i < verdict.n; i++)
        fail_msg("%s: %s", verify_check_text(verdict.at[i].check), verdict.at[i].text);
    assert_true(verification_good(&verdict));
    assert_true(verdict.edges > 200 && verdict.ranges > 200 && verdict.places > 200);
    assert_int_equal(verdict.skipped, 60); /* calls from the module that is nowhere */
    verification_release(&verdict);
    strolls_end(&strolls);
}

/* ---- every kind of damage is found, and called what it is */

static uint32_t find_edge(const struct profile *profile, enum edge_kind kind)
{
    for (uint32_t i = 0; i < profile->edges.n; i++) {
        const struct edge_key *key = map_key(&profile->edges.keys, i);
        if (key->kind == kind && key->from_module == key->to_module)
            return i;
    }
    return MAP_NONE;
}

/* Adds to an edge or range whose key is like the first of its table, changed by the caller. */
static struct edge_key edge_like(const struct profile *profile, enum edge_kind kind)
{
    uint32_t i = find_edge(profile, kind);
    assert_int_not_equal(i, MAP_NONE);
    return *(const struct edge_key *)map_key(&profile->edges.keys, i);
}

static void expect_found(const struct profile *profile, enum verify_check check, const char *what)
{
    struct verification verdict;
    verify(&verdict, profile);
    if (!verdict.found[check])
        fail_msg("%s was not found", what);
    assert_false(verification_good(&verdict));
    verification_release(&verdict);
}

static void bad_edge(enum edge_kind kind, int64_t from, int64_t to, enum edge_kind as)
{
    struct strolls strolls;
    wander(&strolls);
    struct edge_key key = edge_like(&strolls.profile, kind);
    key.from.v += (uint64_t)from;
    key.to.v += (uint64_t)to;
    key.kind = as;
    table_at(&strolls.profile.edges, &key)->count++;
    expect_found(&strolls.profile, CHECK_edge, edge_kind_name(as));
    strolls_end(&strolls);
}

static void impossible_edges_are_found(void **state)
{
    (void)state;
    bad_edge(EDGE_TAKEN, 0, 1, EDGE_TAKEN);
    bad_edge(EDGE_FALL, 0, 1, EDGE_FALL);
    bad_edge(EDGE_FALL, 0, 0, EDGE_SPLIT);
    bad_edge(EDGE_SPLIT, 0, 1, EDGE_SPLIT);
    bad_edge(EDGE_SPLIT, 0, 0, EDGE_FALL);
    bad_edge(EDGE_TAKEN, 0, 0, EDGE_CALL);
    bad_edge(EDGE_TAKEN, 0, 0, EDGE_IJUMP);
    bad_edge(EDGE_TAKEN, 0, 0, EDGE_ICALL);
    bad_edge(EDGE_TAKEN, 0, 0, EDGE_SYSCALL);
    bad_edge(EDGE_TAKEN, 0, 0, EDGE_JUMP);
}

static void targets_outside_of_code_are_found(void **state)
{
    (void)state;
    struct strolls strolls;
    wander(&strolls);
    struct edge_key key = {MODULE_NONE, strolls.module, {0}, {0x40}, EDGE_RETURN};
    table_at(&strolls.profile.edges, &key)->count++;
    expect_found(&strolls.profile, CHECK_target, "a return into the ELF header");
    strolls_end(&strolls);
}

static void bad_range(uint32_t instructions, int64_t last)
{
    struct strolls strolls;
    wander(&strolls);
    struct range_key key = {0};
    for (uint32_t i = 0; i < strolls.profile.ranges.n && key.instructions < 3; i++)
        key = *(const struct range_key *)map_key(&strolls.profile.ranges.keys, i);
    assert_true(key.instructions >= 3);
    key.instructions += instructions;
    key.last.v += (uint64_t)last;
    table_at(&strolls.profile.ranges, &key)->count++;
    expect_found(&strolls.profile, CHECK_range, "a range");
    expect_found(&strolls.profile, CHECK_sums, "its instructions, which the totals do not have");
    strolls_end(&strolls);
}

static void impossible_ranges_are_found(void **state)
{
    (void)state;
    bad_range(1, 0);
    bad_range(0, 1);
    bad_range((uint32_t)-1, 0);
    bad_range(200, 1000); /* runs on through branches */
}

static void unbalanced_flow_is_found(void **state)
{
    (void)state;
    struct strolls strolls;
    wander(&strolls);
    struct edge_key key = edge_like(&strolls.profile, EDGE_TAKEN);
    table_at(&strolls.profile.edges, &key)->count++;
    expect_found(&strolls.profile, CHECK_arrivals, "one arrival too many");
    expect_found(&strolls.profile, CHECK_departures, "one departure too many");
    table_at(&strolls.profile.edges, &key)->count -= 2;
    expect_found(&strolls.profile, CHECK_arrivals, "one arrival too few");
    expect_found(&strolls.profile, CHECK_departures, "one departure too few");
    /* Counters of a recording that was killed were read one after the other, while they ran. */
    struct verification verdict;
    strolls.profile.complete = false;
    verify(&verdict, &strolls.profile);
    assert_true(verification_good(&verdict));
    verification_release(&verdict);
    strolls_end(&strolls);
}

static void a_course_that_goes_astray_is_found(void **state)
{
    (void)state;
    struct profile profile;
    profile_init(&profile);
    profile.mode = PROFILE_EXACT;
    profile.totals.losses[LOSS_astray] = 3;
    expect_found(&profile, CHECK_course, "a trace that is wrong");
    profile_release(&profile);
}

static void impossible_sums_are_found(void **state)
{
    (void)state;
    struct profile profile;
    profile_init(&profile);
    profile.mode = PROFILE_SAMPLED;
    uint32_t module = profile_module(&profile, "[jit]", NULL, 0);
    uint64_t window = 1u << 24;
    profile.totals.batches = 1;
    profile.totals.time = window;
    profile.totals.time_xx = (u128)window * window;
    profile.totals.count = window;
    profile.totals.count_xx = (u128)window * window;
    struct range_key key = {module, 4, {0x1000}, {0x1008}};
    struct sums fair = {window / 4, window / 4, 0, 0, 0, 0};
    fair.time_yy = fair.count_yy = (u128)fair.time * fair.time;
    fair.time_xy = fair.count_xy = (u128)fair.time * window;
    *table_at(&profile.ranges, &key) = fair;
    struct verification verdict;
    verify(&verdict, &profile);
    assert_true(verification_good(&verdict));
    verification_release(&verdict);

    table_at(&profile.ranges, &key)->count = window + 1;
    expect_found(&profile, CHECK_sums, "more than all");
    *table_at(&profile.ranges, &key) = fair;
    table_at(&profile.ranges, &key)->time_yy = fair.time_xy + 1;
    expect_found(&profile, CHECK_sums, "squares that cannot be");
    *table_at(&profile.ranges, &key) = fair;
    table_at(&profile.ranges, &key)->time = window / 5;
    expect_found(&profile, CHECK_sums, "windows that are not whole");
    profile_release(&profile);
}

static void output_says_which(void **state)
{
    (void)state;
    struct strolls strolls;
    wander(&strolls);
    struct edge_key key = edge_like(&strolls.profile, EDGE_TAKEN);
    key.to.v++;
    table_at(&strolls.profile.edges, &key)->count++;
    const struct profile *side = &strolls.profile;
    struct scene scene;
    scene_open(&scene, &side, 1, NULL);
    struct verification verdict;
    verify_profile(&verdict, &scene);
    char *text, where[64];
    size_t bytes;
    snprintf(where, sizeof where, "libc.so.6+0x%lx", key.from.v);
    FILE *to = open_memstream(&text, &bytes);
    verify_text(to, &scene, &verdict);
    fclose(to);
    assert_non_null(strstr(text, where));
    assert_non_null(strstr(text, "BAD\n"));
    free(text);
    to = open_memstream(&text, &bytes);
    verify_json(to, &scene, &verdict);
    fclose(to);
    assert_true(json_is_valid(text));
    assert_non_null(strstr(text, where));
    free(text);
    verification_release(&verdict);
    scene_close(&scene);
    strolls_end(&strolls);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(walks_are_good),
        cmocka_unit_test(impossible_edges_are_found),
        cmocka_unit_test(targets_outside_of_code_are_found),
        cmocka_unit_test(impossible_ranges_are_found),
        cmocka_unit_test(unbalanced_flow_is_found),
        cmocka_unit_test(a_course_that_goes_astray_is_found),
        cmocka_unit_test(impossible_sums_are_found),
        cmocka_unit_test(output_says_which),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
