/* gait annotate: source and assembly of functions, with what each instruction costs. */
#include "base/err.h"
#include "cmd/cmd.h"
#include "cmd/options/view_options.h"
#include "analysis/report/annotate.h"
#include "text/listing.h"
#include "analysis/report/pick.h"
#include "view/head.h"
#include "view/views.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

struct options {
    struct view_options view;
    const char *function; /* NULL: all that are hot */
    double above_percent;
    enum assembly_syntax syntax;
    struct annotation_style style;
};

static const struct flag flags[] = {
    VIEW_INPUT,
    {"above", 0, "PCT", NULL, "without FUNCTION: functions with at least so many percent (5)",
     TAKE(number, struct options, above_percent), .high = 100, .expected = "a percentage"},
    VIEW_LIMIT("without FUNCTION, or for a glob: number of functions (5)"),
    {"all", 0, NULL, NULL, "show instructions that did not run, too; else they are folded",
     TAKE(set, struct options, style.all)},
    {"side", 0, NULL, NULL, "source beside the assembly; else above it",
     TAKE(set, struct options, style.side)},
    {"syntax", 0, "SYNTAX", "att or intel", " (att)", TAKE(word, struct options, syntax)},
    VIEW_WEIGHT(" (time for sampled and plain profiles)"),
    VIEW_MODULE("functions of this module only"),
    VIEW_PID("this process only"),
    VIEW_TID("this thread only"),
    VIEW_JSON("as JSON, schema gait/annotate/1"),
    VIEW_OUTPUT,
    {0},
};

static const struct command_line this_command = {
    .usage = "usage: gait annotate [options] [FUNCTION [FILE]]\n\nShows source and assembly of a "
             "function with the cost of each instruction; without FUNCTION,\nof all hot functions "
             "(gait.data). FUNCTION: a name, a glob, or MODULE+0xADDRESS.\n",
    .flags = flags,
    .also = view_flags,
};

static bool pick(struct picked *picked, const struct options *options, const struct report *report,
                 struct err *err)
{
    size_t limit = options->view.has_limit ? options->view.limit : 5;
    if (options->function)
        return pick_functions(picked, report, options->function, limit, err);
    for (size_t i = 0; i < report->n && picked->n < limit; i++) {
        const struct report_row *row = &report->at[i];
        if (100 * report_share(report, row).value >= options->above_percent &&
            row->function != FUNCTION_NONE)
            *vec_push(picked) = row;
    }
    if (!picked->n && report->has_plain && !report->plain.kept.sum && report->plain.beside.sum)
        return err_set(err, ERR_MISSING,
                       "all of it was seen in the kernel, whose code is not at "
                       "hand: gait report --module '[kernel]'");
    return picked->n ||
           err_set(err, ERR_MISSING, "no function with code to show has %g %% or more: --above PCT",
                   options->above_percent);
}

/* When the file of the first was last changed; 0: not known. */
static int64_t built_at(const struct report *report, const struct picked *picked)
{
    const struct scene_modules *modules = &report->scene->modules;
    struct stat info;
    uint32_t module = picked->n ? picked->at[0]->module : MODULE_NONE;
    bool found = module < modules->n && stat(modules->at[module].module.path, &info) == 0;
    return found ? info.st_mtime : 0;
}

/* The head is written with the first of them, so that a failure leaves no half of an object. */
static bool show(const struct options *options, const struct annotator *annotator,
                 const struct picked *picked, const struct ink *ink, struct err *err)
{
    const struct report *report = annotator->report;
    struct listing listing;
    struct json json;
    bool good = true;
    listing_begin(&listing);
    listing.built = built_at(report, picked);
    listing.kept = scene_source_kept;
    listing.from = report->scene;
    for (size_t i = 0; i < picked->n && good; i++) {
        struct annotation annotation;
        if (!(good = annotation_make(&annotation, annotator, picked->at[i], err)))
            break;
        if (!i && options->view.json) {
            json_begin(&json, stdout);
            head_json(&json, "annotate", report->scene, 0, BY_INSTRUCTION, report->weight,
                      report->stray);
            json_array(&json, "rows");
        } else if (!i) {
            head_text(stdout, report->scene, 0);
        }
        if (options->view.json)
            annotation_json(&json, &annotation);
        else
            annotation_text(stdout, &annotation, &listing, ink, options->style);
        annotation_release(&annotation);
    }
    if (good && options->view.json) {
        json_array_end(&json);
        json_object_end(&json);
        json_end(&json);
    } else if (good) {
        listing_text(stdout, &listing);
        losses_text(stdout, report->scene, 0, report->stray);
    }
    listing_end(&listing);
    return good;
}

static bool annotate_report(const struct options *options, struct report *report, struct err *err)
{
    struct picked picked = {0};
    bool good = pick(&picked, options, report, err);
    if (good) {
        struct annotator annotator;
        annotator_begin(&annotator, report, picked.at, picked.n, options->syntax);
        struct ink ink = output_begin(&options->view);
        good = show(options, &annotator, &picked, &ink, err);
        annotator_end(&annotator);
    }
    vec_release(&picked);
    return good;
}

/* The only word is a function's name; who means a file finds out here. */
static void say_file(const struct options *options)
{
    struct stat info;
    if (options->function && stat(options->function, &info) == 0 && S_ISREG(info.st_mode))
        say("%s is a file: gait annotate -i %s", options->function, options->function);
}

static int annotate(const struct options *options, const struct profile *profile)
{
    const struct view_options *view = &options->view;
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
    bool good = scene_shows(&scene, &err) && report_make(&report, &scene, wanted, &err);
    if (good) {
        good = annotate_report(options, &report, &err);
        report_release(&report);
    }
    scene_close(&scene);
    int status = output_status();
    if (good)
        return status;
    err_in(&err, "%s", view->input);
    status = say_err(&err);
    say_file(options);
    return status;
}

int cmd_annotate(int argc, char **argv)
{
    struct options options = {.above_percent = 5};
    struct err err;
    if (!flags_parse(&this_command, &options, argc, argv, &err))
        return say_err(&err);
    if (optind < argc)
        options.function = argv[optind++];
    if (optind < argc)
        options.view.input = argv[optind++];
    if (optind < argc) {
        err_set(&err, ERR_USAGE, "one function and one file at a time");
        return say_err(&err);
    }
    if (!options.view.input)
        options.view.input = "gait.data";
    if (options.view.inferred)
        return say_not_inferred();
    struct profile profile;
    int status = profile_load(options.view.input, options.view.quiet, &profile);
    if (status != EXIT_DONE) {
        say_file(&options);
        return status;
    }
    status = annotate(&options, &profile);
    profile_release(&profile);
    return status;
}
