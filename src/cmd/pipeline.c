/* gait pipeline: what instructions went through, of records of hardware. */
#include "base/err.h"
#include "cmd/cmd.h"
#include "cmd/view_options.h"
#include "view/pipeline.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const char usage[] =
    "usage: gait pipeline [options] [FILE]\n"
    "\n"
    "Shows what sampled instructions went through on their way: how long each stage took, what "
    "they\n"
    "missed, what they kept from being done. Of records of hardware (gait import of a perf.data "
    "with\n"
    "IBS, SPE or PEBS).\n"
    "\n"
    "  -i FILE            the profile, as an option\n"
    "  --by WHAT          place, page, line, object, edge or all: of code, of the data that it\n"
    "                     used, or of pairs (place)\n"
    "  --metric EXPR      one's own, its mean: e.g. 'done - map', 'l1_miss && translate > 20'\n"
    "  --where EXPR       only of records of which this holds\n"
    "  --width N          instructions that the machine can issue a cycle, for wasted slots (4)\n"
    "  --window N         the largest distance of pairs (100)\n"
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
    OPTION_WHERE,
    OPTION_WIDTH,
    OPTION_WINDOW,
    OPTION_CYCLES
};

static const struct option own_list[] = {
    {"by", required_argument, NULL, OPTION_BY},
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
    struct pipeline_asked *asked = &((struct options *)to)->asked;
    switch (option) {
    case OPTION_BY:
        return pipeline_by_parse(value, &asked->by) ||
               err_set(err, ERR_USAGE, "%s: not one of place, page, line, object, edge, all",
                       value);
    case OPTION_METRIC: asked->value = value; return true;
    case OPTION_WHERE: asked->where = value; return true;
    case OPTION_WIDTH: return number_take(value, &asked->width, err);
    case OPTION_WINDOW: return number_take(value, &asked->window, err);
    default: return number_take(value, &asked->cycles, err);
    }
}

static int show(const struct options *options, const struct profile *profile)
{
    struct err err;
    struct scene scene;
    struct pipeline pipeline;
    if (!profile->samples.n) {
        err_set(&err, ERR_FORMAT,
                "%s: no records of hardware in it; gait import makes them of a perf.data",
                options->view.input);
        return say_err(&err);
    }
    scene_open(&scene, &profile, 1, options->view.module);
    scene.verbose = options->view.verbose;
    if (!scene_shows(&scene, &err) || !pipeline_make(&pipeline, &scene, &options->asked, &err)) {
        scene_close(&scene);
        return say_err(&err);
    }
    struct ink ink = output_begin(&options->view);
    if (options->view.json)
        pipeline_json(stdout, &pipeline, view_rows(&options->view, TEXT_ROWS));
    else
        pipeline_text(stdout, &pipeline, &ink, view_rows(&options->view, TEXT_ROWS));
    pipeline_release(&pipeline);
    scene_close(&scene);
    return output_status();
}

int cmd_pipeline(int argc, char **argv)
{
    struct options options = {.asked = {.width = 4, .window = 100, .cycles = 30}};
    struct own_options own = {own_list, own_take, &options};
    struct err err;
    if (!view_options_parse(&options.view, &own, argc, argv, &err))
        return say_err(&err);
    if (options.view.help)
        return show_usage(usage);
    if (!view_input(&options.view, argc, argv, &err))
        return say_err(&err);
    if (options.asked.where && !options.asked.value)
        options.asked.value = "1";
    struct profile profile;
    int status = profile_load(options.view.input, options.view.quiet, &profile);
    if (status != EXIT_DONE)
        return status;
    status = show(&options, &profile);
    profile_release(&profile);
    return status;
}
