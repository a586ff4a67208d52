/* gait latencies: how long loads took, and where what they loaded was. */
#include "cmd/cmd.h"
#include "cmd/table_view.h"
#include "view/latencies.h"

static const char usage[] =
    "usage: gait latencies [options] [FILE]\n"
    "\n"
    "Shows how long loads of a program took (gait.data of record --events latency), those first\n"
    "that cost most: which part was near, in the third cache, in memory.\n"
    "\n"
    "  -i FILE            the profile, as an option\n"
    "  --module NAME      only places of this module\n"
    "  --limit N          so many places (20; with --json all)\n"
    "  --json             as JSON, schema gait/latencies/1\n"
    "  --color WHEN       auto, always or never (auto: on a terminal, unless NO_COLOR is set)\n"
    "  --no-pager         not through $PAGER, even on a terminal\n"
    "  -v                 names in full, however long\n"
    "  -q                 do not mention damage\n";

static void show(struct scene *scene, void *options, const struct ink *ink, size_t rows)
{
    const struct view_options *view_options = options;
    struct latency_view view;
    latency_view_make(&view, scene);
    if (view_options->json)
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
        .text_rows = 20,
        .show = show};
    struct view_options options = {0};
    return table_view_run(&table, &options, NULL, &options, argc, argv);
}
