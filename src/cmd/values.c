/* gait values: what places computed, loaded, divided by, copied. */
#include "base/err.h"
#include "cmd/cmd.h"
#include "cmd/options/table_view.h"
#include "analysis/values/values.h"
#include "view/views.h"

#include <string.h>

struct options {
    struct view_options view;
    uint32_t kinds; /* bits of enum value_use */
    bool no_values;
};

static bool kind_unknown(const char *text, const char *name, struct err *err)
{
    char known[256] = "";
    for (enum value_use use = 0; use < VALUE_USES; use++)
        snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", use ? ", " : "",
                 value_use_name(use));
    return err_set(err, ERR_USAGE, "--kind %s: %s is none of %s", text, name, known);
}

static bool take_kinds(void *to, const struct flag *flag, const char *text, struct err *err)
{
    struct options *options = to;
    (void)flag;
    uint32_t kinds = 0;
    char name[24];
    for (const char *at = text, *end; at; at = *end ? end + 1 : NULL) {
        enum value_use use;
        end = strchrnul(at, ',');
        snprintf(name, sizeof name, "%.*s", (int)(end - at), at);
        if (!value_use_find(name, &use))
            return kind_unknown(text, name, err);
        kinds |= 1u << use;
    }
    options->kinds = kinds;
    return true;
}

static const struct flag flags[] = {
    VIEW_INPUT,
    {"kind", 0, "KINDS", NULL,
     "only these kinds: divisor, size, target, load, operand, result, address, stride, argument, "
     "return, syscall, module; "
     "thread, cpu, node, user, signal, pending, lock (of runs of code), address+latency (of timed "
     "loads), page (of accesses); without it those before thread",
     .take = take_kinds},
    {"no-values", 0, NULL, NULL, "show shares without values, which can hold secrets",
     TAKE(set, struct options, no_values)},
    VIEW_MODULE("only places of this module"),
    VIEW_FUNCTION("only places of functions of this name or glob, or of the one at this address"),
    VIEW_TIME,
    VIEW_LIMIT("number of places (20; with --json all)"),
    VIEW_JSON("as JSON, schema gait/values/1"),
    VIEW_OUTPUT,
    {0},
};

static const struct command_line this_command = {
    .usage = "usage: gait values [options] [FILE]\n\nShows the most frequent values of "
             "instructions (gait.data of record --events value), first\nthose where knowing the "
             "value would save most.\n",
    .flags = flags,
    .also = view_flags,
};

static void show(struct scene *scene, void *to, const struct ink *ink, size_t rows)
{
    const struct options *options = to;
    struct places_values places;
    struct values_cut cut = {.no_values = options->no_values, .limit = rows};
    values_make(&places, scene, options->kinds);
    if (options->view.json)
        values_json(stdout, &places, cut);
    else
        values_text(stdout, &places, ink, cut);
    values_release(&places);
}

int cmd_values(int argc, char **argv)
{
    static const struct table_view table = {
        .line = &this_command,
        .table = TABLE_VALUES,
        .missing = "no values in it; gait record --events edge,call,value -- COMMAND records them",
        .event = "value",
        .unseen = "no values in it, though they were asked for: too little was walked, nothing of "
                  "--only, "
                  "or gait merge --no-values took them out",
        .text_rows = 20,
        .show = show};
    struct options options = {.kinds = VALUE_KINDS_USUAL};
    return table_view_run(&table, &options.view, argc, argv);
}
