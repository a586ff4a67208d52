/* gait trend: what functions of a service took over days and builds. */
#include "base/err.h"
#include "cmd/cmd.h"
#include "cmd/options/view_options.h"
#include "fleet/trend.h"
#include "store/sums.h"
#include "text/clean.h"
#include "text/json.h"
#include "text/sheet.h"
#include "view/head.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { TEXT_ROWS = 20 };

struct options {
    struct view_options view;
};

static const struct flag flags[] = {
    {"input", 'i', "STORE", NULL, "the store, with a question: sqlite:PATH?service=web&since=30d",
     TAKE_VIEW(text, input)},
    VIEW_LIMIT("number of rows (20; with --json all)"),
    VIEW_JSON("as JSON, schema gait/trend/1"),
    VIEW_OUTPUT,
    {0},
};

static const struct command_line this_command = {
    .usage = "usage: gait trend [options] STORE\n\nShows what functions of a service took, of all "
             "its machines, over days and builds, and what changed\nwith the last build beyond "
             "noise.\n",
    .flags = flags,
};

static const char *date(int64_t hour, char text[32])
{
    time_t seconds = (time_t)(hour * 3600);
    struct tm tm;
    if (!gmtime_r(&seconds, &tm) || !strftime(text, 32, "%Y-%m-%d %H:%M", &tm))
        return "-";
    return text;
}

/* A name is "MODULE\nFUNCTION". */
static const char *function_name(const struct trend *trend, const struct trend_function *row,
                                 int *ret_module_n)
{
    const char *name = trend->names.texts.at[row->name];
    *ret_module_n = (int)strcspn(name, "\n");
    return name + *ret_module_n + 1;
}

/* ---- text */

/* One bar a period: its share, of the largest. */
static void bars(const struct trend *trend, const struct trend_function *row, char *to)
{
    static const char *const heights[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    double most = 0;
    for (size_t i = 0; i < row->periods.n; i++)
        if (trend->periods.at[i] > 0)
            most = fmax(most, row->periods.at[i] / trend->periods.at[i]);
    for (size_t i = 0; i < trend->periods.n; i++) {
        double amount = i < row->periods.n ? row->periods.at[i] : 0;
        double part =
            trend->periods.at[i] > 0 && most > 0 ? amount / trend->periods.at[i] / most : 0;
        to = stpcpy(to, heights[(int)ceil(8 * fmin(part, 1))]);
    }
}

static void row_text(struct sheet *sheet, const struct trend *trend,
                     const struct trend_function *row, bool whole_names)
{
    enum { BAR_BYTES = 4, NAME_BYTES_MAX = 72 };
    int module_n;
    const char *name = text_clean(&sheet->arena, function_name(trend, row, &module_n));
    bool cut = !whole_names && strlen(name) > NAME_BYTES_MAX;
    char *line = arena_alloc(&sheet->arena, BAR_BYTES * trend->periods.n + 1);
    struct estimate share = trend_share(trend, row);
    bars(trend, row, line);
    sheet_cell(sheet, "%.2f%%", 100 * share.value);
    sheet_cell(sheet, "±%.2f", 100 * fmax(share.hi - share.value, share.value - share.lo));
    sheet_cell(sheet, "%s", line);
    if (trend->before) {
        sheet_cell(sheet, "%.2f%%", 100 * row->before.amount / trend->build_before.whole);
        sheet_cell(sheet, "%.2f%%", 100 * row->last.amount / trend->last_build.whole);
        sheet_cell(sheet, "±%.2f", 100 * (row->change.hi - row->change.value));
        sheet_cell(sheet, "%s", !row->sure ? "" : row->change.value > 0 ? "MORE" : "less");
        sheet_tone(sheet, row->change.value > 0 ? INK_HOT : INK_COLD);
    }
    sheet_cell(sheet, "%.*s%s", cut ? NAME_BYTES_MAX : INT_MAX, name, cut ? "..." : "");
    sheet_cell(sheet, "%.*s", module_n,
               text_clean(&sheet->arena, trend->names.texts.at[row->name]));
}

static void trend_text(const struct trend *trend, const struct ink *ink, size_t rows,
                       bool whole_names)
{
    struct sheet sheet;
    char text[32];
    size_t changes = 0;
    for (size_t i = 0; i < trend->n; i++)
        changes += trend->at[i].sure;
    sheet_begin(&sheet, trend->before ? "rllrrllll" : "rllll", ink);
    printf("%s, %s: %zu %s from %s on, %zu builds\n", text_clean(&sheet.arena, trend->service),
           text_clean(&sheet.arena, trend->kind), trend->periods.n,
           trend->period_hours > 1 ? "days" : "hours", date(trend->first_hour, text),
           trend->by_build.n);
    printf("the last build is %.12s, since %s\n", *trend->last ? trend->last : "unknown",
           date(trend->last_build.first_hour, text));
    if (trend->before)
        printf("%zu functions changed with it, beyond noise; the build before is %.12s\n", changes,
               *trend->before ? trend->before : "unknown");
    if (trend->waiting)
        printf("%llu recordings that match are not in it: they are not rolled up yet (gait store "
               "roll-up)\n",
               (unsigned long long)trend->waiting);
    putchar('\n');
    sheet_cell(&sheet, "share");
    sheet_cell(&sheet, " ");
    sheet_cell(&sheet, trend->period_hours > 1 ? "by days" : "by hours");
    if (trend->before) {
        sheet_cell(&sheet, "before");
        sheet_cell(&sheet, "last build");
        sheet_cell(&sheet, " ");
        sheet_cell(&sheet, "change");
    }
    sheet_cell(&sheet, "function");
    sheet_cell(&sheet, "module");
    for (size_t i = 0; i < trend->n && i < rows; i++)
        row_text(&sheet, trend, &trend->at[i], whole_names);
    sheet_end(&sheet, stdout);
    shown_text(stdout, rows < trend->n ? rows : trend->n, trend->n, "functions");
}

/* ---- JSON */

static void amounts_json(struct json *json, const char *name, const struct trend_amounts *amounts,
                         size_t n)
{
    json_array(json, name);
    for (size_t i = 0; i < n; i++)
        json_number(json, NULL, i < amounts->n ? amounts->at[i] : 0);
    json_array_end(json);
}

static void builds_json(struct json *json, const struct trend *trend)
{
    json_array(json, "by_build");
    for (size_t i = 0; i < trend->by_build.n; i++) {
        json_object(json, NULL);
        json_string(json, "build", trend->builds.texts.at[i]);
        json_integer(json, "first_unix", (uint64_t)trend->by_build.at[i].first_hour * 3600);
        json_number(json, "amount", trend->by_build.at[i].whole);
        json_object_end(json);
    }
    json_array_end(json);
}

static void row_json(struct json *json, const struct trend *trend, const struct trend_function *row)
{
    int module_n;
    const char *name = function_name(trend, row, &module_n);
    struct arena arena = {0};
    json_object(json, NULL);
    json_string(json, "function", name);
    json_string(json, "module",
                arena_string_n(&arena, trend->names.texts.at[row->name], (size_t)module_n));
    json_number(json, "amount", row->all.amount);
    estimate_json(json, "share", "share_lo", "share_hi", trend_share(trend, row));
    amounts_json(json, "periods", &row->periods, trend->periods.n);
    amounts_json(json, "builds", &row->builds, trend->by_build.n);
    if (trend->before) {
        json_number(json, "share_before", row->before.amount / trend->build_before.whole);
        json_number(json, "share_last", row->last.amount / trend->last_build.whole);
        estimate_json(json, "change", "change_lo", "change_hi", row->change);
        json_bool(json, "sure", row->sure);
    }
    json_object_end(json);
    arena_release(&arena);
}

static void trend_json(const struct trend *trend, size_t rows)
{
    struct json json;
    json_begin(&json, stdout);
    json_object(&json, NULL);
    json_string(&json, "schema", "gait/trend/1");
    json_string(&json, "service", trend->service);
    json_string(&json, "kind", trend->kind);
    json_integer(&json, "first_unix", (uint64_t)trend->first_hour * 3600);
    json_integer(&json, "period_seconds", (uint64_t)trend->period_hours * 3600);
    json_integer(&json, "builds", trend->by_build.n);
    json_string(&json, "last_build", trend->last);
    json_integer(&json, "last_build_unix", (uint64_t)trend->last_build.first_hour * 3600);
    if (trend->before)
        json_string(&json, "build_before", trend->before);
    else
        json_null(&json, "build_before");
    json_integer(&json, "waiting", trend->waiting);
    json_number(&json, "amount", trend->whole);
    amounts_json(&json, "periods", &trend->periods, trend->periods.n);
    builds_json(&json, trend);
    json_array(&json, "rows");
    for (size_t i = 0; i < trend->n && i < rows; i++)
        row_json(&json, trend, &trend->at[i]);
    json_array_end(&json);
    json_object_end(&json);
    json_end(&json);
}

int cmd_trend(int argc, char **argv)
{
    struct options options = {0};
    struct err err;
    struct store store;
    struct trend trend;
    if (!flags_parse(&this_command, &options, argc, argv, &err))
        return say_err(&err);
    if (!view_input(&options.view, argc, argv, &err) ||
        !store_open(options.view.input, SQL_READ, &store, &err))
        return say_err(&err);
    if (!trend_read(&store, &trend, &err)) {
        err_in(&err, "%s", store.place.shown);
        store_close(&store);
        return say_err(&err);
    }
    struct ink ink = output_begin(&options.view);
    if (options.view.json)
        trend_json(&trend, view_rows(&options.view, TEXT_ROWS));
    else
        trend_text(&trend, &ink, view_rows(&options.view, TEXT_ROWS), options.view.verbose);
    trend_release(&trend);
    store_close(&store);
    return output_status();
}
