/* gait paths: which ways through functions were gone, how often, and what they cost. */
#include "base/err.h"
#include "cmd/cmd.h"
#include "cmd/view_options.h"
#include "view/hot_paths.h"

#include <getopt.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static const char usage[] =
    "usage: gait paths [options] [FILE]\n"
    "\n"
    "Shows the paths through functions that ran (gait.data), heaviest first: from the entry, or "
    "from\n"
    "where a loop goes back, to the exit, or to where it goes back again.\n"
    "\n"
    "  -i FILE            the profile, as an option\n"
    "  --hot PCT          only paths with at least PCT % of all (0)\n"
    "  --module NAME      only paths of this module\n"
    "  --limit N          so many paths (20; with --json all)\n"
    "  --json             as JSON, schema gait/paths/1\n"
    "  --color WHEN       auto, always or never (auto: on a terminal, unless NO_COLOR is set)\n"
    "  --no-pager         not through $PAGER, even on a terminal\n"
    "  -v                 names in full, however long\n"
    "  -q                 do not mention damage\n";

enum { TEXT_ROWS = 20 };
enum { OPTION_HOT = VIEW_OPTION_OWN };

static const struct option own_list[] = {
    {"hot", required_argument, NULL, OPTION_HOT},
    {NULL, 0, NULL, 0},
};

struct options {
    struct view_options view;
    double hot_percent;
};

static bool own_take(void *to, int option, const char *value, struct err *err)
{
    (void)option;
    return percent_parse("--hot", value, &((struct options *)to)->hot_percent, err);
}

static int paths(const struct options *options, const struct profile *profile)
{
    struct err err;
    struct scene scene;
    struct hot_paths hot;
    if (!profile->paths.n) {
        err_set(&err, ERR_FORMAT,
                "%s: no paths in it: %s; gait record --exact=paths -- COMMAND counts them all",
                options->view.input,
                profile->mode == PROFILE_SAMPLED ? "samples of less than a second have none"
                                                 : "they were not counted");
        return say_err(&err);
    }
    scene_open(&scene, &profile, 1, options->view.module);
    scene.verbose = options->view.verbose;
    if (!scene_shows(&scene, &err)) {
        scene_close(&scene);
        return say_err(&err);
    }
    hot_paths_make(&hot, &scene, 0);
    struct hot_paths_cut cut = {.share = options->hot_percent / 100,
                                .limit = view_rows(&options->view, TEXT_ROWS)};
    struct ink ink = output_begin(&options->view);
    if (options->view.json)
        hot_paths_json(stdout, &hot, cut);
    else
        hot_paths_text(stdout, &hot, &ink, cut);
    hot_paths_release(&hot);
    scene_close(&scene);
    return output_status();
}

int cmd_paths(int argc, char **argv)
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
    status = paths(&options, &profile);
    profile_release(&profile);
    return status;
}
