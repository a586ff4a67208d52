/* gait whatif: what a change would bring before it is made. */
#include "base/err.h"
#include "cmd/cmd.h"
#include "cmd/options/kept_windows.h"
#include "cmd/options/table_view.h"
#include "analysis/whatif/whatif.h"
#include "view/views.h"

#include <stdio.h>

enum { TEXT_ROWS = 10, TRIES = 40 };

struct options {
    struct view_options view;
    struct whatif_asked asked;
    struct whatif whatif;
};

static bool take_kind(void *to, const struct flag *flag, const char *value, struct err *err)
{
    struct options *options = to;
    (void)flag, (void)err;
    options->asked.kinds_set = true;
    return whatif_kind_parse(value, &options->asked.kind);
}

static const struct flag flags[] = {
    VIEW_INPUT,
    {"kind", 0, "KIND", "branch, load, forward, division, inline, unroll, trips, wider or layout",
     ": only changes of this kind", .take = take_kind},
    {"tries", 0, "N", NULL, "number of places that are tried (40)",
     TAKE(u32, struct options, asked.tries), .low = 1, .expected = "a number of places"},
    {"windows", 0, "N", NULL, "so many windows at most, from all of the run (all)",
     TAKE(u32, struct options, asked.windows), .low = 1, .expected = "a number of windows"},
    {"core", 0, "NAME", NULL,
     "the model: a name (gait list cores), native or a file (the one most like the processor that "
     "recorded)",
     TAKE(text, struct options, asked.core)},
    VIEW_MODULE("only places of this module"),
    VIEW_FUNCTION("only places in functions of this name or glob, or in the one at this address"),
    VIEW_TIME,
    VIEW_LIMIT("number of rows (10; with --json all)"),
    VIEW_JSON("as JSON, schema gait/whatif/1"),
    VIEW_OUTPUT,
    {0},
};

static const struct command_line this_command = {
    .usage =
        "usage: gait whatif [options] [FILE]\n\nShows what changes to a program would bring, the "
        "best first: recorded windows are simulated on a\ncore model a second time, with one thing "
        "changed at one place (a branch predicted, a load near, a\ncall inlined), and the "
        "difference is the gain.\n",
    .flags = flags,
    .also = view_flags,
};

static bool make(struct scene *scene, void *to, struct err *err)
{
    struct options *options = to;
    return whatif_make(&options->whatif, scene, &options->asked, err);
}

static void show(struct scene *scene, void *of, const struct ink *ink, size_t rows)
{
    struct options *options = of;
    (void)scene;
    if (options->view.json)
        whatif_json(stdout, &options->whatif, rows);
    else
        whatif_text(stdout, &options->whatif, ink, rows);
    whatif_release(&options->whatif);
}

int cmd_whatif(int argc, char **argv)
{
    static const struct table_view table = {
        .line = &this_command,
        .has = kept_windows_has,
        .why = kept_windows_why,
        .text_rows = TEXT_ROWS,
        .make = make,
        .show = show,
    };
    struct options options = {.asked = {.tries = TRIES}};
    return table_view_run(&table, &options.view, argc, argv);
}
