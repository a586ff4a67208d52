/* gait waste: work that had no effect. */
#include "base/err.h"
#include "cmd/cmd.h"
#include "cmd/options/table_view.h"
#include "analysis/waste/waste_view.h"
#include "analysis/waste/waste_words.h"
#include "view/views.h"

#include <stdlib.h>

struct options {
    struct view_options view;
    struct waste_asked asked;
};

static bool take_kind(void *to, const struct flag *flag, const char *value, struct err *err)
{
    struct options *options = to;
    (void)flag, (void)err;
    options->asked.kinds_set = true;
    return waste_kind_parse(value, &options->asked.kind);
}

static bool take_within(void *to, const struct flag *flag, const char *value, struct err *err)
{
    static const uint64_t distances[WASTE_CLASSES] = WASTE_DISTANCES;
    struct options *options = to;
    (void)flag, (void)err;
    char *end;
    unsigned long long within = strtoull(value, &end, 10);
    for (int i = 0; i + 1 < WASTE_CLASSES && *value && !*end; i++)
        if (distances[i] == within) {
            options->asked.within = within;
            return true;
        }
    return false;
}

static const struct flag flags[] = {
    VIEW_INPUT,
    {"kind", 0, "KIND",
     "dead-store, silent-store, redundant-load, unused-result, copy-of-copy, "
     "same-call or set-overwritten",
     ": only waste of this kind", .take = take_kind},
    {"within", 0, "N", "64, 1024, 8192 or 65536", ": pairs up to so many instructions apart (all)",
     .take = take_within},
    VIEW_MODULE("only pairs with a place in this module"),
    VIEW_FUNCTION("only pairs with a place in functions of this name or glob, or in the one at "
                  "this address"),
    VIEW_TIME,
    VIEW_LIMIT("number of pairs (10; with --json all)"),
    VIEW_JSON("as JSON, schema gait/waste/1"),
    VIEW_OUTPUT,
    {0},
};

static const struct command_line this_command = {
    .usage = "usage: gait waste [options] [FILE]\n\nShows work that had no effect (gait.data of "
             "record --events address,value): stores that are\noverwritten unread or change "
             "nothing, loads of what was loaded already, results that nobody\nuses.\n",
    .flags = flags,
    .also = view_flags,
};

static void show(struct scene *scene, void *of, const struct ink *ink, size_t rows)
{
    const struct options *options = of;
    struct waste_view view;
    waste_view_make(&view, scene, &options->asked);
    if (options->view.json)
        waste_view_json(stdout, &view, rows);
    else
        waste_view_text(stdout, &view, ink, rows);
    waste_view_release(&view);
}

int cmd_waste(int argc, char **argv)
{
    static const struct table_view table = {
        .line = &this_command,
        .table = TABLE_WASTE,
        .missing = "no addresses and values were recorded; gait record --events "
                   "edge,call,stack,address,value -- COMMAND records them",
        .event = "value",
        .unseen = "nothing in it: no waste was seen, too little was walked, or addresses were not "
                  "recorded (--events address,value)",
        .text_rows = 10,
        .show = show};
    struct options options = {.asked = {.within = UINT64_MAX}};
    return table_view_run(&table, &options.view, argc, argv);
}
