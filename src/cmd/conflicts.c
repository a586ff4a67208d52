/* gait conflicts: memory accesses that stand in each other's way. */
#include "base/err.h"
#include "cmd/cmd.h"
#include "cmd/options/table_view.h"
#include "analysis/values/conflicts.h"
#include "view/views.h"

#include <stdlib.h>

struct options {
    struct view_options view;
    uint32_t within;
    bool all;
};

static bool take_within(void *to, const struct flag *flag, const char *value, struct err *err)
{
    static const uint32_t distances[CONFLICT_CLASSES] = CONFLICT_DISTANCES;
    struct options *options = to;
    (void)flag, (void)err;
    char *end;
    unsigned long within = strtoul(value, &end, 10);
    for (int i = 0; i < CONFLICT_CLASSES && *value && !*end; i++)
        if (distances[i] == within) {
            options->within = distances[i];
            return true;
        }
    return false;
}

static const struct flag flags[] = {
    VIEW_INPUT,
    {"within", 0, "N", "16, 32, 64, 128, 224 or 512",
     ": pairs up to so many instructions apart (224)", .take = take_within},
    {"all", 0, NULL, NULL, "show rare pairs, and pairs that may be chance, too",
     TAKE(set, struct options, all)},
    VIEW_MODULE("only places of this module"),
    VIEW_FUNCTION("only places of functions of this name or glob, or of the one at this address"),
    VIEW_TIME,
    VIEW_LIMIT("number of pairs (20; with --json all)"),
    VIEW_JSON("as JSON, schema gait/conflicts/1"),
    VIEW_OUTPUT,
    {0},
};

static const struct command_line this_command = {
    .usage = "usage: gait conflicts [options] [FILE]\n\nShows memory accesses that delay each "
             "other (gait.data of record --events address): loads that\ncannot be forwarded from a "
             "store, may overtake one, or share its low address bits; accesses to\ntwo lines or "
             "pages; lines that threads share.\n",
    .flags = flags,
    .also = view_flags,
};

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
        .line = &this_command,
        .table = TABLE_CONFLICTS,
        .missing = "no addresses were recorded; gait record --events edge,call,address,latency -- "
                   "COMMAND records them",
        .event = "address",
        .unseen = "no accesses in it, though addresses were asked for: too little was walked, or "
                  "only code "
                  "without a file, as it is made at run time",
        .text_rows = 20,
        .show = show};
    struct options options = {.within = 224};
    return table_view_run(&table, &options.view, argc, argv);
}
