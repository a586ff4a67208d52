#include "view/views.h"

#include "analysis/report/report.h"

#include "analysis/counts/trips.h"
#include "view/advice.h"
#include "view/head.h"

#include <math.h>

static struct estimate rounded(struct estimate estimate)
{
    return (struct estimate){round(estimate.value), round(estimate.lo), round(estimate.hi)};
}

static void where_json(struct json *json, const struct report *report, const struct report_row *row)
{
    struct scene *scene = report->scene;
    if (report->by == BY_FUNCTION || report->by == BY_INLINE) {
        json_string(json, "name", scene_readable(scene, row->name));
        json_string(json, "linkage", row->name);
    }
    if (report->by == BY_LINE || report->by == BY_INLINE)
        json_string(json, "file", row->file ? row->file : "[unknown]");
    if (report->by == BY_LINE)
        json_integer(json, "line", row->line);
    else if (report->by == BY_INLINE)
        json_bool(json, "inlined", row->inlined);
    else if (report->by == BY_EDGE || report->by == BY_CALL) {
        json_string(json, "from", address_text(scene, row->module, row->at));
        json_string(json, "to", address_text(scene, row->to_module, row->to));
    } else {
        json_string(json, "address", address_text(scene, row->module, row->at));
    }
    if (report->by == BY_LOOP) {
        json_string(json, "function", scene_readable(scene, row->name));
        json_integer(json, "depth", row->depth);
        if (row->depth > 1)
            json_string(json, "around", address_text(scene, row->module, row->to));
        else
            json_null(json, "around");
        json_bool(json, "irreducible", row->irreducible);
    }
    if (report->by == BY_BLOCK)
        json_integer(json, "size", row->bytes);
    if (report->by == BY_EDGE)
        json_string(json, "kind", cfg_edge_kind_name((enum cfg_edge_kind)row->kind));
    if (report->by == BY_CALL && !row->plain)
        json_string(json, "kind", edge_kind_name((enum edge_kind)row->kind));
}

/* Where rows of code are: the function, file and line of an address, and the address of a line. */
static void place_json(struct json *json, const struct report *report, const struct report_row *row)
{
    const char *file = NULL;
    uint32_t line = 0;
    if (report->by == BY_FUNCTION || report->by == BY_INLINE || report->by == BY_CALL)
        return;
    if (report->by != BY_LOOP)
        json_string(json, "function", row->name ? scene_readable(report->scene, row->name) : "");
    if (report->by == BY_LINE) {
        json_string(json, "address", address_text(report->scene, row->module, row->at));
        return;
    }
    struct binary *binary = scene_binary(report->scene, row->module);
    if (binary && lines_find(binary_lines(binary), (struct svma){row->at}, &file, &line)) {
        json_string(json, "file", file);
        json_integer(json, "line", line);
    } else {
        json_null(json, "file");
        json_null(json, "line");
    }
}

/* As the text has them: of all CPU time where the kernel's is known. */
static void shares_json(struct json *json, const struct report *report,
                        const struct report_row *row)
{
    estimate_json(json, "share", "share_lo", "share_hi", report_share(report, row));
    if (report_has_body(report) && report_has_total(report))
        estimate_json(json, "total_share", "total_share_lo", "total_share_hi",
                      report_total_share(report, row));
}

/* Seconds; of a recording that counted events, their number under a name of its own. */
static void plain_json(struct json *json, const struct report *report, const struct report_row *row)
{
    const struct estimate none = {NAN, NAN, NAN};
    bool events = report->weight == WEIGHT_COUNT;
    struct estimate own = report_time(report, row), total = report_total(report, row);
    estimate_json(json, "time", "time_lo", "time_hi", events ? none : own);
    if (events)
        estimate_json(json, "events", "events_lo", "events_hi", own);
    estimate_json(json, "total", "total_lo", "total_hi", total);
    if (report->by == BY_FUNCTION)
        json_number(json, report->plain.filter.kernel ? "user_time" : "kernel_time",
                    plain_beside(&report->plain, &row->plain->beside));
}

/* Runs of a loop, by iterations; null where none were looked at. */
static void trips_json(struct json *json, const struct report *report, const struct report_row *row)
{
    struct trip_bars bars;
    bool any = report_trips(report, row, &bars);
    if (!any) {
        json_null(json, "trips");
    } else {
        json_array(json, "trips");
        for (size_t i = 0; i < bars.n; i++) {
            const struct trip_bar *bar = &bars.at[i];
            json_object(json, NULL);
            json_integer(json, "n", (uint64_t)round(bar->n));
            if (bar->to > bar->from) {
                json_integer(json, "n_lo", bar->from);
                json_integer(json, "n_hi", bar->to);
            }
            estimate_json(json, "count", "lo", "hi", rounded(bar->count));
            json_object_end(json);
        }
        json_array_end(json);
        json_object(json, "longer");
        json_integer(json, "n", bars.longer_n);
        json_number(json, "count", round(bars.longer));
        json_object_end(json);
    }
    json_number(json, "cut", any ? bars.cut : (double)NAN);
    trip_bars_release(&bars);
}

static void loop_json(struct json *json, const struct report *report, const struct report_row *row)
{
    estimate_json(json, "iterations", "iterations_lo", "iterations_hi",
                  rounded(report_count(report, row)));
    estimate_json(json, "entries", "entries_lo", "entries_hi",
                  rounded(report_entries(report, row)));
    estimate_json(json, "mean", "mean_lo", "mean_hi", report_trip_mean(report, row));
    trips_json(json, report, row);
}

static void row_json(struct json *json, const struct report *report, const struct report_row *row)
{
    json_object(json, NULL);
    where_json(json, report, row);
    if (report->by == BY_LOOP)
        loop_json(json, report, row);
    else
        estimate_json(json, "count", "lo", "hi", rounded(report_count(report, row)));
    if (report_has_body(report))
        estimate_json(json, "instructions", "instructions_lo", "instructions_hi",
                      rounded(report_instructions(report, row)));
    if (row->plain)
        plain_json(json, report, row);
    else if (report_has_body(report) || report->by == BY_INSTRUCTION)
        estimate_json(json, "time", "time_lo", "time_hi", report_time(report, row));
    if (report->has_below)
        estimate_json(json, "total", "total_lo", "total_hi", report_total(report, row));
    if (report->has_inclusive)
        estimate_json(json, "total_instructions", "total_instructions_lo", "total_instructions_hi",
                      report_total_instructions(report, row));
    if (report->has_below && report->plain.beside.sum)
        json_number(json, "kernel_time",
                    row->below ? plain_beside(&report->plain, &row->below->beside) : (double)NAN);
    if (report->by == BY_INSTRUCTION || (!row->plain && report_has_body(report)))
        estimate_json(json, "cpi", "cpi_lo", "cpi_hi", report_cpi(report, row));
    shares_json(json, report, row);
    place_json(json, report, row);
    json_object_end(json);
}

static void kernel_row_json(struct json *json, const struct report *report,
                            const struct report_row *row)
{
    bool events = report->weight == WEIGHT_COUNT;
    json_object(json, NULL);
    where_json(json, report, row);
    estimate_json(json, events ? "kernel_events" : "kernel_time",
                  events ? "kernel_events_lo" : "kernel_time_lo",
                  events ? "kernel_events_hi" : "kernel_time_hi", report_time(report, row));
    estimate_json(json, "kernel_total", "kernel_total_lo", "kernel_total_hi",
                  report_total(report, row));
    shares_json(json, report, row);
    json_object_end(json);
}

/* All of a kernel that was not sampled, whose time it counted itself; the text has a row of it. */
static void unsampled_json(struct json *json, const struct report *report)
{
    for (size_t i = 0; i < report->n; i++)
        if (report->at[i].kernel && !report->at[i].plain) {
            json_number(json, "kernel_unsampled", report_time(report, &report->at[i]).value);
            json_number(json, "kernel_unsampled_share", report_share(report, &report->at[i]).value);
            return;
        }
}

/* Rows of the kernel stand apart: what reads rows takes them for the program's. */
static void rows_json(struct json *json, const struct report *report, const char *name, bool kernel,
                      size_t limit)
{
    size_t n = 0;
    json_array(json, name);
    for (size_t i = 0; i < report->n && n < limit; i++) {
        const struct report_row *row = &report->at[i];
        if (row->kernel != kernel || (kernel && !row->plain))
            continue;
        if (kernel)
            kernel_row_json(json, report, row);
        else
            row_json(json, report, row);
        n++;
    }
    json_array_end(json);
}

void report_json(FILE *to, const struct report *report, size_t limit)
{
    struct json json;
    json_begin(&json, to);
    head_json(&json, "report", report->scene, 0, report->by, report->weight, report->stray);
    if (report->begun || report->ended) {
        json_integer(&json, "begun_inside", report->begun);
        json_integer(&json, "ended_inside", report->ended);
    }
    rows_json(&json, report, "rows", false, limit);
    if (report->both && report->kernel_sampled)
        rows_json(&json, report, "kernel_rows", true, limit);
    unsampled_json(&json, report);
    advice_json(&json, report);
    json_object_end(&json);
    json_end(&json);
}
