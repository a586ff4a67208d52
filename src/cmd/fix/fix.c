/* gait fix: what to do about what a recording shows. */
#include "base/err.h"
#include "cmd/cmd.h"
#include "cmd/options/table_view.h"
#include "analysis/fix/fix.h"
#include "view/views.h"

#include <stdio.h>
#include <string.h>

enum { TEXT_ROWS = 10, ALL_KINDS = (1 << FIX_KINDS) - 1 };

struct options {
    struct view_options view;
    uint32_t kinds;
};

static bool take_kinds(void *to, const struct flag *flag, const char *text, struct err *err)
{
    struct options *options = to;
    char name[24];
    (void)flag, (void)err;
    options->kinds = 0;
    for (const char *at = text, *end; at; at = *end ? end + 1 : NULL) {
        enum fix_kind kind;
        end = strchrnul(at, ',');
        snprintf(name, sizeof name, "%.*s", (int)(end - at), at);
        if (!fix_kind_find(name, &kind))
            return false;
        options->kinds |= 1u << kind;
    }
    return true;
}

static const struct flag flags[] = {
    VIEW_INPUT,
    {"kind", 0, "KINDS", NULL,
     "only these kinds: branch, call, inline, specialise, loop, prefetch, padding",
     .take = take_kinds,
     .expected =
         "branch, call, inline, specialise, loop, prefetch or padding, with commas between"},
    VIEW_MODULE("only places of this module"),
    VIEW_FUNCTION("only places in functions of this name or glob, or in the one at this address"),
    VIEW_TIME,
    VIEW_LIMIT("number of rows (10; with --json all)"),
    VIEW_JSON("as JSON, schema gait/fix/1"),
    VIEW_OUTPUT,
    {0},
};

static const struct command_line this_command = {
    .usage = "usage: gait fix [options] [FILE]\n\nShows what to do about what a recording shows, "
             "with a sketch where there is one: mark rare branches,\ncall the usual target "
             "directly, inline calls,\ncopy code for a frequent value, help loops, "
             "prefetch, pad.\n",
    .flags = flags,
    .also = view_flags,
};

static bool has_walks(const struct profile *profile)
{
    return profile->edges.n > 0;
}

static const char *missing_why(const struct profile *profile)
{
    (void)profile;
    return "nothing that was walked in it: record without --plain";
}

static void show(struct scene *scene, void *of, const struct ink *ink, size_t rows)
{
    const struct options *options = of;
    struct fixes fixes;
    fixes_make(&fixes, scene, options->kinds);
    if (options->view.json)
        fixes_json(stdout, &fixes, rows);
    else
        fixes_text(stdout, &fixes, ink, rows);
    fixes_release(&fixes);
}

int cmd_fix(int argc, char **argv)
{
    static const struct table_view table = {
        .line = &this_command,
        .has = has_walks,
        .why = missing_why,
        .text_rows = TEXT_ROWS,
        .show = show,
    };
    struct options options = {.kinds = ALL_KINDS};
    return table_view_run(&table, &options.view, argc, argv);
}
