/* gait contexts: who called what, and what was spent there and below. */
#include "base/err.h"
#include "cmd/cmd.h"
#include "cmd/options/view_options.h"
#include "analysis/report/context_rows.h"
#include "analysis/report/contexts.h"
#include "view/views.h"
#include "profile/kernel_names.h"
#include "profile/model_costs.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_ROWS = 20 };

struct options {
    struct view_options view;
    struct contexts_options contexts;
    struct plain_filter filter;
    double min_percent;
    uint32_t depth, below; /* below: CONTEXT_NONE: not given */
};

static bool take_sort(void *to, const struct flag *flag, const char *value, struct err *err)
{
    struct options *options = to;
    int place = flag_word(flag, value);
    (void)err;
    if (place >= 0)
        options->contexts.weighs = model_cost_group((uint32_t)place);
    return place >= 0;
}

static bool take_form(void *to, const struct flag *flag, const char *value, struct err *err)
{
    struct options *options = to;
    (void)value, (void)err;
    options->contexts.form = *flag->name == 't'   ? CONTEXTS_TOP_DOWN
                             : *flag->name == 'b' ? CONTEXTS_BOTTOM_UP
                                                  : CONTEXTS_FLAT;
    return true;
}

static const struct flag flags[] = {
    VIEW_INPUT,
    {"top-down", 0, NULL, NULL, "from callers to what they call (default)", .take = take_form},
    {"bottom-up", 0, NULL, NULL, "from functions with time of their own to their callers",
     .take = take_form},
    {"flat", 0, NULL, NULL, "functions, with their own time and that of everything they call",
     .take = take_form},
    {"sort", 0, "METRIC", MODEL_COST_WORDS, ": weigh by what a core model computed",
     .take = take_sort},
    {"min", 0, "PCT", NULL, "add up contexts with less than PCT % of all (0.5)",
     TAKE(number, struct options, min_percent), .high = 100, .expected = "a percentage"},
    {"depth", 0, "N", NULL, "number of levels (all)", TAKE(u32, struct options, depth), .low = 1,
     .expected = "a number of levels"},
    {"below", 0, "ID", NULL,
     "with --json: only the context with this id, its callers, and everything below it",
     TAKE(u32, struct options, below), .expected = "the id of a context in --json"},
    {"by-thread", 0, NULL, NULL, "each thread has its own root",
     TAKE(set, struct options, contexts.threads)},
    VIEW_PID("this process only"),
    VIEW_TID("this thread only"),
    VIEW_TIME,
    VIEW_EVENT,
    VIEW_MODULE("only samples whose innermost code is in this module"),
    VIEW_FUNCTION("only stacks with a function of this name or glob; its callers bottom-up"),
    {"kernel", 0, NULL, NULL, "weigh kernel time instead of user time",
     TAKE(set, struct options, filter.kernel)},
    {"cpu-time", 0, NULL, NULL, "weigh user and kernel time together, as gait report does",
     TAKE(set, struct options, contexts.both)},
    {"sites", 0, NULL, NULL, "separate calls from different places of a function (always in JSON)",
     TAKE(set, struct options, contexts.sites)},
    {"unfolded", 0, NULL, NULL, "do not fold recursion",
     TAKE(set, struct options, contexts.unfolded)},
    {"no-inline", 0, NULL, NULL, "inlined functions are part of the function around them",
     TAKE(set, struct options, contexts.no_inlines)},
    VIEW_LIMIT("number of functions or roots (20; with --json all)"),
    VIEW_JSON("as JSON, schema gait/contexts/1"),
    VIEW_OUTPUT,
    {0},
};

static const struct command_line this_command = {
    .usage = "usage: gait contexts [options] [FILE]\n\nShows who calls whom in a recording "
             "(gait.data), and how much time each call chain takes,\nwith 95 % intervals.\n",
    .flags = flags,
    .also = view_flags,
};

static bool check(struct options *options, int argc, char **argv, struct err *err)
{
    if (!view_input(&options->view, argc, argv, err))
        return false;
    if (options->below != CONTEXT_NONE && !options->view.json)
        return err_set(err, ERR_USAGE, "--below: ids are those of --json, which is missing");
    options->filter.pid = options->view.pid;
    options->filter.tid = options->view.tid;
    if (options->contexts.both && options->filter.kernel)
        return err_set(err, ERR_USAGE, "--cpu-time has the kernel's time: leave out --kernel");
    options->filter.kernel |= !options->contexts.both && options->view.module &&
                              strcmp(options->view.module, "[kernel]") == 0;
    options->contexts.module = options->view.module;
    options->contexts.function = options->view.function;
    options->contexts.sites |= options->view.json;
    return true;
}

static bool print_json(const struct options *options, struct calling_contexts *contexts,
                       struct err *err)
{
    struct context_rows rows;
    struct context_choice choice = {.limit = view_rows(&options->view, TEXT_ROWS),
                                    .has_below = options->below != CONTEXT_NONE,
                                    .below = options->below};
    if (!context_rows_make(&rows, contexts, choice, err))
        return false;
    output_begin(&options->view);
    contexts_json(stdout, contexts, &rows);
    context_rows_release(&rows);
    return true;
}

static void print_text(const struct options *options, struct calling_contexts *contexts)
{
    contexts->plain->scene->columns = output_columns();
    struct ink ink = output_begin(&options->view);
    contexts_weigh(contexts, NULL, 0);
    contexts_text(stdout, contexts, &ink,
                  (struct contexts_text_options){.min_share = options->min_percent / 100,
                                                 .depth = options->depth,
                                                 .limit = view_rows(&options->view, TEXT_ROWS)});
}

static bool show(const struct options *options, struct plain *plain, struct err *err)
{
    struct calling_contexts contexts;
    struct contexts_options how = options->contexts;
    how.no_inlines |= plain->profile->mode == PROFILE_EXACT; /* what is inlined is not called */
    contexts_make(&contexts, plain, how);
    if (how.weighs && (plain->profile->mode != PROFILE_EXACT || !contexts_modelled(&contexts))) {
        contexts_release(&contexts);
        return err_set(err, ERR_FORMAT,
                       "no model of a core has seen it; gait record --exact=trace+contexts --core "
                       "CORE has one see it");
    }
    if (contexts.too_many) {
        err_set(err, ERR_FORMAT,
                "a bottom-up tree could have %" PRIu64 " million contexts, which is too many; "
                "--function NAME shows the callers of one function, --flat lists functions",
                contexts.too_many / 1000000);
        contexts_release(&contexts);
        return false;
    }
    bool asked = options->contexts.module || options->contexts.function;
    bool any = contexts.whole.sum || contexts.beside.sum;
    bool good = true;
    if ((any || !asked) && options->view.json)
        good = print_json(options, &contexts, err);
    else if (any || !asked)
        print_text(options, &contexts);
    contexts_release(&contexts);
    if (any || !asked)
        return good;
    return err_set(err, ERR_MISSING, "%s did not run in this recording; gait report shows what ran",
                   options->contexts.function ? options->contexts.function
                                              : options->contexts.module);
}

static int contexts(const struct options *options, const struct profile *profile)
{
    struct err err;
    struct scene scene;
    struct plain plain;
    if (profile->mode != PROFILE_PLAIN && !stacks_have_callers(&profile->stacks)) {
        err_set(
            &err, ERR_FORMAT,
            "%s: this recording in %s mode has no stacks; gait record -- COMMAND keeps them, and "
            "--exact=contexts counts calls",
            options->view.input, profile_mode_name(profile->mode));
        return say_err(&err);
    }
    /* Callers are named whatever module is asked for: all are opened. */
    scene_open(&scene, &profile, 1, NULL);
    scene.verbose = options->view.verbose;
    bool ok = plain_open(&plain, &scene, 0, options->filter, &err);
    if (ok) {
        if (!options->view.json)
            plain_fold_stubs(&plain);
        ok = show(options, &plain, &err);
        plain_close(&plain);
    }
    if (!ok)
        err_in(&err, "%s", options->view.input);
    scene_close(&scene);
    return ok ? output_status() : say_err(&err);
}

int cmd_contexts(int argc, char **argv)
{
    struct options options = {.min_percent = 0.5, .depth = UINT32_MAX, .below = CONTEXT_NONE};
    struct err err;
    if (!flags_parse(&this_command, &options, argc, argv, &err))
        return say_err(&err);
    if (!check(&options, argc, argv, &err))
        return say_err(&err);
    if (options.view.inferred)
        return say_not_inferred();
    struct profile profile;
    int status = view_load(&options.view, &profile);
    if (status != EXIT_DONE)
        return status;
    kernel_names_complete(&profile);
    status = contexts(&options, &profile);
    profile_release(&profile);
    return status;
}
