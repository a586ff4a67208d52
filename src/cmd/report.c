/* gait report: what ran, heaviest first. */
#include "base/err.h"
#include "cmd/cmd.h"
#include "cmd/options/view_options.h"
#include "analysis/report/report.h"
#include "view/views.h"
#include "profile/kernel_names.h"

#include <stdint.h>
#include <stdio.h>

static const struct flag flags[] = {
    VIEW_INPUT,
    VIEW_BY(" (function)"),
    VIEW_WEIGHT(": executions (of functions and lines: executed instructions), or user CPU time "
                "(time for sampled functions and lines, else count)"),
    VIEW_MODULE("this module only; [kernel]: kernel time"),
    VIEW_FUNCTION("functions of this name or glob only"),
    VIEW_PID("this process only"),
    VIEW_TID("this thread only"),
    VIEW_LIMIT("number of rows (20; with --json all)"),
    VIEW_JSON("as JSON, schema gait/report/1"),
    VIEW_RAW("counts as recorded"),
    VIEW_INFERRED(": make counts of functions, blocks and edges consistent, by these costs "
                  "(sampled profiles: confidence)"),
    VIEW_OUTPUT,
    {0},
};

static const struct command_line this_command = {
    .usage =
        "usage: gait report [options] [FILE]\n\nLists what ran in a recording (gait.data), the "
        "heaviest first, each figure with its 95 %\ninterval, and says what to look at first.\n",
    .flags = flags,
    .also = view_flags,
};

enum { TEXT_ROWS = 20 };

static bool make(struct report *report, struct scene *scene, const struct view_options *options,
                 struct err *err)
{
    struct report_options wanted = {.by = options->by,
                                    .weight = options->weight,
                                    .has_weight = options->has_weight,
                                    .pid = options->pid,
                                    .tid = options->tid,
                                    .input = options->input};
    if (!scene_shows(scene, err))
        return err_in(err, "--module %s", options->module);
    if (options->function)
        scene_only_function(scene, options->function);
    return report_make(report, scene, wanted, err);
}

static int report(const struct view_options *options, const struct profile *profile)
{
    struct scene scene;
    struct report report;
    struct err err;
    scene_open(&scene, &profile, 1, options->module);
    scene.verbose = options->verbose;
    scene.inferred[0] = view_infers(options, profile);
    scene.method = options->method;
    if (!make(&report, &scene, options, &err)) {
        scene_close(&scene);
        err_in(&err, "%s", options->input);
        return say_err(&err);
    }
    scene.columns = output_columns();
    struct ink ink = output_begin(options);
    if (options->json)
        report_json(stdout, &report, view_rows(options, TEXT_ROWS));
    else
        report_text(stdout, &report, &ink, view_rows(options, TEXT_ROWS));
    report_release(&report);
    scene_close(&scene);
    return output_status();
}

int cmd_report(int argc, char **argv)
{
    struct view_options options = {.by = BY_FUNCTION};
    struct err err;
    if (!flags_parse(&this_command, &options, argc, argv, &err))
        return say_err(&err);
    if (!view_input(&options, argc, argv, &err))
        return say_err(&err);
    if (options.inferred && !item_by_inferred(options.by))
        return say_not_inferred();
    struct profile profile;
    int status = profile_load(options.input, options.quiet, &profile);
    if (status != EXIT_DONE)
        return status;
    bool kernel = options.module && strcmp(options.module, "[kernel]") == 0;
    bool stacks = profile.mode == PROFILE_PLAIN || options.pid || options.tid || kernel;
    if (kernel)
        kernel_names_complete(&profile);
    status = options.inferred && stacks ? say_not_inferred() : report(&options, &profile);
    profile_release(&profile);
    return status;
}
