/* gait conflicts: memory accesses that stand in each other's way. */
#include "base/err.h"
#include "cmd/cmd.h"
#include "cmd/options/table_view.h"
#include "analysis/values/conflicts.h"

#include <getopt.h>
#include <stdlib.h>

static const char usage[] =
    "usage: gait conflicts [options] [FILE]\n"
    "\n"
    "Shows memory accesses that stand in each other's way (gait.data of record --events address):\n"
    "loads that cannot be forwarded from a store, that may overtake one, that are alike in their "
    "low\n"
    "bits; accesses to two lines or pages; lines that threads share.\n"
    "\n"
    "  -i FILE            the profile, as an option\n"
    "  --within N         pairs up to N instructions apart: 16, 32, 64, 128, 224 or 512 (224)\n"
    "  --all              rare ones, too, and such as chance has\n"
    "  --module NAME      only places of this module\n"
    "  --limit N          so many (20; with --json all)\n"
    "  --json             as JSON, schema gait/conflicts/1\n"
    "  --color WHEN       auto, always or never (auto: on a terminal, unless NO_COLOR is set)\n"
    "  --no-pager         not through $PAGER, even on a terminal\n"
    "  -v                 names in full, however long\n"
    "  -q                 do not mention damage\n";

enum { OPTION_WITHIN = VIEW_OPTION_OWN, OPTION_ALL };

static const struct option own_list[] = {
    {"within", required_argument, NULL, OPTION_WITHIN},
    {"all", no_argument, NULL, OPTION_ALL},
    {NULL, 0, NULL, 0},
};

struct options {
    struct view_options view;
    uint32_t within;
    bool all;
};

static bool own_take(void *to, int option, const char *value, struct err *err)
{
    static const uint32_t distances[CONFLICT_CLASSES] = CONFLICT_DISTANCES;
    struct options *options = to;
    if (option == OPTION_ALL) {
        options->all = true;
        return true;
    }
    char *end;
    unsigned long within = strtoul(value, &end, 10);
    for (int i = 0; i < CONFLICT_CLASSES && *value && !*end; i++)
        if (distances[i] == within) {
            options->within = distances[i];
            return true;
        }
    return err_set(err, ERR_USAGE, "--within %s: expected 16, 32, 64, 128, 224 or 512", value);
}

static void show(struct scene *scene, void *to, const struct ink *ink, size_t rows)
{
    const struct options *options = to;
    struct conflict_view view;
    conflict_view_make(&view, scene, options->within, options->all);
    if (options->view.json)
        conflict_view_json(stdout, &view, rows);
    else
        conflict_view_text(stdout, &view, ink, rows);
    conflict_view_release(&view);
}

int cmd_conflicts(int argc, char **argv)
{
    static const struct table_view table = {
        .usage = usage,
        .table = TABLE_CONFLICTS,
        .missing = "no addresses were recorded; gait record --events edge,call,address,latency -- "
                   "COMMAND takes them",
        .event = "address",
        .unseen = "no accesses in it, though addresses were asked for: too little was walked, or "
                  "only code "
                  "without a file, as it is made at run time",
        .text_rows = 20,
        .show = show};
    struct options options = {.within = 224};
    struct own_options own = {own_list, own_take, &options};
    return table_view_run(&table, &options.view, &own, &options, argc, argv);
}
