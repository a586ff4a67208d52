/* gait report: what ran, heaviest first. */
#include "base/err.h"
#include "cmd/cmd.h"
#include "cmd/options/view_options.h"
#include "analysis/report/ranking.h"
#include "analysis/report/relatives.h"
#include "analysis/report/report.h"
#include "view/views.h"
#include "profile/kernel_names.h"

#include <stdint.h>
#include <stdio.h>

struct options {
    struct view_options view;
    struct rank_keys keys; /* n 0: rows are items */
    const char *callers_of, *callees_of;
    bool stubs; /* stubs of the PLT are functions like others */
};

/* One word may be an item, which has counts; several are of time alone. */
static bool take_keys(void *to, const struct flag *flag, const char *value, struct err *err)
{
    struct options *options = to;
    (void)flag;
    (void)err;
    options->keys.n = 0;
    return item_by_parse(value, &options->view.by) || rank_keys_parse(value, &options->keys);
}

static const struct flag flags[] = {
    VIEW_INPUT,
    {"by", 0, "KEY",
     "function, line, inline, block, edge, instruction, call, loop, module, source-file, process, "
     "thread, cpu or python",
     " (function); or several of process, thread, cpu, module, source-file, function, python, "
     "line: process,function",
     .take = take_keys},
    VIEW_WEIGHT(": executions (of functions and lines: executed instructions), or user CPU time "
                "(time for sampled functions and lines, else count)"),
    VIEW_MODULE("this module only; [kernel]: kernel time"),
    VIEW_FUNCTION("functions of this name or glob only; with --by call calls from and to them"),
    {"callers-of", 0, "NAME", NULL, "who calls this function, and for how much of its time",
     TAKE(text, struct options, callers_of)},
    {"callees-of", 0, "NAME", NULL, "whom this function calls, and how much of its time they take",
     TAKE(text, struct options, callees_of)},
    {"plt", 0, NULL, NULL, "stubs of the PLT as rows of their own (always in JSON)",
     TAKE(set, struct options, stubs)},
    VIEW_PID("this process only"),
    VIEW_TID("this thread only"),
    VIEW_TIME,
    VIEW_EVENT,
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
        "heaviest first, each figure with its 95 %\ninterval, and says what to look at first. "
        "\"2.3% +4.5\" reaches up to 6.8 %, "
        "\"98.0% -2.5\" down\nto 95.5 %: the other end is near 0 or 100 %.\n",
    .flags = flags,
    .also = view_flags,
};

enum { TEXT_ROWS = 20 };

static bool make(struct report *report, struct scene *scene, const struct options *all,
                 struct err *err)
{
    const struct view_options *options = &all->view;
    struct report_options wanted = {.by = options->by,
                                    .weight = options->weight,
                                    .has_weight = options->has_weight,
                                    .pid = options->pid,
                                    .tid = options->tid,
                                    .input = options->input,
                                    .fold_stubs = !all->stubs && !options->json,
                                    .only_timed = !options->json && !options->verbose,
                                    .both = true};
    if (!scene_shows(scene, err))
        return err_in(err, "--module %s", options->module);
    if (options->function && options->by == BY_CALL)
        wanted.either = options->function;
    else if (options->function)
        scene_only_function(scene, options->function);
    return report_make(report, scene, wanted, err);
}

static int report(const struct options *all, const struct profile *profile)
{
    const struct view_options *options = &all->view;
    struct scene scene;
    struct report report;
    struct err err;
    scene_open(&scene, &profile, 1, options->module);
    scene.verbose = options->verbose;
    scene.inferred[0] = view_infers(options, profile);
    scene.method = options->method;
    if (!make(&report, &scene, all, &err)) {
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

static int rank(const struct options *options, const struct profile *profile)
{
    struct scene scene;
    struct ranking ranking;
    struct err err;
    const struct view_options *view = &options->view;
    struct rank_filter filter = {.pid = view->pid, .tid = view->tid, .input = view->input};
    scene_open(&scene, &profile, 1, view->module);
    scene.verbose = view->verbose;
    bool good = scene_shows(&scene, &err) || err_in(&err, "--module %s", view->module);
    if (good && view->function)
        scene_only_function(&scene, view->function);
    if (!good || !ranking_make(&ranking, &scene, options->keys, filter, &err)) {
        scene_close(&scene);
        err_in(&err, "%s", view->input);
        return say_err(&err);
    }
    scene.columns = output_columns();
    struct ink ink = output_begin(view);
    if (view->json)
        ranking_json(stdout, &ranking, view_rows(view, TEXT_ROWS));
    else
        ranking_text(stdout, &ranking, &ink, view_rows(view, TEXT_ROWS));
    ranking_release(&ranking);
    scene_close(&scene);
    return output_status();
}

static int relate(const struct options *options, const struct profile *profile)
{
    struct scene scene;
    struct relatives relatives;
    struct err err;
    const struct view_options *view = &options->view;
    enum relation relation = options->callers_of ? CALLERS : CALLEES;
    const char *name = options->callers_of ? options->callers_of : options->callees_of;
    scene_open(&scene, &profile, 1, NULL);
    scene.verbose = view->verbose;
    if (!relatives_make(&relatives, &scene, relation, name, &err)) {
        scene_close(&scene);
        err_in(&err, "%s", view->input);
        return say_err(&err);
    }
    scene.columns = output_columns();
    struct ink ink = output_begin(view);
    if (view->json)
        relatives_json(stdout, &relatives, view_rows(view, TEXT_ROWS));
    else
        relatives_text(stdout, &relatives, &ink, view_rows(view, TEXT_ROWS));
    relatives_release(&relatives);
    scene_close(&scene);
    return output_status();
}

static int show(const struct options *options, struct profile *profile)
{
    const struct view_options *view = &options->view;
    bool kernel = view->module && strcmp(view->module, "[kernel]") == 0;
    bool stacks = profile->mode == PROFILE_PLAIN || view->pid || view->tid || kernel;
    bool related = options->callers_of || options->callees_of;
    struct err err;
    if (view->inferred && (stacks || options->keys.n || related))
        return say_not_inferred();
    if (kernel || options->keys.n || related || view->by == BY_FUNCTION)
        kernel_names_complete(profile);
    if (related)
        return relate(options, profile);
    if (rank_keys_have(&options->keys, RANK_CPU) && !profile_split_cpus(profile, &err)) {
        err_in(&err, "%s: --by cpu", view->input);
        return say_err(&err);
    }
    return options->keys.n ? rank(options, profile) : report(options, profile);
}

int cmd_report(int argc, char **argv)
{
    struct options options = {.view = {.by = BY_FUNCTION}};
    struct err err;
    if (!flags_parse(&this_command, &options, argc, argv, &err))
        return say_err(&err);
    if (!view_input(&options.view, argc, argv, &err))
        return say_err(&err);
    if (options.view.inferred && !item_by_inferred(options.view.by))
        return say_not_inferred();
    if (options.view.inferred && options.view.method >= INFER_CLASSES) {
        err_set(&err, ERR_USAGE,
                "--inferred: classes and perfect are of plain samples; gait compare makes them");
        return say_err(&err);
    }
    struct profile profile;
    bool counts = options.view.by == BY_EDGE || options.view.by == BY_LOOP;
    int status = (counts ? view_load_counts : view_load)(&options.view, &profile);
    if (status != EXIT_DONE)
        return status;
    status = show(&options, &profile);
    profile_release(&profile);
    return status;
}
