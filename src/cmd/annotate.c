/* gait annotate: source and assembly of functions, with what each instruction costs. */
#include "base/err.h"
#include "cmd/cmd.h"
#include "cmd/options/function_view.h"
#include "analysis/report/annotate.h"
#include "text/listing.h"
#include "analysis/report/pick.h"
#include "view/head.h"
#include "view/views.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

struct options {
    struct view_options view;
    struct function_view function; /* not typed: all that are hot */
    double above_percent;
    enum assembly_syntax syntax;
    struct annotation_style style;
    bool source;
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
    VIEW_TIME,
    VIEW_EVENT,
    VIEW_PID("this process only"),
    VIEW_TID("this thread only"),
    VIEW_JSON("as JSON, schema gait/annotate/1"),
    {"source", 0, NULL, NULL, "with --json: also the source, with what each line costs",
     TAKE(set, struct options, source)},
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
    if (options->function.typed)
        return pick_functions(picked, report, options->function.typed, limit, err);
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

struct annotations {
    VEC(struct annotation);
};

static void show_json(const struct options *options, const struct report *report,
                      const struct annotations *all, struct listing *listing)
{
    struct json json;
    json_begin(&json, stdout);
    head_json(&json, "annotate", report->scene, 0, BY_INSTRUCTION, report->weight, report->stray);
    json_array(&json, "functions");
    for (size_t i = 0; i < all->n; i++)
        annotation_function_json(&json, &all->at[i]);
    json_array_end(&json);
    if (options->source) {
        json_array(&json, "sources");
        for (size_t i = 0; i < all->n; i++)
            annotation_source_json(&json, &all->at[i], listing);
        json_array_end(&json);
    }
    json_array(&json, "rows");
    for (size_t i = 0; i < all->n; i++)
        annotation_json(&json, &all->at[i], options->source);
    json_array_end(&json);
    json_object_end(&json);
    json_end(&json);
}

static void show_text(const struct options *options, const struct report *report,
                      const struct annotations *all, struct listing *listing, const struct ink *ink)
{
    head_text(stdout, report->scene, 0);
    for (size_t i = 0; i < all->n; i++)
        annotation_text(stdout, &all->at[i], listing, ink, options->style);
    listing_text(stdout, listing);
    losses_text(stdout, report->scene, 0, report->stray);
}

/* All are made before anything is written, so that a failure leaves no half of an object. */
static bool show(const struct options *options, const struct annotator *annotator,
                 const struct picked *picked, const struct ink *ink, struct err *err)
{
    const struct report *report = annotator->report;
    struct annotations all = {0};
    struct listing listing;
    bool good = true;
    listing_begin(&listing);
    listing.built = built_at(report, picked);
    listing.kept = scene_source_kept;
    listing.from = report->scene;
    for (size_t i = 0; i < picked->n && good; i++) {
        struct annotation annotation;
        good = annotation_make(&annotation, annotator, picked->at[i], err);
        if (good)
            *vec_push(&all) = annotation;
    }
    if (good && options->view.json)
        show_json(options, report, &all, &listing);
    else if (good)
        show_text(options, report, &all, &listing, ink);
    for (size_t i = 0; i < all.n; i++)
        annotation_release(&all.at[i]);
    vec_release(&all);
    listing_end(&listing);
    return good;
}

static bool annotate_report(struct report *report, void *of, struct err *err)
{
    const struct options *options = of;
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

int cmd_annotate(int argc, char **argv)
{
    struct options options = {.above_percent = 5,
                              .function = {.command = "annotate", .show = annotate_report}};
    struct err err;
    if (!flags_parse(&this_command, &options, argc, argv, &err) ||
        !function_view_words(&options.view, &options.function, argc, argv, &err))
        return say_err(&err);
    return function_view_run(&options.view, &options.function, &options);
}
