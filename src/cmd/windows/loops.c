/* gait loops: how loops iterate, access memory, depend on themselves, and what stops vectors. */
#include "base/err.h"
#include "cmd/cmd.h"
#include "cmd/options/kept_windows.h"
#include "cmd/options/table_view.h"
#include "analysis/loops/loop_view.h"
#include "view/views.h"

#include <stdio.h>

enum { TEXT_ROWS = 10 };

struct options {
    struct view_options view;
};

static const struct flag flags[] = {
    VIEW_INPUT,
    VIEW_MODULE("only loops of this module"),
    VIEW_FUNCTION("only loops of functions of this name or glob, or of the one at this address"),
    VIEW_TIME,
    VIEW_LIMIT("number of loops (10; with --json all)"),
    VIEW_JSON("as JSON, schema gait/loops/1"),
    VIEW_OUTPUT,
    {0},
};

static const struct command_line this_command = {
    .usage = "usage: gait loops [options] [FILE]\n\nShows loops, the ones that ran most first: how "
             "often they iterate, the strides of their accesses, the\nvalues that iterations hand "
             "on through memory, what keeps them from being vectorised, and what to do.\n",
    .flags = flags,
    .also = view_flags,
};

static void show(struct scene *scene, void *of, const struct ink *ink, size_t rows)
{
    const struct options *options = of;
    struct loop_view view;
    loop_view_make(&view, scene);
    if (options->view.json)
        loop_view_json(stdout, &view, rows);
    else
        loop_view_text(stdout, &view, ink, rows);
    loop_view_release(&view);
}

int cmd_loops(int argc, char **argv)
{
    static const struct table_view table = {
        .line = &this_command,
        .has = kept_windows_has,
        .why = kept_windows_why,
        .text_rows = TEXT_ROWS,
        .show = show,
    };
    struct options options = {0};
    return table_view_run(&table, &options.view, argc, argv);
}
