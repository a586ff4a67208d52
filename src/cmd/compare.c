/* gait compare: how alike two profiles are, and where they differ most. */
#include "base/err.h"
#include "cmd/cmd.h"
#include "cmd/compare_gcda.h"
#include "cmd/options/view_options.h"
#include "consumers/path_settle.h"
#include "analysis/counts/event_sums.h"
#include "profile/events.h"
#include "profile/file/file.h"
#include "analysis/compare/compare.h"
#include "view/views.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

struct options {
    struct view_options view;
    const char *truth, *other;
};

static bool take_key(void *to, const struct flag *flag, const char *value, struct err *err)
{
    struct options *options = to;
    (void)flag, (void)err;
    bool path = strcmp(value, "path") == 0;
    if (path)
        options->view.by = BY_PATH;
    return path || item_by_parse(value, &options->view.by);
}

static const struct flag flags[] = {
    {"by", 0, "KEY", "edge, block, function, instruction or path", " (edge)", .take = take_key},
    VIEW_WEIGHT(" (count)"),
    VIEW_MODULE("this module only"),
    VIEW_LIMIT("number of differences (10)"),
    VIEW_JSON("as JSON, schema gait/compare/1"),
    VIEW_RAW("counts as recorded"),
    VIEW_INFERRED(": make counts of functions, blocks and edges consistent, by these costs "
                  "(sampled profiles: confidence)"),
    VIEW_EVENT,
    VIEW_QUIET("do not mention damage"),
    {0},
};

static const struct command_line this_command = {
    .usage = "usage: gait compare [options] TRUTH FILE\n\nMeasures how close FILE is to TRUTH, two "
             "profiles of one program. Overlap is the sum over keys\nof the smaller of the two "
             "shares: 100 % when they agree. Two .gcda files of gcc, or folders of\nthem, are "
             "compared on gcc's own graphs; their .gcno files must be beside them.\n",
    .flags = flags,
    .also = view_flags,
};

static bool check(struct options *options, int argc, char **argv, struct err *err)
{
    if (options->view.input)
        return err_set(err, ERR_USAGE, "-i: compare takes two files: gait compare TRUTH FILE");
    if (argc - optind != 2)
        return err_set(err, ERR_USAGE, "expected two files: gait compare TRUTH FILE");
    options->truth = argv[optind];
    options->other = argv[optind + 1];
    enum item_by by = options->view.by;
    if (by == BY_LINE || by == BY_INLINE || by == BY_CALL || by == BY_LOOP)
        return err_set(err, ERR_USAGE, "compare is by edge, block, function, instruction or path");
    return true;
}

static bool comparable(const struct options *options, const struct profile *const *sides,
                       struct err *err)
{
    enum weight weight = options->view.weight;
    enum infer_method method = options->view.method;
    if (method == INFER_CLASSES && !event_sums_known(sides[1]))
        return err_set(err, ERR_FORMAT,
                       "%s: classes need samples of cycles and of stalls beside its own: gait "
                       "record --exact --core NAME --counters 1000 has them of a model",
                       options->other);
    if (method == INFER_PERFECT && sides[0]->mode == PROFILE_PLAIN)
        return err_set(err, ERR_FORMAT, "%s: perfect classes are made of exact counts",
                       options->truth);
    for (int i = 0; i < SIDES_MAX; i++)
        if (sides[i]->mode == PROFILE_PLAIN && !options->view.inferred)
            return err_set(err, ERR_FORMAT,
                           "a plain profile has samples and no counts to compare: --inferred "
                           "makes counts of them, gait diff shows how two of them differ");
    for (int i = 0; options->view.by == BY_PATH && i < SIDES_MAX; i++)
        if (!sides[i]->paths.n || weight == WEIGHT_TIME)
            return err_set(err, ERR_FORMAT, "%s: %s", i ? options->other : options->truth,
                           weight == WEIGHT_TIME
                               ? "paths are compared by count"
                               : "no paths in it; gait record --exact=paths counts them, "
                                 "samples of a second and more have them");
    for (int i = 0; weight == WEIGHT_TIME && i < SIDES_MAX; i++)
        if (sides[i]->mode == PROFILE_EXACT)
            return err_set(err, ERR_FORMAT, "an exact profile has no times: --weight count");
    return true;
}

static int compare(const struct options *options, const struct profile *truth,
                   const struct profile *other)
{
    const struct profile *sides[SIDES_MAX] = {truth, other};
    struct err err;
    if (!comparable(options, sides, &err))
        return say_err(&err);
    struct scene scene;
    struct comparison comparison;
    scene_open(&scene, sides, SIDES_MAX, options->view.module);
    if (options->view.inferred)
        scene_take_plain(&scene);
    scene.verbose = options->view.verbose;
    scene.method = options->view.method;
    for (int i = 0; i < SIDES_MAX; i++)
        scene.inferred[i] = view_infers(&options->view, sides[i]);
    compare_sides(&comparison, &scene, options->view.by, options->view.weight);
    scene.columns = output_columns();
    output_begin(&options->view);
    if (options->view.json)
        compare_json(stdout, &scene, &comparison);
    else
        compare_text(stdout, &scene, &comparison,
                     options->view.has_limit ? options->view.limit : 10);
    comparison_release(&comparison);
    scene_close(&scene);
    return output_status();
}

int cmd_compare(int argc, char **argv)
{
    struct options options = {.view = {.by = BY_EDGE}};
    struct err err;
    if (!flags_parse(&this_command, &options, argc, argv, &err))
        return say_err(&err);
    if (!check(&options, argc, argv, &err))
        return say_err(&err);
    if (path_has_gcda(options.truth) && path_has_gcda(options.other))
        return compare_gcda(&options.view, options.truth, options.other);
    if (options.view.inferred && !item_by_inferred(options.view.by))
        return say_not_inferred();
    struct profile truth, other;
    int status = profile_load(options.truth, options.view.quiet, &truth);
    if (status != EXIT_DONE)
        return status;
    status = profile_load(options.other, options.view.quiet, &other);
    if (status == EXIT_DONE && options.view.event &&
        !profile_choose_event(&other, options.view.event, &err)) {
        err_in(&err, "%s: --event", options.other);
        status = say_err(&err);
        profile_release(&other);
    }
    if (status == EXIT_DONE && options.view.by == BY_PATH) {
        path_settle(&truth);
        path_settle(&other);
    }
    if (status == EXIT_DONE) {
        status = compare(&options, &truth, &other);
        profile_release(&other);
    }
    profile_release(&truth);
    return status;
}
