#include "view/report.h"

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
    if (report->by == BY_BLOCK)
        json_integer(json, "size", row->bytes);
    if (report->by == BY_EDGE)
        json_string(json, "kind", cfg_edge_kind_name((enum cfg_edge_kind)row->kind));
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

static void row_json(struct json *json, const struct report *report, const struct report_row *row)
{
    json_object(json, NULL);
    where_json(json, report, row);
    estimate_json(json, "count", "lo", "hi", rounded(report_count(report, row)));
    if (report_has_body(report))
        estimate_json(json, "instructions", "instructions_lo", "instructions_hi",
                      rounded(report_instructions(report, row)));
    if (row->plain)
        plain_json(json, report, row);
    else if (report_has_body(report) || report->by == BY_INSTRUCTION)
        estimate_json(json, "time", "time_lo", "time_hi", report_time(report, row));
    if (report->by == BY_INSTRUCTION)
        json_number(json, "cpi", report_cpi(report, row));
    json_object_end(json);
}

void report_json(FILE *to, const struct report *report, size_t limit)
{
    struct json json;
    json_begin(&json, to);
    head_json(&json, "report", report->scene, 0, report->by, report->weight, report->stray);
    json_array(&json, "rows");
    for (size_t i = 0; i < report->n && i < limit; i++)
        row_json(&json, report, &report->at[i]);
    json_array_end(&json);
    json_object_end(&json);
    json_end(&json);
}
