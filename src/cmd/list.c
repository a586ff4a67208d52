/* gait list: the words that options take, and which of them can be used here. */
#include "base/err.h"
#include "base/vec.h"
#include "cmd/cmd.h"
#include "cmd/options/flags.h"
#include "cmd/lab_blocks.h"
#include "cmd/options/view_options.h"
#include "collect/doctor/catalog.h"
#include "collect/doctor/findings.h"
#include "model/core/model.h"
#include "model/core/cpu.h"
#include "export/export.h"
#include "lab/lab.h"
#include "records/sample.h"
#include "text/json.h"
#include "wire/losses.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

struct row {
    const char *section, *name, *standing, *text;
};

struct rows {
    struct arena arena;
    VEC(struct row);
};

static void add(struct rows *rows, const char *section, const char *name, const char *standing,
                const char *text)
{
    *vec_push(rows) = (struct row){section, arena_string(&rows->arena, name), standing,
                                   arena_string(&rows->arena, text)};
}

static const char *standing_of(struct attempt_outcome outcome)
{
    return standing_name(outcome_standing(outcome));
}

static const char *why_not(struct attempt_outcome outcome)
{
    switch (outcome.result) {
    case ATTEMPT_WORKS: return "";
    case ATTEMPT_REFUSED: break;
    default: return "see gait doctor";
    }
    switch (outcome.why) {
    case EACCES:
    case EPERM: return "not permitted, see gait doctor";
    case ENOENT:
    case ENODEV: return "this machine has no such counter";
    case EINVAL:
    case EOPNOTSUPP: return "cannot interrupt here";
    default: return strerror(outcome.why);
    }
}

/* ---- sections */

static void list_triggers(struct rows *rows, const char *section)
{
    struct attempt_outcome perf = try_run(TRY_sigtrap), timer = try_run(TRY_timer);
    add(rows, section, "perf", standing_of(perf), "the kernel's perf clock: any rate");
    add(rows, section, "cputime", standing_of(timer), "a timer on the thread's CPU time");
    add(rows, section, "auto", standing_of(perf.result == ATTEMPT_WORKS ? perf : timer),
        "perf where the kernel grants it, else cputime");
}

static void list_modes(struct rows *rows, const char *section)
{
    struct attempt_outcome memfd = try_run(TRY_memfd), samples = try_run(TRY_samples);
    add(rows, section, "sampled", standing_of(memfd),
        "record: samples within a CPU budget (--overhead)");
    add(rows, section, "exact", standing_of(memfd), "record --exact=counts: the whole run");
    add(rows, section, "plain", standing_of(samples),
        "record --plain: program counters and stacks");
}

static void list_events(struct rows *rows, const char *section)
{
    struct catalog catalog;
    catalog_make(&catalog, "");
    for (size_t i = 0; i < catalog.n; i++) {
        const struct catalog_event *event = &catalog.at[i];
        const char *why = why_not(event->outcome);
        add(rows, section, event->name, standing_of(event->outcome),
            arena_format(&rows->arena, "%s%s%s%s", event->source,
                         event->everybody ? ", with -a" : "", *why ? ": " : "", why));
    }
    int why = catalog.tracepoints_errno;
    bool denied = why == EACCES || why == EPERM;
    add(rows, section, "SYSTEM:NAME",
        standing_name(!why && catalog.tracepoints ? STANDING_GOOD
                      : denied                    ? STANDING_DENIED
                                                  : STANDING_MISSING),
        why ? arena_format(&rows->arena, "tracepoint: %s: %s; type:  %s", catalog.tracepoints_at,
                           strerror(why),
                           denied ? "sudo gait list events"
                                  : "sudo mount -t tracefs nodev /sys/kernel/tracing")
            : arena_format(&rows->arena, "tracepoint: %u in %s", catalog.tracepoints,
                           catalog.tracepoints_at));
    catalog_release(&catalog);
}

static void list_losses(struct rows *rows, const char *section)
{
#define LOSS_ROW(name, text) add(rows, section, #name, "", text);
    LOSSES(LOSS_ROW)
#undef LOSS_ROW
}

static void list_formats(struct rows *rows, const char *section)
{
    for (size_t i = 0; i < exporters_n; i++)
        add(rows, section, exporters[i].name, "", exporters[i].what);
}

/* What a core's text says first of it, up to a full stop. */
static void list_cores(struct rows *rows, const char *section)
{
    char why[128];
    for (size_t i = 0; model_names[i]; i++) {
        size_t bytes, begin = 0, end = 0;
        const char *text = model_text(model_names[i], &bytes);
        while (begin < bytes && (text[begin] == '#' || text[begin] == ' '))
            begin++;
        for (end = begin; end < bytes && text[end] != '.' && text[end] != '\n';)
            end++;
        add(rows, section, model_names[i], "",
            arena_format(&rows->arena, "%.*s", (int)(end - begin), text + begin));
    }
    struct cpu here;
    cpu_here(&here);
    cpu_why(&here, why, sizeof why);
    add(rows, section, "native", "",
        arena_format(&rows->arena, "the one most like this machine: %s", why));
}

static void list_labs(struct rows *rows, const char *section)
{
    for (size_t i = 0; lab_tables[i]; i++)
        add(rows, section, lab_tables[i]->name, "", lab_tables[i]->title);
    add(rows, section, "blocks", "", LAB_BLOCKS_TITLE);
}

static void list_fields(struct rows *rows, const char *section)
{
    for (int i = 0; i < SAMPLE_N; i++)
        add(rows, section, sample_field_name((enum sample_field)i), "",
            sample_field_text((enum sample_field)i));
    for (int i = 0; i < EVENTS_N; i++)
        add(rows, section, sample_event_name((enum sample_event)i), "",
            "event: 1 if it happened, 0 if not");
}

static const struct section {
    const char *name;
    void (*list)(struct rows *rows, const char *section);
} sections[] = {
    {"triggers", list_triggers}, {"modes", list_modes},   {"events", list_events},
    {"formats", list_formats},   {"losses", list_losses}, {"cores", list_cores},
    {"labs", list_labs},         {"fields", list_fields},
};
enum { SECTIONS_N = sizeof sections / sizeof *sections };

/* ---- output */

/* Rows that cannot be used, all for one reason: their names on as few lines as they need. */
static void print_group(const struct row *rows, size_t n)
{
    enum { MARGIN = 4, RIGHT = 100 };
    int column = printf("  %s, %s:", rows->standing, rows->text);
    for (size_t i = 0; i < n; i++) {
        int length = (int)strlen(rows[i].name) + 1;
        if (column + length > RIGHT)
            column = printf("\n%*s", MARGIN, "") - 1;
        column += printf(" %s", rows[i].name);
    }
    putchar('\n');
}

static size_t group_length(const struct row *rows, size_t n)
{
    static const char *const alone[] = {"", "good", "limited"};
    for (size_t i = 0; i < sizeof alone / sizeof *alone; i++)
        if (!strcmp(rows->standing, alone[i]))
            return 1;
    size_t length = 1;
    while (length < n && !strcmp(rows[length].standing, rows->standing) &&
           !strcmp(rows[length].text, rows->text))
        length++;
    return length;
}

static void print_rows(const struct row *rows, size_t n)
{
    int width = 0;
    for (size_t i = 0; i < n; i++)
        if (group_length(rows + i, n - i) == 1 && (int)strlen(rows[i].name) > width)
            width = (int)strlen(rows[i].name);
    for (size_t i = 0; i < n;) {
        size_t length = group_length(rows + i, n - i);
        if (length > 1)
            print_group(rows + i, length);
        else
            printf("  %-*s  %s%*s%s\n", width, rows[i].name, rows[i].standing,
                   *rows[i].standing ? 9 - (int)strlen(rows[i].standing) : 0, "", rows[i].text);
        i += length;
    }
}

static void print_text(const struct rows *rows, const struct section *section)
{
    size_t first = 0, n = 0;
    while (first < rows->n && rows->at[first].section != section->name)
        first++;
    while (first + n < rows->n && rows->at[first + n].section == section->name)
        n++;
    printf("%s:%s\n", section->name, n ? "" : " none");
    if (n)
        print_rows(rows->at + first, n);
}

static void print_json(const struct rows *rows)
{
    struct json json;
    json_begin(&json, stdout);
    json_object(&json, NULL);
    json_string(&json, "schema", "gait/list/1");
    json_array(&json, "rows");
    for (size_t i = 0; i < rows->n; i++) {
        json_object(&json, NULL);
        json_string(&json, "kind", rows->at[i].section);
        json_string(&json, "name", rows->at[i].name);
        if (*rows->at[i].standing)
            json_string(&json, "verdict", rows->at[i].standing);
        json_string(&json, "text", rows->at[i].text);
        json_object_end(&json);
    }
    json_array_end(&json);
    json_object_end(&json);
    json_end(&json);
}

/* ---- options */

struct options {
    bool json;
    bool chosen[SECTIONS_N];
};

static bool choose(struct options *options, const char *name, struct err *err)
{
    for (int i = 0; i < SECTIONS_N; i++)
        if (!strcmp(name, sections[i].name))
            return options->chosen[i] = true;
    return err_set(err, ERR_USAGE, "%s: unknown; see gait list --help", name);
}

static const struct flag flags[] = {
    {"json", 0, NULL, NULL, "as JSON, schema gait/list/1", TAKE(set, struct options, json)},
    {0},
};

static const struct command_line this_command = {
    .usage =
        "usage: gait list [options] [WHAT...]\n\nLists the words that options accept, and whether "
        "they work on this machine.\n\n  triggers           of record --trigger\n  modes           "
        "   of recording\n  events             of record -e, each opened to see whether it can be "
        "used\n  formats            of export\n  losses             what a recording can fail to "
        "see\n  cores              of --core: models of processors\n  labs               of lab: "
        "tables and experiments\n  fields             of pipeline --metric and --where\n",
    .flags = flags,
};

static bool parse(struct options *options, int argc, char **argv, struct err *err)
{
    *options = (struct options){0};
    if (!flags_parse(&this_command, options, argc, argv, err))
        return false;
    for (int i = 0; i < SECTIONS_N; i++)
        options->chosen[i] = optind == argc;
    for (; optind < argc; optind++)
        if (!choose(options, argv[optind], err))
            return false;
    return true;
}

int cmd_list(int argc, char **argv)
{
    struct options options;
    struct err err;
    if (!parse(&options, argc, argv, &err))
        return say_err(&err);
    struct rows rows = {0};
    for (int i = 0; i < SECTIONS_N; i++)
        if (options.chosen[i])
            sections[i].list(&rows, sections[i].name);
    if (options.json)
        print_json(&rows);
    else
        output_wrap();
    for (int i = 0; !options.json && i < SECTIONS_N; i++)
        if (options.chosen[i])
            print_text(&rows, &sections[i]);
    vec_release(&rows);
    arena_release(&rows.arena);
    return output_status();
}
