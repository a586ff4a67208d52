#include "cmd/options/function_view.h"

#include "analysis/report/report.h"
#include "base/err.h"
#include "cmd/cmd.h"
#include "profile/profile.h"

#include <getopt.h>
#include <string.h>
#include <sys/stat.h>

bool function_view_words(struct view_options *view, struct function_view *function, int argc,
                         char **argv, struct err *err)
{
    if (optind < argc)
        function->typed = argv[optind++];
    if (optind < argc)
        view->input = argv[optind++];
    if (optind < argc)
        return err_set(err, ERR_USAGE, "one function and one file at a time");
    if (!view->input)
        view->input = "gait.data";
    return true;
}

/* The only word is a function's name; who means a file finds out here. */
static void say_file(const struct function_view *function)
{
    struct stat info;
    if (function->typed && stat(function->typed, &info) == 0 && S_ISREG(info.st_mode))
        say("%s is a file: gait %s -i %s", function->typed, function->command, function->typed);
}

/* The one function that is meant, if it is one: then the graphs of all others need not be built. */
static const struct scene_function *function_meant(struct scene *scene, const char *typed)
{
    const struct scene_function *found = NULL, *equal = NULL;
    size_t matches = 0, equals = 0;
    for (size_t i = 0; i < scene->functions.n; i++) {
        const struct scene_function *one = &scene->functions.at[i];
        const char *name = scene_function_name(scene, one->module, one->function);
        if (!scene_function_wanted(scene, one->module, one->function, name))
            continue;
        found = one;
        matches++;
        if (strcmp(name, typed) == 0) {
            equal = one;
            equals++;
        }
    }
    return equals == 1 ? equal : matches == 1 ? found : NULL;
}

static void scene_narrow(struct scene *scene, const char *typed)
{
    scene_want_function(scene, typed);
    const struct scene_function *meant = function_meant(scene, typed);
    if (meant && meant->function != FUNCTION_NONE)
        scene_only_place(scene, meant->module, meant->function);
    else
        scene->only_function = NULL; /* who means none, or several, is told which there are */
}

static int show(const struct view_options *view, const struct function_view *function, void *of,
                const struct profile *profile)
{
    struct report_options wanted = {.by = BY_FUNCTION,
                                    .weight = view->weight,
                                    .has_weight = view->has_weight,
                                    .pid = view->pid,
                                    .tid = view->tid};
    struct scene scene;
    struct report report;
    struct err err;
    scene_open(&scene, &profile, 1, view->module);
    scene.verbose = view->verbose;
    if (function->typed)
        scene_narrow(&scene, function->typed);
    bool good = scene_shows(&scene, &err) && report_make(&report, &scene, wanted, &err);
    if (good) {
        good = function->show(&report, of, &err);
        report_release(&report);
    }
    scene_close(&scene);
    int status = output_status();
    if (good)
        return status;
    err_in(&err, "%s", view->input);
    status = say_err(&err);
    say_file(function);
    return status;
}

int function_view_run(const struct view_options *view, const struct function_view *function,
                      void *of)
{
    struct profile profile;
    if (view->inferred)
        return say_not_inferred();
    int status = view_load(view, &profile);
    if (status != EXIT_DONE) {
        say_file(function);
        return status;
    }
    status = show(view, function, of, &profile);
    profile_release(&profile);
    return status;
}
