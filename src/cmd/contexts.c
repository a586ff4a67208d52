/* gait contexts: who called what, and what was spent there and below. */
#include "base/err.h"
#include "cmd/cmd.h"
#include "cmd/options/view_options.h"
#include "analysis/report/contexts.h"

#include <errno.h>
#include <getopt.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: gait contexts [options] [FILE]\n"
    "\n"
    "Shows the calling contexts of a recording (gait.data), each figure with its 95 % interval.\n"
    "\n"
    "  -i FILE            the profile, as an option\n"
    "  --top-down         from callers to what they call (default)\n"
    "  --bottom-up        from functions with time of their own to their callers\n"
    "  --flat             functions, with what they spent themselves and in all they called\n"
    "  --sort METRIC      weighed by what a model of a core said: l1d, mispredict or stall\n"
    "  --min PCT          add up what has less than PCT % of all (0.5)\n"
    "  --depth N          so many levels (all)\n"
    "  --by-thread        each thread is a root of its own\n"
    "  --pid N            this process only\n"
    "  --tid N            this thread only\n"
    "  --module NAME      only what was seen with code of this module innermost\n"
    "  --function NAME    only stacks with a function of this name or glob; its callers bottom-up\n"
    "  --kernel           weigh kernel time; without it, it stands beside\n"
    "  --sites            tell calls from different places of a function apart (always in JSON)\n"
    "  --unfolded         show recursion as it is on the stacks\n"
    "  --no-inline        inlined functions are part of what they are inlined into\n"
    "  --limit N          so many functions or roots (20; with --json all)\n"
    "  --json             as JSON, schema gait/contexts/1\n"
    "  --color WHEN       auto, always or never (auto: on a terminal, unless NO_COLOR is set)\n"
    "  --no-pager         not through $PAGER, even on a terminal\n"
    "  -v                 names in full, however long\n"
    "  -q                 do not mention damage\n";

enum { TEXT_ROWS = 20 };

enum {
    OPTION_TOP_DOWN = VIEW_OPTION_OWN,
    OPTION_BOTTOM_UP,
    OPTION_FLAT,
    OPTION_MIN,
    OPTION_DEPTH,
    OPTION_BY_THREAD,
    OPTION_KERNEL,
    OPTION_SITES,
    OPTION_UNFOLDED,
    OPTION_NO_INLINE,
    OPTION_SORT,
};

static const struct option own_list[] = {
    {"top-down", no_argument, NULL, OPTION_TOP_DOWN},
    {"bottom-up", no_argument, NULL, OPTION_BOTTOM_UP},
    {"flat", no_argument, NULL, OPTION_FLAT},
    {"min", required_argument, NULL, OPTION_MIN},
    {"depth", required_argument, NULL, OPTION_DEPTH},
    {"by-thread", no_argument, NULL, OPTION_BY_THREAD},
    {"kernel", no_argument, NULL, OPTION_KERNEL},
    {"sites", no_argument, NULL, OPTION_SITES},
    {"unfolded", no_argument, NULL, OPTION_UNFOLDED},
    {"no-inline", no_argument, NULL, OPTION_NO_INLINE},
    {"sort", required_argument, NULL, OPTION_SORT},
    {NULL, 0, NULL, 0},
};

struct options {
    struct view_options view;
    struct contexts_options contexts;
    struct plain_filter filter;
    double min_percent;
    uint32_t depth;
};

static bool parse_depth(const char *text, uint32_t *ret_depth, struct err *err)
{
    char *end;
    errno = 0;
    unsigned long value = strtoul(text, &end, 10);
    if (errno || end == text || *end || *text == '-' || !value || value > UINT32_MAX)
        return err_set(err, ERR_USAGE, "--depth %s: not a number of levels", text);
    *ret_depth = (uint32_t)value;
    return true;
}

static bool sort_take(struct options *options, const char *value, struct err *err)
{
    static const char *const names[] = {"l1d", "mispredict", "stall"};
    for (uint32_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(value, names[i])) {
            options->contexts.weighs = STACK_L1D + i;
            return true;
        }
    return err_set(err, ERR_USAGE, "--sort %s: expected l1d, mispredict or stall", value);
}

static bool own_take(void *to, int option, const char *value, struct err *err)
{
    struct options *options = to;
    switch (option) {
    case OPTION_SORT: return sort_take(options, value, err);
    case OPTION_TOP_DOWN: options->contexts.form = CONTEXTS_TOP_DOWN; return true;
    case OPTION_BOTTOM_UP: options->contexts.form = CONTEXTS_BOTTOM_UP; return true;
    case OPTION_FLAT: options->contexts.form = CONTEXTS_FLAT; return true;
    case OPTION_BY_THREAD: options->contexts.threads = true; return true;
    case OPTION_SITES: options->contexts.sites = true; return true;
    case OPTION_UNFOLDED: options->contexts.unfolded = true; return true;
    case OPTION_NO_INLINE: options->contexts.no_inlines = true; return true;
    case OPTION_KERNEL: options->filter.kernel = true; return true;
    case OPTION_MIN: return percent_parse("--min", value, &options->min_percent, err);
    default: return parse_depth(value, &options->depth, err);
    }
}

static bool check(struct options *options, int argc, char **argv, struct err *err)
{
    if (!view_input(&options->view, argc, argv, err))
        return false;
    options->filter.pid = options->view.pid;
    options->filter.tid = options->view.tid;
    options->filter.kernel |= options->view.module && strcmp(options->view.module, "[kernel]") == 0;
    options->contexts.module = options->view.module;
    options->contexts.function = options->view.function;
    options->contexts.sites |= options->view.json;
    return true;
}

static bool show(const struct options *options, struct plain *plain, struct err *err)
{
    struct contexts contexts;
    size_t rows = view_rows(&options->view, TEXT_ROWS);
    struct contexts_options how = options->contexts;
    how.no_inlines |= plain->profile->mode == PROFILE_EXACT; /* what is inlined is not called */
    contexts_make(&contexts, plain, how);
    if (how.weighs && (plain->profile->mode != PROFILE_EXACT || !contexts_modelled(&contexts))) {
        contexts_release(&contexts);
        return err_set(err, ERR_FORMAT,
                       "no model of a core has seen it; gait record --exact=trace+contexts --core "
                       "CORE has one see it");
    }
    bool asked = options->contexts.module || options->contexts.function;
    bool any = contexts.whole.sum || contexts.beside.sum;
    if (any || !asked) {
        struct ink ink = output_begin(&options->view);
        if (options->view.json)
            contexts_json(stdout, &contexts, rows);
        else
            contexts_text(stdout, &contexts, &ink,
                          (struct contexts_text_options){.min_share = options->min_percent / 100,
                                                         .depth = options->depth,
                                                         .limit = rows});
    }
    contexts_release(&contexts);
    if (any || !asked)
        return true;
    return err_set(err, ERR_MISSING, "nothing was seen of %s; gait report shows what was",
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
    struct options options = {.min_percent = 0.5, .depth = UINT32_MAX};
    struct own_options own = {own_list, own_take, &options};
    struct err err;
    if (!view_options_parse(&options.view, &own, argc, argv, &err))
        return say_err(&err);
    if (options.view.help)
        return show_usage(usage);
    if (!check(&options, argc, argv, &err))
        return say_err(&err);
    if (options.view.inferred)
        return say_not_inferred();
    struct profile profile;
    int status = profile_load(options.view.input, options.view.quiet, &profile);
    if (status != EXIT_DONE)
        return status;
    status = contexts(&options, &profile);
    profile_release(&profile);
    return status;
}
