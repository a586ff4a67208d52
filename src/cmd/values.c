/* gait values: what places computed, loaded, divided by, copied. */
#include "base/err.h"
#include "cmd/cmd.h"
#include "cmd/options/table_view.h"
#include "analysis/values/values.h"

#include <getopt.h>
#include <string.h>

static const char usage[] =
    "usage: gait values [options] [FILE]\n"
    "\n"
    "Shows the most frequent values of places of a program (gait.data of record --events value), "
    "those\n"
    "places first where knowing them would save most.\n"
    "\n"
    "  -i FILE            the profile, as an option\n"
    "  --kind KINDS       of these kinds alone: divisor, size, target, load, operand, result, "
    "address,\n"
    "                     stride, module; thread, cpu, node, lock (of runs of code), "
    "address+latency\n"
    "                     (of timed loads); without it all but the last five\n"
    "  --no-values        shares alone: values can hold secrets\n"
    "  --module NAME      only places of this module\n"
    "  --limit N          so many places (20; with --json all)\n"
    "  --json             as JSON, schema gait/values/1\n"
    "  --color WHEN       auto, always or never (auto: on a terminal, unless NO_COLOR is set)\n"
    "  --no-pager         not through $PAGER, even on a terminal\n"
    "  -v                 names in full, however long\n"
    "  -q                 do not mention damage\n";

enum { OPTION_NO_VALUES = VIEW_OPTION_OWN, OPTION_KIND };

static const struct option own_list[] = {
    {"no-values", no_argument, NULL, OPTION_NO_VALUES},
    {"kind", required_argument, NULL, OPTION_KIND},
    {NULL, 0, NULL, 0},
};

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

static bool kinds_parse(const char *text, uint32_t *ret_kinds, struct err *err)
{
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
    *ret_kinds = kinds;
    return true;
}

static bool own_take(void *to, int option, const char *value, struct err *err)
{
    struct options *options = to;
    if (option == OPTION_KIND)
        return kinds_parse(value, &options->kinds, err);
    options->no_values = true;
    return true;
}

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
        .usage = usage,
        .table = TABLE_VALUES,
        .missing = "no values in it; gait record --events edge,call,value -- COMMAND takes them",
        .event = "value",
        .unseen = "no values in it, though they were asked for: too little was walked, nothing of "
                  "--only, "
                  "or gait merge --no-values took them out",
        .text_rows = 20,
        .show = show};
    struct options options = {.kinds = VALUE_KINDS_USUAL};
    struct own_options own = {own_list, own_take, &options};
    return table_view_run(&table, &options.view, &own, &options, argc, argv);
}
