#include "view/advice.h"

#include "analysis/counts/labels.h"
#include "base/map.h"
#include "text/json.h"
#include "view/advice_say.h"
#include "view/missing_text.h"

#include <math.h>
#include <string.h>

/* ---- what stands out */

static bool has_annotation(const struct report *report, const struct report_row *row)
{
    return row->module < report->scene->modules.n &&
           report->scene->modules.at[row->module].binary && row->function != FUNCTION_NONE;
}

/* The next row that can be named, from i on. */
static const struct report_row *row_known(const struct report *report, size_t *i)
{
    while (*i < report->n && (report->by == BY_LINE ? !report->at[*i].file
                                                    : report_row_unnamed(report, &report->at[*i])))
        ++*i;
    return *i < report->n ? &report->at[*i] : NULL;
}

/* A name that annotate takes for this function and no other. */
static const char *code_text(const struct report *report, const struct report_row *row)
{
    struct scene *scene = report->scene;
    const char *name = scene_function_name(scene, row->module, row->function);
    const struct functions *functions = &scene->modules.at[row->module].binary->symbols.functions;
    uint64_t start = functions->at[row->function].start.v;
    return scene_nameless(name) ? advice_quoted(report, address_text(scene, row->module, start))
                                : advice_function(report, name);
}

/* The first of them is hottest only if it is beyond what chance makes of the second. */
static void advise_hottest(struct adviser *adviser)
{
    const struct report *report = adviser->report;
    size_t i = 0;
    if (report->by != BY_FUNCTION && report->by != BY_LINE)
        return;
    const struct report_row *first = row_known(report, &i), *next;
    if (!first)
        return;
    bool behind = i > 0; /* what has no name weighs more */
    struct estimate share = report_share(report, first), second = {0};
    if ((i++, next = row_known(report, &i)))
        second = report_share(report, next);
    if (!(share.lo > 0.01 && share.lo > share.value / 4)) /* else anything may be hottest */
        return;
    bool alone = share.lo > second.hi, line = report->by == BY_LINE;
    bool can = has_annotation(report, first) && !first->kernel;
    const char *what = advice_name(report, first);
    if (line)
        what = arena_format(&report->scene->arena, "line %u of %s (in %s)", first->line,
                            first->file, what);
    const char *rank = arena_format(
        &report->scene->arena, " is %s%s%s%s:", alone ? "the hottest " : "among the hottest ",
        behind ? "known " : "", line ? "line" : "function", alone ? "" : "s");
    bool all = !report->scene->only_function; /* of what is left, no rank can be said */
    advise(adviser, "%s%s %s of %s%s%s", what, all ? rank : " takes", advice_share(share),
           advice_weight(report),
           can             ? "|gait annotate "
           : first->kernel ? "|gait contexts --kernel --bottom-up --function "
                           : "",
           can             ? code_text(report, first)
           : first->kernel ? advice_function(report, first->name)
                           : "");
}

/* Time far above the share of instructions: waiting, not working. Windows that did not meet some
 * code may have missed it: n miss what makes up to 3 / n of all instructions by chance. The spread
 * of a few batches may be small by chance, too. */
static bool body_waits(const struct profile *profile, const struct quantity *body, double floor,
                       double times, struct estimate *ret_time, struct estimate *ret_count)
{
    struct estimate time = estimate_share(profile, body, true);
    struct estimate count = estimate_share(profile, body, false);
    bool bare = body->bare > body->time / 2; /* nothing could be counted there */
    double missed = 3 / (double)profile->totals.windows;
    *ret_time = time;
    *ret_count = count;
    return !bare && profile->totals.batches >= ADVICE_BATCHES_LEAST && time.lo > floor &&
           time.lo > times * fmax(count.hi, missed) && !isnan(count.hi);
}

static void advise_stalls(struct adviser *adviser)
{
    const struct report *report = adviser->report;
    const struct profile *profile = report->scene->sides[0];
    if (profile->mode != PROFILE_SAMPLED || report->by != BY_FUNCTION ||
        plain_counts_events(profile))
        return;
    int said = 0;
    for (size_t i = 0; i < report->n && said < 2; i++) {
        const struct report_row *row = &report->at[i];
        if (row->kernel)
            continue;
        struct estimate time, count;
        if (!body_waits(profile, &row->body, 0.03, 1.5, &time, &count))
            continue;
        said++;
        struct estimate cpi = report_cpi(report, row);
        const char *ticks =
            !cpi_known(cpi)
                ? ""
                : arena_format(&report->scene->arena, ", %.1f ticks per instruction", cpi.value);
        advise(
            adviser,
            "%s takes %s of user time with %s of the instructions%s: it waits for something|gait "
            "report --by instruction --weight time --function %s",
            advice_name(report, row), advice_share(time), advice_share(count), ticks,
            advice_function(report, row->name));
    }
}

/* ---- lines that wait */

/* What a line of a function took. */
struct line_sum {
    const char *line;
    struct quantity body;
};
struct line_sums {
    struct map keys;
    VEC(struct line_sum);
};

static void line_add(struct line_sums *sums, struct scene *scene, const struct item *item)
{
    const char *line =
        intern_text(&scene->names, line_text(scene, item->module, item->at)); /* "": none */
    uint64_t key = (uintptr_t)line;
    uint32_t index = map_add(&sums->keys, &key);
    if (index == sums->n)
        *vec_push(sums) = (struct line_sum){.line = line};
    quantity_add(&sums->at[index].body, &item->body[0]);
}

/* The scene has many functions; instructions are listed of this one alone. */
static void lines_sum(struct line_sums *sums, struct scene *scene, const struct report_row *row)
{
    struct scene_functions all = scene->functions;
    struct items items;
    for (size_t i = 0; i < all.n; i++)
        if (all.at[i].module == row->module && all.at[i].function == row->function) {
            scene->functions.at = &all.at[i];
            scene->functions.n = 1;
        }
    if (scene->functions.n == 1) {
        items_list(&items, scene, BY_LINE);
        for (size_t i = 0; i < items.n; i++)
            line_add(sums, scene, &items.at[i]);
        items_release(&items);
    }
    scene->functions = all;
}

static void line_say(struct adviser *adviser, const struct report_row *row,
                     const struct line_sum *most)
{
    const struct report *report = adviser->report;
    const struct profile *profile = report->scene->sides[0];
    struct estimate time, count;
    if (!*most->line || !body_waits(profile, &most->body, 0.1, 2, &time, &count))
        return;
    advise(
        adviser,
        "%s of %s takes %s of user time with %s of the instructions: it waits, mostly for memory "
        "or for a slow instruction; how long loads take says|gait record --events latency -- %s "
        "&& gait latencies",
        most->line, advice_name(report, row), advice_share(time), advice_share(count),
        advice_command(report));
}

/* The line of the hottest function that waits. */
static void advise_lines(struct adviser *adviser)
{
    const struct report *report = adviser->report;
    const struct profile *profile = report->scene->sides[0];
    const struct report_row *row = NULL;
    struct line_sums sums = {0};
    if (profile->mode != PROFILE_SAMPLED || report->by != BY_FUNCTION ||
        plain_counts_events(profile))
        return;
    for (size_t i = 0; !row && i < report->n; i++)
        row = report->at[i].kernel ? NULL : &report->at[i];
    if (!row || row->function == FUNCTION_NONE || !scene_binary(report->scene, row->module) ||
        !(report_share(report, row).lo > 0.1))
        return;
    map_init(&sums.keys, sizeof(uint64_t));
    lines_sum(&sums, report->scene, row);
    size_t most = 0;
    for (size_t i = 0; i < sums.n; i++)
        if (sums.at[i].body.time > sums.at[most].body.time)
            most = i;
    if (sums.n)
        line_say(adviser, row, &sums.at[most]);
    vec_release(&sums);
    map_release(&sums.keys);
}

/* ---- callers */

/* Where programs and threads start: that time is spent below them says nothing. */
static bool is_entry(const char *name)
{
    static const char *const names[] = {"_start",
                                        "main",
                                        "__libc_start_main",
                                        "__libc_start_call_main",
                                        "__libc_start_main_impl",
                                        "start_thread",
                                        "clone",
                                        "clone3",
                                        "__clone",
                                        "__clone3",
                                        "_dl_start",
                                        "_dl_start_user",
                                        "runtime.main",
                                        "runtime.goexit",
                                        "runtime.mstart",
                                        "runtime.rt0_go",
                                        "execute_native_thread_routine",
                                        "_PyEval_EvalFrameDefault",
                                        "Py_BytesMain",
                                        "Py_RunMain"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return scene_nameless(name); /* without a name: nothing to look at */
}

/* The function that most time is spent below, if it is not simply where everything starts. */
static void advise_below(struct adviser *adviser)
{
    const struct report *report = adviser->report;
    const struct report_row *most = NULL;
    if (!report->has_plain || report->by != BY_FUNCTION)
        return;
    for (size_t i = 0; i < report->n; i++) {
        const struct report_row *row = &report->at[i];
        if (row->kernel)
            continue;
        const struct groups *total = &row->plain->total;
        bool mostly_below = row->plain->self.sum < total->sum / 2;
        if (mostly_below && !is_entry(row->name) && plain_share(&report->plain, total).hi < 0.8 &&
            (!most || total->sum > most->plain->total.sum))
            most = row;
    }
    struct estimate share = most ? report_total_share(report, most) : (struct estimate){0};
    if (share.lo > 0.2)
        advise(adviser, "%s of %s is in %s and its callees|gait contexts --function %s",
               advice_share(share), advice_weight(report), advice_name(report, most),
               advice_function(report, most->name));
}

static void advise_all(struct adviser *adviser)
{
    advise_python(adviser);
    advise_hottest(adviser);
    advise_stalls(adviser);
    advise_lines(adviser);
    advise_whatif(adviser);
    advise_callers(adviser);
    advise_below(adviser);
    advise_kernel(adviser);
    advise_unseen(adviser);
}

bool advice_text(FILE *to, const struct report *report, const struct ink *ink)
{
    struct adviser adviser = {
        .to = to, .report = report, .ink = ink, .title = "what to look at first"};
    advise_all(&adviser);
    return adviser.said > 0;
}

void advice_json(struct json *json, const struct report *report)
{
    struct adviser adviser = {.json = json, .report = report};
    json_array(json, "verdict");
    advise_verdict(&adviser);
    json_array_end(json);
    json_array(json, "advice");
    advise_all(&adviser);
    json_array_end(json);
    json_array(json, "limits");
    advise_limits(&adviser);
    json_array_end(json);
    missing_json(json, report);
}
