#include "analysis/report/plain.h"

#include "plain_profile.h"
#include "program/cfg/cfg_build.h"

#include <math.h>

static void near(double got, double expected)
{
    if (!(fabs(got - expected) < 1e-9))
        fail_msg("%.12g, expected %.12g", got, expected);
}

static int scenery_begin(void **state)
{
    struct scenery *s = *state = mem_alloc(sizeof *s);
    scenery_make(s);
    return 0;
}

static int scenery_done(void **state)
{
    scenery_end(*state);
    mem_free(*state);
    return 0;
}

static void rows_begin(struct plain_rows *rows, struct scenery *s, struct plain_filter filter,
                       enum item_by by)
{
    struct err err;
    assert_true(plain_open(&s->plain, &s->scene, 0, filter, &err));
    plain_list(rows, &s->plain, by);
}

static void rows_end(struct plain_rows *rows, struct scenery *s)
{
    plain_rows_release(rows);
    plain_close(&s->plain);
}

static void functions_have_self_and_total(void **state)
{
    struct scenery *s = *state;
    struct plain_rows rows;
    rows_begin(&rows, s, (struct plain_filter){0}, BY_FUNCTION);
    const struct plain_row *main_ = row_named(&s->plain, &rows, "main_");
    const struct plain_row *fib = row_named(&s->plain, &rows, "fib");
    const struct plain_row *spin = row_named(&s->plain, &rows, "spin");
    assert_int_equal(rows.n, 3); /* the kernel has none */
    assert_int_equal(main_->self.sum, 0);
    assert_int_equal(main_->total.sum, 900000);
    assert_int_equal(main_->beside.sum, 50000); /* kernel time below it, never in it */
    assert_int_equal(fib->self.sum, 700000);
    assert_int_equal(fib->total.sum, 700000); /* recursion counts once */
    assert_int_equal(spin->self.sum, 300000);
    assert_int_equal(spin->total.sum, 300000);
    assert_int_equal(s->plain.kept.sum, 1000000);
    assert_int_equal(s->plain.beside.sum, 50000);
    near(s->plain.sample_weight, 1000);
    near(plain_share(&s->plain, &fib->self).value, 0.7);
    near(plain_amount(&s->plain, &fib->self).value, 1.4);
    struct estimate share = plain_share(&s->plain, &fib->self);
    assert_true(share.lo > 0.66 && share.lo < 0.68 && share.hi > 0.72 && share.hi < 0.74);
    rows_end(&rows, s);
}

static void kernel_time_is_weighed_when_asked_for(void **state)
{
    struct scenery *s = *state;
    struct plain_rows rows;
    rows_begin(&rows, s, (struct plain_filter){.kernel = true}, BY_FUNCTION);
    assert_int_equal(row_named(&s->plain, &rows, "read_")->self.sum, 50000);
    assert_int_equal(row_named(&s->plain, &rows, "main_")->total.sum, 50000);
    assert_int_equal(row_named(&s->plain, &rows, "spin")->total.sum, 0);
    assert_int_equal(s->plain.beside.sum, 1000000);
    near(plain_amount(&s->plain, &row_named(&s->plain, &rows, "read_")->self).value, 0.1);
    rows_end(&rows, s);
}

static void threads_are_filtered(void **state)
{
    struct scenery *s = *state;
    struct plain_rows rows;
    struct err err;
    rows_begin(&rows, s, (struct plain_filter){.tid = 12}, BY_FUNCTION);
    const struct plain_row *spin = row_named(&s->plain, &rows, "spin");
    assert_int_equal(spin->self.sum, 100000);
    near(plain_share(&s->plain, &spin->self).value, 1);    /* of the thread */
    near(plain_amount(&s->plain, &spin->self).value, 0.2); /* of 2 s in all */
    assert_int_equal(row_named(&s->plain, &rows, "fib")->total.sum, 0);
    rows_end(&rows, s);
    assert_true(plain_open(&s->plain, &s->scene, 0, (struct plain_filter){.pid = 10}, &err));
    assert_int_equal(s->plain.kept.sum, 1000000);
    plain_close(&s->plain);
    assert_false(plain_open(&s->plain, &s->scene, 0, (struct plain_filter){.pid = 99}, &err));
    assert_non_null(strstr(err.text, "10/11, 10/12"));
    assert_int_equal(err.kind, ERR_MISSING);
}

static void calls_are_by_site_and_callee(void **state)
{
    struct scenery *s = *state;
    struct plain_rows rows;
    rows_begin(&rows, s, (struct plain_filter){0}, BY_CALL);
    uint64_t seen = 0;
    for (size_t i = 0; i < rows.n; i++) {
        const char *from = s->plain.functions.at[rows.at[i].function].name;
        const char *to = s->plain.functions.at[rows.at[i].callee].name;
        assert_int_equal(rows.at[i].self.sum, 0);
        if (!strcmp(from, "main_") && !strcmp(to, "fib"))
            assert_int_equal(rows.at[i].total.sum, 700000);
        else if (!strcmp(from, "fib") && !strcmp(to, "fib"))
            assert_int_equal(rows.at[i].total.sum, 600000);
        else if (!strcmp(from, "main_") && !strcmp(to, "spin"))
            assert_int_equal(rows.at[i].total.sum, 200000);
        else
            fail_msg("%s calls %s", from, to);
        seen++;
    }
    assert_int_equal(seen, 3);
    rows_end(&rows, s);
}

/* Code of libc: places must be instructions and blocks of its graphs, and every weight must be
 * found again whatever it is listed by. */
static void places_are_those_of_the_graph(void **state)
{
    (void)state;
    const char *libc = "/lib/x86_64-linux-gnu/libc.so.6";
    struct binary binary;
    struct profile profile;
    struct err err;
    assert_true(binary_open(&binary, libc, &err));
    plain_begin(&profile);
    uint32_t module =
        profile_module(&profile, libc, binary.image.build_id, binary.image.build_id_bytes);
    uint32_t thread = thread_add(&profile, 1, 1), calls = 0;
    struct map sites;
    map_init(&sites, sizeof(uint64_t));
    for (function_id f = 300; f < 400; f += 3) {
        struct cfg cfg;
        cfg_build(&cfg, &binary.image, &binary.symbols, f, NULL, 0);
        uint32_t caller = thread;
        for (size_t i = 0; i < cfg.instructions.n; i++) {
            const struct instruction *now = &cfg.instructions.at[i];
            if (now->kind == INSTRUCTION_CALL && caller == thread) {
                caller = stacks_node(&profile.stacks, thread, module, instruction_next(now).v - 1);
                map_add(&sites, &now->at.v);
                calls++;
            }
            if (i % 5 == 0)
                samples_add(&profile, stacks_node(&profile.stacks, caller, module, now->at.v), 1,
                            7);
        }
        cfg_release(&cfg);
    }
    assert_true(calls > 5);
    const struct profile *side = &profile;
    struct scene scene;
    struct plain plain;
    scene_open(&scene, &side, 1, NULL);
    assert_true(plain_open(&plain, &scene, 0, (struct plain_filter){0}, &err));
    static const enum item_by all[] = {BY_FUNCTION, BY_LINE, BY_BLOCK, BY_INSTRUCTION};
    for (size_t b = 0; b < sizeof all / sizeof *all; b++) {
        struct plain_rows rows;
        uint64_t sum = 0;
        plain_list(&rows, &plain, all[b]);
        for (size_t i = 0; i < rows.n; i++) {
            sum += rows.at[i].self.sum;
            assert_true(rows.at[i].self.sum <= rows.at[i].total.sum);
            if (all[b] == BY_BLOCK)
                assert_true(rows.at[i].bytes > 0);
        }
        assert_int_equal(sum, profile.totals.interrupts * 7);
        plain_rows_release(&rows);
    }
    struct plain_rows rows;
    plain_list(&rows, &plain, BY_CALL);
    assert_int_equal(rows.n > 0, 1);
    for (size_t i = 0; i < rows.n; i++)
        assert_true(map_find(&sites, &rows.at[i].at) != MAP_NONE);
    plain_rows_release(&rows);
    plain_close(&plain);
    scene_close(&scene);
    map_release(&sites);
    profile_release(&profile);
    binary_close(&binary);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(functions_have_self_and_total, scenery_begin, scenery_done),
        cmocka_unit_test_setup_teardown(kernel_time_is_weighed_when_asked_for, scenery_begin,
                                        scenery_done),
        cmocka_unit_test_setup_teardown(threads_are_filtered, scenery_begin, scenery_done),
        cmocka_unit_test_setup_teardown(calls_are_by_site_and_callee, scenery_begin, scenery_done),
        cmocka_unit_test(places_are_those_of_the_graph),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
