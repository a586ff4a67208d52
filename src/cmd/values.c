/* gait values: what places computed, loaded, divided by, copied. */
#include "base/err.h"
#include "cmd/cmd.h"
#include "cmd/view_options.h"
#include "view/values.h"

#include <getopt.h>
#include <stdint.h>
#include <stdio.h>

static const char usage[] =
    "usage: gait values [options] [FILE]\n"
    "\n"
    "Shows the most frequent values of places of a program (gait.data of record --events value), "
    "those\n"
    "places first where knowing them would save most.\n"
    "\n"
    "  -i FILE            the profile, as an option\n"
    "  --no-values        shares alone: values can hold secrets\n"
    "  --module NAME      only places of this module\n"
    "  --limit N          so many places (20; with --json all)\n"
    "  --json             as JSON, schema gait/values/1\n"
    "  --color WHEN       auto, always or never (auto: on a terminal, unless NO_COLOR is set)\n"
    "  --no-pager         not through $PAGER, even on a terminal\n"
    "  -v                 names in full, however long\n"
    "  -q                 do not mention damage\n";

enum { TEXT_ROWS = 20 };
enum { OPTION_NO_VALUES = VIEW_OPTION_OWN };

static const struct option own_list[] = {
    {"no-values", no_argument, NULL, OPTION_NO_VALUES},
    {NULL, 0, NULL, 0},
};

struct options {
    struct view_options view;
    bool no_values;
};

static bool own_take(void *to, int option, const char *value, struct err *err)
{
    struct options *options = to;
    (void)option, (void)value, (void)err;
    options->no_values = true;
    return true;
}

static int show(const struct options *options, const struct profile *profile)
{
    struct err err;
    struct scene scene;
    struct places_values places;
    if (!profile->values.n) {
        err_set(&err, ERR_FORMAT,
                "%s: no values in it; gait record --events edge,call,value -- COMMAND takes them",
                options->view.input);
        return say_err(&err);
    }
    scene_open(&scene, &profile, 1, options->view.module);
    scene.verbose = options->view.verbose;
    if (!scene_shows(&scene, &err)) {
        scene_close(&scene);
        return say_err(&err);
    }
    values_make(&places, &scene);
    struct values_cut cut = {.no_values = options->no_values,
                             .limit = view_rows(&options->view, TEXT_ROWS)};
    struct ink ink = output_begin(&options->view);
    if (options->view.json)
        values_json(stdout, &places, cut);
    else
        values_text(stdout, &places, &ink, cut);
    values_release(&places);
    scene_close(&scene);
    return output_status();
}

int cmd_values(int argc, char **argv)
{
    struct options options = {0};
    struct own_options own = {own_list, own_take, &options};
    struct err err;
    if (!view_options_parse(&options.view, &own, argc, argv, &err))
        return say_err(&err);
    if (options.view.help)
        return show_usage(usage);
    if (!view_input(&options.view, argc, argv, &err))
        return say_err(&err);
    struct profile profile;
    int status = profile_load(options.view.input, options.view.quiet, &profile);
    if (status != EXIT_DONE)
        return status;
    status = show(&options, &profile);
    profile_release(&profile);
    return status;
}
