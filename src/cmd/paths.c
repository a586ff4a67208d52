/* gait paths: which ways through functions were gone, how often, and what they cost. */
#include "base/err.h"
#include "cmd/cmd.h"
#include "cmd/options/view_options.h"
#include "consumers/path_settle.h"
#include "analysis/paths/history_paths.h"
#include "analysis/paths/hot_paths.h"
#include "view/views.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_ROWS = 20 };

struct options {
    struct view_options view;
    double hot_percent;
    uint32_t iterations;
    uint32_t history_bits; /* 0: paths as they were recorded */
    bool contexts;
    bool sorted;
    enum path_metric sort;
};

static bool take_sort(void *to, const struct flag *flag, const char *value, struct err *err)
{
    struct options *options = to;
    (void)flag, (void)err;
    for (enum path_metric m = 0; m < PATH_METRICS; m++)
        if (!strcmp(value, path_metric_name(m))) {
            options->sort = m;
            return options->sorted = true;
        }
    return false;
}

static bool take_history(void *to, const struct flag *flag, const char *value, struct err *err)
{
    struct options *options = to;
    char *end;
    (void)flag, (void)err;
    unsigned long bits = value ? strtoul(value, &end, 10) : HISTORY_PATH_BITS;
    if (value && (*end || *value < '0' || *value > '9'))
        return false;
    options->history_bits = bits <= HISTORY_PATH_BITS_MOST ? (uint32_t)bits : 0;
    return options->history_bits > 0;
}

static const struct flag flags[] = {
    VIEW_INPUT,
    {"hot", 0, "PCT", NULL, "only paths with at least PCT % of all (0)",
     TAKE(number, struct options, hot_percent), .high = 100, .expected = "a percentage"},
    {"iterations", 0, "K", NULL,
     "show K (1 to 4) consecutive paths as one; for sampled and traced recordings "
     "(--exact=trace+paths)",
     TAKE(u32, struct options, iterations), .low = 1, .high = SERIES_PATHS},
    {"contexts", 0, NULL, NULL, "show each calling context separately (--exact=paths+contexts)",
     TAKE(set, struct options, contexts)},
    {"from-history", 0, "[=N]", "a number from 1 to 64",
     "paths by the directions of the last N (8) branches, of followed instructions (--pairs)",
     .take = take_history},
    {"sort", 0, "METRIC", "instructions, ticks, " MODEL_COST_WORDS, " (ticks, if there are any)",
     .take = take_sort},
    VIEW_MODULE("only paths of this module"),
    VIEW_FUNCTION("only paths of functions of this name or glob, or of the one at this address"),
    VIEW_RAW("counts as recorded, not fitted to those of blocks and edges"),
    VIEW_TIME,
    VIEW_LIMIT("number of paths (20; with --json all)"),
    VIEW_JSON("as JSON, schema gait/paths/1"),
    VIEW_OUTPUT,
    {0},
};

static const struct command_line this_command = {
    .usage = "usage: gait paths [options] [FILE]\n\nShows the hot paths through functions "
             "(gait.data), the heaviest first. A path leads from the\nentry or a backward jump to "
             "the exit or the next backward jump.\n",
    .flags = flags,
    .also = view_flags,
};

/* What a recording must have for what is asked. */
static bool has_paths(const struct options *options, const struct profile *profile, struct err *err)
{
    if (profile->part_no_paths)
        return err_set(err, ERR_FORMAT,
                       "%s: --time: this recording, by an older gait, does not say when paths "
                       "ran; without --time it shows all",
                       options->view.input);
    if (!hot_paths_there(profile, options->view.input, err))
        return false;
    if (options->iterations > 1 && !profile->series.nodes.n)
        return err_set(err, ERR_FORMAT,
                       "%s: the order of paths was not recorded; record with --exact=trace+paths, "
                       "or without --exact",
                       options->view.input);
    if (options->contexts && !profile->context_paths.nodes.n)
        return err_set(err, ERR_FORMAT,
                       "%s: paths were not recorded by calling context; record with "
                       "--exact=paths+contexts",
                       options->view.input);
    return true;
}

static bool scene_prepare(struct scene *scene, const struct options *options,
                          const struct profile *const *profile, struct err *err)
{
    scene_open(scene, profile, 1, options->view.module);
    scene->verbose = options->view.verbose;
    if (options->view.function)
        scene_want_function(scene, options->view.function);
    if (scene_shows(scene, err) && scene_wants_any(scene, err))
        return true;
    scene_close(scene);
    return false;
}

static int history(const struct options *options, const struct profile *profile)
{
    struct err err;
    struct scene scene;
    struct history_paths paths;
    if (!history_paths_there(profile, options->view.input, &err) ||
        !scene_prepare(&scene, options, &profile, &err))
        return say_err(&err);
    history_paths_make(&paths, &scene, options->history_bits);
    struct hot_paths_cut cut = {.share = options->hot_percent / 100,
                                .limit = view_rows(&options->view, TEXT_ROWS)};
    struct ink ink = output_begin(&options->view);
    if (options->view.json)
        history_paths_json(stdout, &paths, cut);
    else
        history_paths_text(stdout, &paths, &ink, cut);
    history_paths_release(&paths);
    scene_close(&scene);
    return output_status();
}

static int paths(const struct options *options, const struct profile *profile)
{
    struct err err;
    struct scene scene;
    struct hot_paths hot;
    if (!has_paths(options, profile, &err) || !scene_prepare(&scene, options, &profile, &err))
        return say_err(&err);
    scene.inferred[0] = options->iterations == 1 && view_infers(&options->view, profile);
    if (options->contexts)
        hot_paths_make_in_contexts(&hot, &scene, 0);
    else
        hot_paths_make(&hot, &scene, 0, options->iterations);
    if (options->sorted && !hot_paths_weigh(&hot, options->sort)) {
        err_set(
            &err, ERR_FORMAT,
            "%s: no %s in it; gait record --exact=paths --ticks takes ticks, --exact=trace+paths "
            "--core CORE the rest",
            options->view.input, path_metric_name(options->sort));
        hot_paths_release(&hot);
        scene_close(&scene);
        return say_err(&err);
    }
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
    struct options options = {.view = {.by = BY_PATH}, .iterations = 1};
    struct err err;
    if (!flags_parse(&this_command, &options, argc, argv, &err))
        return say_err(&err);
    if (!view_input(&options.view, argc, argv, &err))
        return say_err(&err);
    if (options.contexts && options.iterations > 1) {
        err_set(&err, ERR_USAGE, "--contexts and --iterations do not go together");
        return say_err(&err);
    }
    if (options.history_bits && (options.contexts || options.iterations > 1 || options.sorted)) {
        err_set(&err, ERR_USAGE,
                "--from-history goes with none of --contexts, --iterations, --sort");
        return say_err(&err);
    }
    struct profile profile;
    int status = view_load_counts(&options.view, &profile);
    if (status != EXIT_DONE)
        return status;
    path_settle(&profile);
    status = options.history_bits ? history(&options, &profile) : paths(&options, &profile);
    profile_release(&profile);
    return status;
}
