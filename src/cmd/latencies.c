/* gait latencies: how long loads took, and where what they loaded was. */
#include "cmd/cmd.h"
#include "cmd/options/table_view.h"
#include "analysis/values/latencies.h"

#include <getopt.h>

static const char usage[] =
    "usage: gait latencies [options] [FILE]\n"
    "\n"
    "Shows how long loads of a program took (gait.data of record --events latency), those first\n"
    "that cost most: which part was near, in the third cache, in memory.\n"
    "\n"
    "  -i FILE            the profile, as an option\n"
    "  --no-values        without addresses of cache lines\n"
    "  --module NAME      only places of this module\n"
    "  --limit N          so many places (20; with --json all)\n"
    "  --json             as JSON, schema gait/latencies/1\n"
    "  --color WHEN       auto, always or never (auto: on a terminal, unless NO_COLOR is set)\n"
    "  --no-pager         not through $PAGER, even on a terminal\n"
    "  -v                 names in full, however long\n"
    "  -q                 do not mention damage\n";

enum { OPTION_NO_VALUES = VIEW_OPTION_OWN };

static const struct option own_list[] = {
    {"no-values", no_argument, NULL, OPTION_NO_VALUES},
    {NULL, 0, NULL, 0},
};

struct options {
    struct view_options view;
    bool no_values;
};

static bool own_take(void *to, int option, const char *value, struct err *err)
{
    struct options *options = to;
    (void)option, (void)value, (void)err;
    options->no_values = true;
    return true;
}

static void show(struct scene *scene, void *to, const struct ink *ink, size_t rows)
{
    const struct options *options = to;
    struct latency_view view;
    latency_view_make(&view, scene);
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
        .usage = usage,
        .table = TABLE_LATENCIES,
        .missing = "no latencies in it; gait record --events edge,call,address,latency -- COMMAND "
                   "takes them",
        .event = "latency",
        .unseen = "no latencies in it, though they were asked for: too little was walked, or "
                  "nothing of --only",
        .text_rows = 20,
        .show = show};
    struct options options = {0};
    struct own_options own = {own_list, own_take, &options};
    return table_view_run(&table, &options.view, &own, &options, argc, argv);
}
