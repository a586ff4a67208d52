#include "base/err.h"
#include "text/ink.h"
#include "analysis/report/report.h"

#include "../text/json_check.h"
#include "../analysis/strolls.h"
#include "view/views.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#define LIBC "/lib/x86_64-linux-gnu/libc.so.6"

static void wander(struct strolls *strolls)
{
    strolls_begin(strolls, LIBC, 2024);
    for (function_id f = 500; f < 900; f += 5)
        strolls_wander(strolls, f, 400);
}

/* A sampled profile with the same keys: one batch in two has them, at rate 1. */
static void make_sampled(struct profile *profile)
{
    uint64_t unit = profile->totals.instructions;
    struct table *tables[] = {&profile->edges, &profile->ranges};
    profile->mode = PROFILE_SAMPLED;
    profile->totals.batches = 20;
    profile->totals.windows = 20;
    profile->totals.time = unit * 20;
    profile->totals.time_xx = (u128)unit * unit * 20;
    profile->totals.count = profile->totals.time << RATE_BITS;
    profile->totals.count_xx = profile->totals.time_xx << 2 * RATE_BITS;
    profile->totals.user_ns = 1000000000;
    profile->totals.user_ticks = 3000000000;
    profile->totals.samples = 1000;
    profile->totals.sampled_ns = 4000000000;
    const struct range_key *hot = map_key(&profile->ranges.keys, 0);
    uint32_t root = stacks_node(&profile->stacks, STACK_NONE, MODULE_NONE, stack_thread(1, 1));
    uint32_t node = stacks_node(&profile->stacks, root, hot->module, hot->start.v);
    for (uint32_t g = 0; g < STACK_GROUPS; g++)
        stacks_add(&profile->stacks, node, g, 1000000000 / STACK_GROUPS);
    for (int t = 0; t < 2; t++)
        for (uint32_t i = 0; i < tables[t]->n; i++) {
            struct sums *sums = &tables[t]->at[i];
            uint64_t y = 2 * sums->count;
            sums->time = 10 * y;
            sums->count = sums->time << RATE_BITS;
            sums->time_yy = (u128)y * y * 10;
            sums->time_xy = (u128)y * unit * 10;
            sums->count_yy = sums->time_yy << 2 * RATE_BITS;
            sums->count_xy = sums->time_xy << 2 * RATE_BITS;
        }
}

static char *text_of(const struct report *report, size_t limit, bool json)
{
    static char *text; /* static, or gcc 12 takes the result for a pointer to it */
    static size_t bytes;
    FILE *to = open_memstream(&text, &bytes);
    if (json)
        report_json(to, report, limit);
    else
        report_text(to, report, &(struct ink){0}, limit);
    fclose(to);
    return text;
}

static void make(struct report *report, struct scene *scene, enum item_by by, enum weight weight)
{
    struct err err;
    struct report_options options = {.by = by, .weight = weight, .has_weight = true};
    if (!report_make(report, scene, options, &err))
        fail_msg("%s", err.text);
}

static int count_of(const char *text, const char *what)
{
    int n = 0;
    while ((text = strstr(text, what))) {
        n++;
        text += strlen(what);
    }
    return n;
}

/* Objects in the rows; advice follows them. */
static size_t rows_of(const char *text)
{
    static char rows[1 << 20];
    const char *start = strstr(text, "\"rows\""),
               *end = start ? strstr(start, "\"verdict\"") : NULL;
    assert_non_null(start);
    size_t n = end ? (size_t)(end - start) : strlen(start);
    assert_true(n < sizeof rows);
    memcpy(rows, start, n);
    rows[n] = 0;
    return (size_t)count_of(rows, "\n{");
}

/* The number behind the first "key": of a text. */
static double number_of(const char *text, const char *key)
{
    char wanted[64];
    snprintf(wanted, sizeof wanted, "\"%s\": ", key);
    const char *at = strstr(text, wanted);
    assert_non_null(at);
    return strtod(at + strlen(wanted), NULL);
}

static void check_json(struct scene *scene, enum item_by by, enum weight weight, const char *fields)
{
    struct report report;
    make(&report, scene, by, weight);
    assert_true(report.n > 10);
    char *text = text_of(&report, SIZE_MAX, true), *ten = text_of(&report, 10, true);
    assert_true(json_is_valid(text) && json_is_valid(ten));
    assert_int_equal(rows_of(text), report.n);
    assert_int_equal(rows_of(ten), 10);
    assert_non_null(strstr(text, "{\"schema\": \"gait/report/1\",\n"));
    char list[256];
    snprintf(list, sizeof list, "%s", fields);
    for (char *field = strtok(list, " "); field; field = strtok(NULL, " ")) {
        char wanted[64];
        snprintf(wanted, sizeof wanted, "\"%s\": ", field);
        assert_int_equal(count_of(strstr(text, "\"rows\""), wanted), report.n);
    }
    free(text);
    free(ten);
    report_release(&report);
}

static void every_report_has_its_fields(void **state)
{
    (void)state;
    static const struct {
        enum item_by by;
        const char *fields;
    } cases[] = {
        {BY_FUNCTION, "name linkage address count lo hi instructions time time_lo time_hi"},
        {BY_LINE, "file line count lo hi instructions time time_lo time_hi"},
        {BY_BLOCK, "address size count lo hi"},
        {BY_EDGE, "from to kind count lo hi"},
        {BY_INSTRUCTION, "address count lo hi time time_lo time_hi cpi"},
        {BY_CALL, "from to count lo hi"},
    };
    for (int sampled = 0; sampled < 2; sampled++) {
        struct strolls strolls;
        wander(&strolls);
        if (sampled)
            make_sampled(&strolls.profile);
        const struct profile *side = &strolls.profile;
        struct scene scene;
        scene_open(&scene, &side, 1, NULL);
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
            if (cases[i].by != BY_LINE ||
                binary_lines(scene.modules.at[strolls.module].binary)->stretches.n)
                check_json(&scene, cases[i].by, WEIGHT_COUNT, cases[i].fields);
        scene_close(&scene);
        strolls_end(&strolls);
    }
}

static void rows_stand_by_weight_then_key(void **state)
{
    (void)state;
    struct strolls strolls;
    wander(&strolls);
    const struct profile *side = &strolls.profile;
    struct scene scene;
    scene_open(&scene, &side, 1, NULL);
    struct report report;
    make(&report, &scene, BY_INSTRUCTION, WEIGHT_COUNT);
    uint64_t sum = 0;
    for (size_t i = 0; i < report.n; i++) {
        sum += report.at[i].count.count;
        if (!i)
            continue;
        const struct report_row *row = &report.at[i], *before = row - 1;
        assert_true(before->count.count > row->count.count ||
                    (before->count.count == row->count.count && before->at < row->at));
    }
    assert_int_equal(sum, strolls.profile.totals.instructions);
    report_release(&report);
    scene_close(&scene);
    strolls_end(&strolls);
}

static void near(double got, double expected)
{
    if (!(got > 0.999999 * expected && got < 1.000001 * expected))
        fail_msg("%.12g, expected %.12g", got, expected);
}

static void figures_are_in_their_units(void **state)
{
    (void)state;
    struct strolls strolls;
    wander(&strolls);
    uint64_t instructions = strolls.profile.totals.instructions;
    make_sampled(&strolls.profile);
    const struct profile *side = &strolls.profile;
    struct scene scene;
    scene_open(&scene, &side, 1, NULL);
    struct report report;
    make(&report, &scene, BY_FUNCTION, WEIGHT_TIME);
    char *text = text_of(&report, 1, true);
    const char *rows = strstr(text, "\"rows\"");
    const struct report_row *first = &report.at[0];
    double share = (double)first->body.count / (20 << RATE_BITS) / (double)instructions;
    assert_true(share > 0 && share <= 1);
    near(number_of(rows, "time"), 0.25);                /* of one second */
    near(number_of(rows, "instructions"), share * 3e9); /* 3e9 ticks at one instruction a tick */
    assert_true(number_of(rows, "time_lo") < number_of(rows, "time"));
    assert_true(number_of(rows, "time_hi") > number_of(rows, "time"));
    free(text);
    report_release(&report);
    scene_close(&scene);
    strolls_end(&strolls);
}

static void text_says_what_it_leaves_out(void **state)
{
    (void)state;
    struct strolls strolls;
    wander(&strolls);
    strolls.profile.totals.losses[LOSS_exact_left] = 3;
    strolls.profile.command = arena_string(&strolls.profile.arena, "evil\x1b[2Jname");
    const struct profile *side = &strolls.profile;
    struct scene scene;
    scene_open(&scene, &side, 1, NULL);
    for (enum item_by by = BY_FUNCTION; by <= BY_CALL; by++) {
        struct report report;
        make(&report, &scene, by, WEIGHT_COUNT);
        char *text = text_of(&report, 5, false), more[64];
        snprintf(more, sizeof more, "... and %zu more", report.n - 5);
        assert_true(report.n <= 5 || strstr(text, more));
        assert_non_null(strstr(text, loss_text(LOSS_exact_left)));
        assert_null(strchr(text, 0x1b));
        assert_non_null(strstr(text, "exact"));
        free(text);
        report_release(&report);
    }
    scene_close(&scene);
    strolls_end(&strolls);
}

/* A quarter of the time in code that windows hardly met. */
static void few_windows_say_nothing_of_waiting(void **state)
{
    (void)state;
    for (uint64_t windows = 7; windows <= 2000; windows += 1993) {
        struct strolls strolls;
        wander(&strolls);
        make_sampled(&strolls.profile);
        strolls.profile.totals.windows = windows;
        const struct profile *side = &strolls.profile;
        struct scene scene;
        scene_open(&scene, &side, 1, NULL);
        struct report report;
        make(&report, &scene, BY_FUNCTION, WEIGHT_TIME);
        char *text = text_of(&report, 10, false);
        assert_int_equal(count_of(text, "waits for something"), windows == 2000);
        free(text);
        report_release(&report);
        scene_close(&scene);
        strolls_end(&strolls);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_report_has_its_fields),
        cmocka_unit_test(rows_stand_by_weight_then_key),
        cmocka_unit_test(figures_are_in_their_units),
        cmocka_unit_test(text_says_what_it_leaves_out),
        cmocka_unit_test(few_windows_say_nothing_of_waiting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
