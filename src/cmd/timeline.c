/* gait timeline: CPU time over the run. */
#include "base/err.h"
#include "cmd/cmd.h"
#include "cmd/options/view_options.h"
#include "analysis/report/timeline.h"
#include "view/views.h"
#include "profile/kernel_names.h"

#include <stdint.h>
#include <stdio.h>

struct options {
    struct view_options view;
};

static const struct flag flags[] = {
    VIEW_INPUT,
    VIEW_PID("this process only"),
    VIEW_TID("this thread only"),
    VIEW_LIMIT("with --json: number of threads and of functions (all)"),
    VIEW_JSON("as JSON, schema gait/timeline/1"),
    VIEW_OUTPUT,
    {0},
};

static const struct command_line this_command = {
    .usage =
        "usage: gait timeline [options] [FILE]\n\nShows how CPU time was spent over the run of "
        "a recording (gait.data): how many CPUs were\nbusy in each slice of time, and with "
        "which functions.\n",
    .flags = flags,
    .also = view_flags,
};

static int timeline(const struct options *options, const struct profile *profile)
{
    struct err err;
    struct scene scene;
    struct timeline timeline;
    scene_open(&scene, &profile, 1, NULL);
    scene.verbose = options->view.verbose;
    bool ok = timeline_make(&timeline, &scene, options->view.pid, options->view.tid, &err) ||
              err_in(&err, "%s", options->view.input);
    if (ok) {
        scene.columns = output_columns();
        struct ink ink = output_begin(&options->view);
        if (options->view.json)
            timeline_json(stdout, &timeline, view_rows(&options->view, SIZE_MAX));
        else
            timeline_text(stdout, &timeline, &ink);
        timeline_release(&timeline);
    }
    scene_close(&scene);
    return ok ? output_status() : say_err(&err);
}

int cmd_timeline(int argc, char **argv)
{
    struct options options = {0};
    struct err err;
    struct profile profile;
    if (!flags_parse(&this_command, &options, argc, argv, &err) ||
        !view_input(&options.view, argc, argv, &err))
        return say_err(&err);
    int status = profile_load(options.view.input, options.view.quiet, &profile);
    if (status != EXIT_DONE)
        return status;
    kernel_names_complete(&profile);
    status = timeline(&options, &profile);
    profile_release(&profile);
    return status;
}
