/* gait latencies: how long loads took, and where what they loaded was. */
#include "cmd/cmd.h"
#include "cmd/options/table_view.h"
#include "analysis/values/latencies.h"
#include "view/views.h"

struct options {
    struct view_options view;
    bool no_values;
};

static const struct flag flags[] = {
    VIEW_INPUT,
    {"no-values", 0, NULL, NULL, "hide addresses of cache lines",
     TAKE(set, struct options, no_values)},
    VIEW_MODULE("only places of this module"),
    VIEW_FUNCTION("only places of functions of this name or glob, or of the one at this address"),
    VIEW_TIME,
    VIEW_LIMIT("number of places (20; with --json all)"),
    VIEW_JSON("as JSON, schema gait/latencies/1"),
    VIEW_OUTPUT,
    {0},
};

static const struct command_line this_command = {
    .usage = "usage: gait latencies [options] [FILE]\n\nShows which loads are slow (gait.data of "
             "record --events latency), the most expensive first,\nand how many were served by "
             "near caches, the third-level cache or memory.\n",
    .flags = flags,
    .also = view_flags,
};

static void show(struct scene *scene, void *to, const struct ink *ink, size_t rows)
{
    const struct options *options = to;
    struct latency_view view;
    latency_view_make(&view, scene);
    latency_view_narrow(&view);
    if (options->no_values)
        latency_view_forget_lines(&view);
    if (options->view.json)
        latency_view_json(stdout, &view, rows);
    else
        latency_view_text(stdout, &view, ink, rows);
    latency_view_release(&view);
}

int cmd_latencies(int argc, char **argv)
{
    static const struct table_view table = {
        .line = &this_command,
        .table = TABLE_LATENCIES,
        .missing = "no latencies in it; gait record --events edge,call,address,latency -- COMMAND "
                   "records them",
        .event = "latency",
        .unseen = "no latencies in it, though they were asked for: too little was walked, or "
                  "nothing of --only",
        .text_rows = 20,
        .show = show};
    struct options options = {0};
    return table_view_run(&table, &options.view, argc, argv);
}
