/* gait diff: what changed between two recordings. */
#include "base/err.h"
#include "cmd/cmd.h"
#include "cmd/options/view_options.h"
#include "analysis/report/diff.h"
#include "analysis/report/diff_contexts.h"
#include "view/views.h"

#include <getopt.h>
#include <stdint.h>
#include <stdio.h>

enum { TEXT_ROWS = 20 };

struct options {
    struct view_options view;
    enum diff_by by; /* DIFF_BYS: by context */
};

static const struct flag flags[] = {
    {"by", 0, "KEY", "function, line, module or context", " (function)",
     TAKE(word, struct options, by)},
    VIEW_WEIGHT(": executed instructions, or user CPU time (what both have)"),
    VIEW_MODULE("this module only"),
    VIEW_LIMIT("number of rows (20; with --json all)"),
    VIEW_JSON("as JSON, schema gait/diff/1"),
    VIEW_RAW("weights as recorded, as always here"),
    VIEW_INFERRED(": there are no inferred weights here"),
    VIEW_OUTPUT,
    {0},
};

static const struct command_line this_command = {
    .usage = "usage: gait diff [options] BEFORE AFTER\n\nShows what changed between two "
             "recordings, of one build or of two: the largest change first,\nwith 95 % intervals, "
             "and which changes are not noise.\n",
    .flags = flags,
    .also = view_flags,
};

static bool check(const struct options *options, int argc, struct err *err)
{
    if (options->view.input)
        return err_set(err, ERR_USAGE, "-i: diff takes two files: gait diff BEFORE AFTER");
    if (argc - optind != SIDES_MAX)
        return err_set(err, ERR_USAGE, "expected two files: gait diff BEFORE AFTER");
    return true;
}

static bool diff_by_context(const struct options *options, struct scene *scenes, struct err *err)
{
    struct diff_contexts contexts;
    size_t rows = view_rows(&options->view, TEXT_ROWS);
    if (options->view.module || options->view.has_weight)
        return err_set(err, ERR_USAGE, "--by context takes neither --module nor --weight");
    if (!diff_contexts_make(&contexts, &scenes[BEFORE], &scenes[AFTER], err))
        return false;
    scenes[AFTER].columns = output_columns();
    struct ink ink = output_begin(&options->view);
    if (options->view.json)
        diff_contexts_json(stdout, &contexts, rows);
    else
        diff_contexts_text(stdout, &contexts, &ink, rows);
    diff_contexts_release(&contexts);
    return true;
}

static bool diff_by_row(const struct options *options, struct scene *scenes, struct err *err)
{
    struct diff diff;
    size_t rows = view_rows(&options->view, TEXT_ROWS);
    if (!diff_make(&diff, &scenes[BEFORE], &scenes[AFTER],
                   (struct diff_options){.by = options->by,
                                         .weight = options->view.weight,
                                         .has_weight = options->view.has_weight,
                                         .module = options->view.module},
                   err))
        return false;
    scenes[AFTER].columns = output_columns();
    struct ink ink = output_begin(&options->view);
    if (options->view.json)
        diff_json(stdout, &diff, rows);
    else
        diff_text(stdout, &diff, &ink, rows);
    diff_release(&diff);
    return true;
}

static int diff(const struct options *options, const struct profile *before,
                const struct profile *after)
{
    struct scene scenes[SIDES_MAX];
    struct err err;
    scene_open(&scenes[BEFORE], &before, 1, NULL);
    scene_open(&scenes[AFTER], &after, 1, NULL);
    scenes[BEFORE].verbose = scenes[AFTER].verbose = options->view.verbose;
    bool ok = (options->by == DIFF_BYS ? diff_by_context : diff_by_row)(options, scenes, &err);
    scene_close(&scenes[AFTER]);
    scene_close(&scenes[BEFORE]);
    return ok ? output_status() : say_err(&err);
}

int cmd_diff(int argc, char **argv)
{
    struct options options = {.by = DIFF_FUNCTION};
    struct profile profiles[SIDES_MAX];
    struct err err;
    if (!flags_parse(&this_command, &options, argc, argv, &err))
        return say_err(&err);
    if (!check(&options, argc, &err))
        return say_err(&err);
    if (options.view.inferred)
        return say_not_inferred();
    int status = profile_load(argv[optind], options.view.quiet, &profiles[BEFORE]);
    if (status != EXIT_DONE)
        return status;
    status = profile_load(argv[optind + 1], options.view.quiet, &profiles[AFTER]);
    if (status == EXIT_DONE) {
        status = diff(&options, &profiles[BEFORE], &profiles[AFTER]);
        profile_release(&profiles[AFTER]);
    }
    profile_release(&profiles[BEFORE]);
    return status;
}
