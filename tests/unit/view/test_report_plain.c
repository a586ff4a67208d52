#include "text/ink.h"
#include "analysis/report/ranking.h"
#include "analysis/report/report.h"

#include "../text/json_check.h"
#include "../analysis/plain_profile.h"
#include "view/views.h"

static char *written(const struct report *report, bool json, bool color)
{
    static char *text; /* static, or gcc 12 takes the result for a pointer to it */
    static size_t bytes;
    struct ink ink = {.on = color};
    FILE *to = open_memstream(&text, &bytes);
    if (json)
        report_json(to, report, SIZE_MAX);
    else
        report_text(to, report, &ink, 20);
    fclose(to);
    return text;
}

static char *shown(struct scene *scene, struct report_options options, bool json)
{
    struct report report;
    struct err err;
    if (!report_make(&report, scene, options, &err))
        fail_msg("%s", err.text);
    char *text = written(&report, json, false);
    report_release(&report);
    return text;
}

static void same(char *got, const char *wanted)
{
    if (strcmp(got, wanted) != 0) {
        fprintf(stderr, "expected:\n%s\ngot:\n%s", wanted, got);
        fail();
    }
    free(got);
}

#define HEAD                                                                                       \
    "by hand: plain, 1050 samples of cpu-clock; ± is a 95 % interval\n"                           \
    "user time 2.000 s, kernel 0.100 s, off the CPU 0.500 s in 2 threads\n"

static void scenery_tell(struct scenery *s)
{
    scenery_make(s);
    s->profile.totals.off_ns = 500000000;
    s->profile.totals.losses[LOSS_dropped] = 7;
    profile_fact(&s->profile, "event", "cpu-clock");
}

static void text_is_as_ever(void **state)
{
    (void)state;
    struct scenery s = {0};
    scenery_tell(&s);
    same(shown(&s.scene, (struct report_options){.by = BY_FUNCTION}, false),
         HEAD "\n"
              "what to look at first\n"
              "- fib is the hottest function: 70 % (67 to 73) of user time\n"
              "\n"
              "by function, weighed by user time\n"
              "\n"
              "        self  seconds         total   kernel  function  module\n"
              "70.00% ±2.91  1.400 s  70.00% ±2.91  0.100 s  fib       [jit]\n"
              "30.00% ±2.91  0.600 s  30.00% ±2.91  0.000 s  spin      [jit]\n"
              " 0.00% +0.38  0.000 s  90.00% ±2.02  0.100 s  main_     [jit]\n"
              "\n"
              "(-v lists 1 kind of loss with nothing to be done about)\n");
    same(shown(&s.scene, (struct report_options){.by = BY_CALL, .tid = 11, .input = "x"}, false),
         HEAD "by call, weighed by user time\n"
              "\n"
              "        time  seconds  caller  callee  from          to\n"
              "77.78% ±2.83  1.400 s  main_   fib     [jit]+0x1011  -> [jit]+0x2000\n"
              "66.67% ±3.14  1.200 s  fib     fib     [jit]+0x2011  -> [jit]+0x2000\n"
              "22.22% ±2.83  0.400 s  main_   spin    [jit]+0x1011  -> [jit]+0x3000\n"
              "\n"
              "(-v lists 1 kind of loss with nothing to be done about)\n");
    scenery_end(&s);
}

static void json_has_what_there_is_and_null_for_the_rest(void **state)
{
    (void)state;
    struct scenery s = {0};
    scenery_tell(&s);
    for (enum item_by by = BY_FUNCTION; by <= BY_INLINE; by++) {
        if (by == BY_EDGE)
            continue;
        char *text = shown(&s.scene, (struct report_options){.by = by}, true);
        assert_true(json_is_valid(text));
        assert_non_null(strstr(text, "\"mode\": \"plain\""));
        assert_non_null(strstr(text, "\"weight\": \"time\""));
        assert_non_null(strstr(text, "\"count\": null, \"lo\": null, \"hi\": null"));
        assert_non_null(strstr(text, "\"losses\": {\"dropped\": 7}"));
        free(text);
    }
    char *text = shown(&s.scene, (struct report_options){.by = BY_FUNCTION}, true);
    assert_non_null(strstr(text, "{\"name\": \"fib\", \"linkage\": \"fib\", \"address\": "
                                 "\"[jit]+0x2000\", \"count\": null"));
    assert_non_null(strstr(text, "\"time\": 1.4, \"time_lo\": 1.3"));
    assert_non_null(strstr(text, "\"total\": 1.8, \"total_lo\": 1.7"));
    free(text);
    s.profile.totals.interrupts = 0; /* nothing tells how many samples there were */
    text = shown(&s.scene, (struct report_options){.by = BY_FUNCTION}, true);
    assert_non_null(strstr(text, "\"time\": 1.4, \"time_lo\": null, \"time_hi\": null"));
    free(text);
    text = shown(&s.scene, (struct report_options){.by = BY_FUNCTION}, false);
    assert_non_null(strstr(text, "70.00% ±?"));
    assert_null(strstr(text, "hottest")); /* without an interval nothing is claimed */
    free(text);
    scenery_end(&s);
}

/* Of what is not whole nothing tells what it went through: totals may be higher by as much. */
static void cut_stacks_widen_totals(void **state)
{
    (void)state;
    struct scenery s = {0};
    scenery_tell(&s);
    s.profile.totals.losses[LOSS_stack_truncated] = 105; /* a tenth of all samples */
    char *text = shown(&s.scene, (struct report_options){.by = BY_FUNCTION}, false);
    assert_non_null(strstr(text, "70.00% ±2.91  1.400 s  70.00% ±13.26  "));
    free(text);
    s.profile.totals.interrupts = 0;
    text = shown(&s.scene, (struct report_options){.by = BY_FUNCTION}, true);
    assert_non_null(strstr(text, "\"total\": 1.8, \"total_lo\": null, \"total_hi\": null"));
    free(text);
    scenery_end(&s);
}

static void events_are_not_seconds(void **state)
{
    (void)state;
    struct scenery s = {0};
    scenery_make(&s);
    profile_fact(&s.profile, "event", "page-faults");
    char *text = shown(&s.scene, (struct report_options){.by = BY_FUNCTION}, true);
    assert_non_null(strstr(text, "\"weight\": \"count\""));
    assert_non_null(strstr(text, "\"event\": \"page-faults\""));
    assert_non_null(strstr(text, "\"time\": null, \"time_lo\": null, \"time_hi\": null, "
                                 "\"events\": 700000, "));
    free(text);
    text = shown(&s.scene, (struct report_options){.by = BY_FUNCTION}, false);
    assert_non_null(strstr(text, "weighed by page-faults\n"));
    assert_non_null(strstr(text, "700k"));
    free(text);
    scenery_end(&s);
}

static void refuse(struct scene *scene, struct report_options options, enum err_kind kind,
                   const char *why)
{
    struct report report;
    struct err err;
    assert_false(report_make(&report, scene, options, &err));
    assert_int_equal(err.kind, kind);
    if (!strstr(err.text, why))
        fail_msg("%s", err.text);
}

static void what_it_cannot_say_is_refused(void **state)
{
    (void)state;
    struct scenery s = {0};
    scenery_make(&s);
    refuse(&s.scene, (struct report_options){.by = BY_EDGE}, ERR_FORMAT, "no edges");
    refuse(&s.scene, (struct report_options){.has_weight = true, .weight = WEIGHT_COUNT},
           ERR_FORMAT, "no counts");
    refuse(&s.scene, (struct report_options){.pid = 3}, ERR_MISSING, "10/11, 10/12");
    scene_only_function(&s.scene, "nothing");
    refuse(&s.scene, (struct report_options){0}, ERR_MISSING, "nothing");
    scenery_end(&s);
    scenery_make(&s);
    scene_only_function(&s.scene, "sp?n");
    char *text = shown(&s.scene, (struct report_options){.by = BY_FUNCTION}, true);
    assert_non_null(strstr(text, "spin"));
    assert_null(strstr(text, "fib"));
    free(text);
    scenery_end(&s);
}

static void kernel_time_has_a_view_of_its_own(void **state)
{
    (void)state;
    struct scenery s = {0};
    scenery_make(&s);
    scene_close(&s.scene);
    const struct profile *side = &s.profile;
    scene_open(&s.scene, &side, 1, "[kernel]");
    char *text = shown(&s.scene, (struct report_options){.by = BY_FUNCTION}, false);
    assert_non_null(strstr(text, "weighed by kernel time\n"));
    assert_non_null(strstr(text, "0.100 s  100.00%"));
    assert_non_null(strstr(text, "read_ "));
    assert_null(strstr(text, "fib"));
    free(text);
    scenery_end(&s);
}

/* Of imported samples, nobody but the samples themselves says how much was in the kernel. */
static void kernel_time_of_an_import_has_an_interval(void **state)
{
    (void)state;
    for (int imported = 0; imported < 2; imported++) {
        struct scenery s = {0};
        struct report report;
        struct err err;
        scenery_make(&s);
        if (imported)
            profile_fact(&s.profile, "imported", "perf.data");
        double wide = 0, n = (double)s.profile.totals.interrupts;
        assert_true(report_make(&report, &s.scene,
                                (struct report_options){.by = BY_FUNCTION, .both = true}, &err));
        for (size_t i = 0; i < report.n; i++) {
            struct estimate share = report_share(&report, &report.at[i]);
            if (report.at[i].kernel && share.value > 0)
                wide = share.hi / share.value - 1;
        }
        double chance = binomial_share(0.1 / 2.1 * n, n).hi / (0.1 / 2.1) - 1;
        assert_true(imported ? wide >= 0.99 * chance : wide < chance);
        report_release(&report);
        scenery_end(&s);
    }
}

/* Which of two leads is said only if chance would not turn them round. */
static void advice_claims_no_more_than_is_known(void **state)
{
    (void)state;
    for (int lead = 0; lead < 2; lead++) {
        struct profile profile;
        plain_begin(&profile);
        uint32_t module = profile_module_jit(&profile, 10), thread = thread_add(&profile, 10, 10);
        code_name(&profile, module, 0x1000, "first");
        code_name(&profile, module, 0x2000, "second");
        uint32_t first = stacks_node(&profile.stacks, thread, module, 0x1004);
        uint32_t second = stacks_node(&profile.stacks, thread, module, 0x2004);
        samples_add(&profile, first, lead ? 900 : 510, 1000);
        samples_add(&profile, second, 490, 1000);
        const struct profile *side = &profile;
        struct scene scene;
        scene_open(&scene, &side, 1, NULL);
        char *text = shown(&scene, (struct report_options){.by = BY_FUNCTION}, false);
        assert_non_null(strstr(text, lead ? "first is the hottest function: 65 %"
                                          : "first is among the hottest functions: 51 %"));
        assert_null(strstr(text, "kernel's"));
        assert_null(strstr(text, "few"));
        free(text);
        scene_close(&scene);
        profile_release(&profile);
    }
}

/* Names come from files and from other programs. */
static void names_cannot_steer_a_terminal(void **state)
{
    (void)state;
    struct profile profile;
    plain_begin(&profile);
    uint32_t module = profile_module_jit(&profile, 10), thread = thread_add(&profile, 10, 10);
    uint32_t evil = profile_module(&profile, "/tmp/ev\x1b[2Jil.so", NULL, 0);
    code_name(&profile, module, 0x1000, "na\x1b[2Jme\n");
    samples_add(&profile, stacks_node(&profile.stacks, thread, module, 0x1004), 500, 1000);
    samples_add(&profile, stacks_node(&profile.stacks, thread, evil, 0x1004), 500, 1000);
    const struct profile *side = &profile;
    struct scene scene;
    scene_open(&scene, &side, 1, NULL);
    for (enum item_by by = BY_FUNCTION; by <= BY_INLINE; by++) {
        if (by == BY_EDGE)
            continue;
        char *text = shown(&scene, (struct report_options){.by = by}, false);
        assert_null(strchr(text, 0x1b));
        free(text);
    }
    scene_close(&scene);
    profile_release(&profile);
}

static void colours_change_nothing_else(void **state)
{
    (void)state;
    struct scenery s = {0};
    scenery_make(&s);
    struct report report;
    struct err err;
    assert_true(report_make(&report, &s.scene, (struct report_options){0}, &err));
    char *plain = written(&report, false, false), *color = written(&report, false, true);
    size_t to = 0;
    assert_non_null(strchr(color, 0x1b));
    for (size_t i = 0; color[i]; i++) {
        if (color[i] == 0x1b)
            i += strcspn(color + i, "m");
        else
            color[to++] = color[i];
    }
    color[to] = 0;
    assert_string_equal(color, plain);
    free(plain);
    free(color);
    report_release(&report);
    scenery_end(&s);
}

static char *ranked(struct scene *scene, struct rank_filter filter)
{
    static char *text;
    static size_t bytes;
    struct ink ink = {0};
    struct ranking ranking;
    struct rank_keys keys;
    struct err err;
    assert_true(rank_keys_parse("thread", &keys));
    if (!ranking_make(&ranking, scene, keys, filter, &err))
        fail_msg("%s", err.text);
    FILE *to = open_memstream(&text, &bytes);
    ranking_text(to, &ranking, &ink, 20);
    fclose(to);
    ranking_release(&ranking);
    return text;
}

/* Rows whose user and kernel times add up to something else than those of the head say why. */
static void threads_and_head_differ(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) { /* they differ, they do not, one thread alone */
        struct scenery s = {0};
        scenery_make(&s);
        const uint64_t kernel_ns = i == 1 ? 70000000 : 270000000;
        struct thread_times *first = threads_find(&s.profile.threads, 10, 11, "thread");
        first->kernel_ns = kernel_ns;
        first->user_ns = 1770000000 - kernel_ns;
        struct thread_times *second = threads_find(&s.profile.threads, 10, 12, "thread");
        second->user_ns = 300000000;
        second->kernel_ns = 30000000;
        char *text = ranked(&s.scene, (struct rank_filter){.tid = i == 2 ? 11 : 0});
        assert_non_null(strstr(text, "user time 2.000 s, kernel 0.100 s"));
        bool says = strstr(text, "together user 1.800 s, kernel 0.300 s") != NULL;
        assert_int_equal(says, i == 0);
        assert_int_equal(strstr(text, "estimated") != NULL, i == 0);
        free(text);
        scenery_end(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_as_ever),
        cmocka_unit_test(json_has_what_there_is_and_null_for_the_rest),
        cmocka_unit_test(cut_stacks_widen_totals),
        cmocka_unit_test(events_are_not_seconds),
        cmocka_unit_test(what_it_cannot_say_is_refused),
        cmocka_unit_test(kernel_time_has_a_view_of_its_own),
        cmocka_unit_test(kernel_time_of_an_import_has_an_interval),
        cmocka_unit_test(advice_claims_no_more_than_is_known),
        cmocka_unit_test(names_cannot_steer_a_terminal),
        cmocka_unit_test(colours_change_nothing_else),
        cmocka_unit_test(threads_and_head_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
