/* gait pipeline: what instructions went through, of records of hardware, or as a model of a core
 * says. */
#include "base/err.h"
#include "cmd/cmd.h"
#include "cmd/options/table_view.h"
#include "model/pmu/profileme.h"
#include "analysis/pipeline/core_choice.h"
#include "analysis/pipeline/modelled.h"
#include "analysis/pipeline/pipeline.h"
#include "analysis/pipeline/window_records.h"
#include "view/views.h"

#include <stdio.h>
#include <stdlib.h>

enum { TEXT_ROWS = 20 };

struct options {
    struct view_options view;
    struct pipeline_asked asked;
    const char *core; /* NULL: see analysis/pipeline/core_choice.h */
    char core_name[64], core_why[CORE_WHY_BYTES];
    bool records;     /* what is asked for is about single ones */
    bool is_modelled; /* which of these is shown */
    struct modelled modelled;
    struct pipeline pipeline;
};

/* These are about records. */
static bool take_what(void *to, const struct flag *flag, const char *value, struct err *err)
{
    struct options *options = to;
    (void)flag, (void)err;
    options->records = true;
    return pipeline_by_parse(value, &options->asked.by);
}

static bool take_expression(void *to, const struct flag *flag, const char *value, struct err *err)
{
    struct options *options = to;
    options->records = true;
    return take_text(to, flag, value, err);
}

static const struct flag flags[] = {
    {"core", 0, "NAME", NULL,
     "the model: a name (gait list cores), native or a file (the one most like the processor that "
     "recorded)",
     TAKE(text, struct options, core)},
    VIEW_INPUT,
    {"records", 0, NULL, NULL,
     "what ProfileMe would have recorded of the windows: single instructions and pairs",
     TAKE(set, struct options, records)},
    {"by", 0, "WHAT", "place, page, line, object, edge, unit or all",
     ": records of code, of the data that it used, or of pairs (place); an edge leads to what "
     "retired right behind",
     .take = take_what},
    {"metric", 0, "EXPR", NULL,
     "your own metric, its mean: e.g. 'done - map', 'l1_miss && translate > 20'",
     TAKE(expression, struct options, asked.value)},
    {"where", 0, "EXPR", NULL, "only records for which this holds",
     TAKE(expression, struct options, asked.where)},
    {"width", 0, "N", NULL,
     "instructions that the machine can issue per cycle, for wasted slots (4)",
     TAKE(number, struct options, asked.width), .low = 1},
    {"window", 0, "N", NULL,
     "the largest distance of a pair (as recorded; for windows, all in flight)",
     TAKE(number, struct options, asked.window), .low = 1},
    {"cycles", 0, "N", NULL, "cycles that count as nearby (30)",
     TAKE(number, struct options, asked.cycles), .low = 1},
    VIEW_MODULE("only instructions of this module"),
    VIEW_FUNCTION(
        "only instructions of functions of this name or glob, or of the one at this address"),
    VIEW_TIME,
    VIEW_LIMIT("number of rows (20; with --json all)"),
    VIEW_JSON("as JSON, schema gait/pipeline/1"),
    VIEW_OUTPUT,
    {0},
};

static const struct command_line this_command = {
    .usage =
        "usage: gait pipeline [options] [FILE]\n\nShows where a processor's cycles go, instruction "
        "by instruction, and why: stages, misses, stalls.\nA recording (gait.data) is simulated on "
        "a core model; record --exact=trace --core simulates the\nwhole run; a perf.data with IBS, "
        "SPE or PEBS (gait import) has records of hardware.\n",
    .flags = flags,
    .also = view_flags,
};

static bool has_any(const struct profile *profile)
{
    return profile->samples.n || modelled_has(profile);
}

static const char *missing_why(const struct profile *profile)
{
    if (profile_fact_find(profile, "compress"))
        return "no windows in it: --compress keeps what is frequent, not the order in which it "
               "ran; "
               "record without --compress";
    return profile->mode == PROFILE_SAMPLED
               ? "no complete windows in it; record a longer run"
               : "nothing in it to simulate or add up: record without --exact (windows), or with "
                 "--exact=trace --core NAME (the whole run), or gait import a perf.data with "
                 "hardware records";
}

/* What pairs were followed with, if that is told; else what is usual. */
static void asked_complete(struct pipeline_asked *asked, const struct profile *profile)
{
    const char *width = profile_fact_find(profile, "pairs_width");
    const char *window = profile_fact_find(profile, "pairs_window");
    if (!asked->width && (!width || !(asked->width = strtod(width, NULL))))
        asked->width = 4;
    if (!asked->window && (!window || !(asked->window = strtod(window, NULL))))
        asked->window = 100;
}

/* Of windows: what ProfileMe would have told of them. */
static bool records_make(struct options *options, struct scene *scene, struct err *err)
{
    struct sample_list records = {0};
    struct model model;
    struct pipeline_asked *asked = &options->asked;
    const char *core = core_choose(scene->sides[0], options->core, options->core_why);
    options->is_modelled = false;
    if (!scene->sides[0]->windows.n)
        return err_set(
            err, ERR_FORMAT,
            "%s: of a trace there are sums alone; gait record --exact=trace --core native --pairs "
            "100 keeps records, and samples have windows to take them of",
            options->view.input);
    if (!model_open(core, &model, err))
        return false;
    if (!asked->width)
        asked->width = model.dispatch_width;
    if (!asked->window) /* whoever can be in flight together can be a pair */
        asked->window = profileme_window(&model);
    window_records_take(&records, scene, &model, (uint32_t)asked->window);
    bool made = pipeline_make(&options->pipeline, scene, &records, asked, err);
    if (made) {
        snprintf(options->core_name, sizeof options->core_name, "%s", model.name);
        options->pipeline.core = options->core_name;
        options->pipeline.core_why = options->core_why;
    }
    vec_release(&records);
    model_release(&model);
    return made;
}

/* Records of hardware are shown before what a model says; --core asks for the model. Of a model
 * that has both, records are shown if it is they that are asked about. */
static bool make(struct scene *scene, void *to, struct err *err)
{
    struct options *options = to;
    const struct profile *profile = scene->sides[0];
    bool own = profile_fact_find(profile, "pairs_window");
    options->is_modelled = modelled_has(profile) &&
                           (options->core || !profile->samples.n || (own && !options->records));
    if (options->is_modelled && !options->records)
        return modelled_make(&options->modelled, scene, options->core, err);
    if (options->is_modelled)
        return records_make(options, scene, err);
    asked_complete(&options->asked, profile);
    return pipeline_make(&options->pipeline, scene, &scene->sides[0]->samples, &options->asked,
                         err);
}

static void show(struct scene *scene, void *of, const struct ink *ink, size_t rows)
{
    struct options *options = of;
    (void)scene;
    if (options->is_modelled) {
        if (options->view.json)
            modelled_json(stdout, &options->modelled, rows);
        else
            modelled_text(stdout, &options->modelled, ink, rows);
        modelled_release(&options->modelled);
        return;
    }
    if (options->view.json)
        pipeline_json(stdout, &options->pipeline, rows);
    else
        pipeline_text(stdout, &options->pipeline, ink, rows);
    pipeline_release(&options->pipeline);
}

int cmd_pipeline(int argc, char **argv)
{
    static const struct table_view table = {
        .line = &this_command,
        .has = has_any,
        .why = missing_why,
        .text_rows = TEXT_ROWS,
        .make = make,
        .show = show,
    };
    struct options options = {.asked = {.cycles = 30}};
    return table_view_run(&table, &options.view, argc, argv);
}
