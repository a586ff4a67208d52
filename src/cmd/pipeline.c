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

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const char usage[] =
    "usage: gait pipeline [options] [FILE]\n"
    "\n"
    "Shows what instructions went through on their way: how long each stage took, what they "
    "missed,\n"
    "what they kept from being done, and where cycles go. Windows of a recording go through a "
    "model of\n"
    "a core; record --exact=trace --core has the whole run; of a perf.data with IBS, SPE or PEBS "
    "(gait\n"
    "import) it is what hardware told.\n"
    "\n"
    "  --core NAME        the model: a name (gait list cores), native or a file; if not given, "
    "the\n"
    "                     one most like the processor that recorded\n"
    "  -i FILE            the profile, as an option\n"
    "  --records          of windows what ProfileMe would have told: single instructions, in "
    "pairs\n"
    "  --by WHAT          records by place, page, line, object, edge, unit or all: of code, of "
    "the "
    "data that it\n"
    "                     used, or of pairs (place); an edge leads to what retired right behind\n"
    "  --metric EXPR      one's own, its mean: e.g. 'done - map', 'l1_miss && translate > 20'\n"
    "  --where EXPR       only records of which this holds, in every column\n"
    "  --width N          instructions that the machine can issue a cycle, for wasted slots (4)\n"
    "  --window N         the largest distance of pairs (as recorded; of windows, all in flight)\n"
    "  --cycles N         what is near in time, for instructions a cycle nearby (30)\n"
    "  --module NAME      only instructions of this module\n"
    "  --limit N          so many rows (20; with --json all)\n"
    "  --json             as JSON, schema gait/pipeline/1\n"
    "  --color WHEN       auto, always or never (auto: on a terminal, unless NO_COLOR is set)\n"
    "  --no-pager         not through $PAGER, even on a terminal\n"
    "  -v                 names in full, however long\n"
    "  -q                 do not mention damage\n";

enum { TEXT_ROWS = 20 };
enum {
    OPTION_BY = VIEW_OPTION_OWN,
    OPTION_METRIC,
    OPTION_CORE,
    OPTION_RECORDS,
    OPTION_WHERE,
    OPTION_WIDTH,
    OPTION_WINDOW,
    OPTION_CYCLES
};

static const struct option own_list[] = {
    {"by", required_argument, NULL, OPTION_BY},
    {"core", required_argument, NULL, OPTION_CORE},
    {"records", no_argument, NULL, OPTION_RECORDS},
    {"metric", required_argument, NULL, OPTION_METRIC},
    {"where", required_argument, NULL, OPTION_WHERE},
    {"width", required_argument, NULL, OPTION_WIDTH},
    {"window", required_argument, NULL, OPTION_WINDOW},
    {"cycles", required_argument, NULL, OPTION_CYCLES},
    {NULL, 0, NULL, 0},
};

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

static bool number_take(const char *value, double *ret_number, struct err *err)
{
    char *end;
    double number = strtod(value, &end);
    if (*end || end == value || !(number >= 1) || !isfinite(number))
        return err_set(err, ERR_USAGE, "%s: not a number from 1 on", value);
    *ret_number = number;
    return true;
}

static bool own_take(void *to, int option, const char *value, struct err *err)
{
    struct options *options = to;
    struct pipeline_asked *asked = &options->asked;
    switch (option) {
    case OPTION_RECORDS: options->records = true; return true;
    case OPTION_BY:
        options->records = true;
        return pipeline_by_parse(value, &asked->by) ||
               err_set(err, ERR_USAGE, "%s: not one of place, page, line, object, edge, unit, all",
                       value);
    case OPTION_CORE: options->core = value; return true;
    case OPTION_METRIC:
        options->records = true;
        asked->value = value;
        return true;
    case OPTION_WHERE:
        options->records = true;
        asked->where = value;
        return true;
    case OPTION_WIDTH: return number_take(value, &asked->width, err);
    case OPTION_WINDOW: return number_take(value, &asked->window, err);
    default: return number_take(value, &asked->cycles, err);
    }
}

static bool has_any(const struct profile *profile)
{
    return profile->samples.n || modelled_has(profile);
}

static const char *missing_why(const struct profile *profile)
{
    if (profile_fact_find(profile, "compress"))
        return "no windows in it: it was recorded with --compress, which keeps what is frequent of "
               "them and not their course; gait record without it has them";
    return profile->mode == PROFILE_SAMPLED
               ? "no windows in it: none was whole, or the run was too short; gait record of a "
                 "longer one has them"
               : "nothing in it that went through a processor: samples of gait record have "
                 "windows, "
                 "--exact=trace --core a whole run, and gait import records of hardware of a "
                 "perf.data";
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
        .usage = usage,
        .has = has_any,
        .why = missing_why,
        .text_rows = TEXT_ROWS,
        .make = make,
        .show = show,
    };
    struct options options = {.asked = {.cycles = 30}};
    struct own_options own = {own_list, own_take, &options};
    return table_view_run(&table, &options.view, &own, &options, argc, argv);
}
