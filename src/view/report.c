#include "view/report.h"

#include <stdlib.h>
#include <string.h>

/* ---- lines */

struct line_key {
    uint64_t file; /* pointer to the name, which is one for one file of a module */
    uint32_t module, line;
};

static struct line_key line_of(const struct report *report, const struct item *item)
{
    struct line_key key = {.module = item->module};
    struct binary *binary = report->scene->modules.at[item->module].binary;
    const char *file;
    if (binary && lines_find(binary_lines(binary), (struct svma){item->at}, &file, &key.line))
        key.file = (uintptr_t)file;
    return key;
}

static void lines_make(struct report *report, const struct items *items)
{
    struct map places;
    map_init(&places, sizeof(struct line_key));
    for (size_t i = 0; i < items->n; i++) {
        const struct item *item = &items->at[i];
        struct line_key key = line_of(report, item);
        uint32_t place = map_add(&places, &key);
        if (place == report->n) {
            struct report_row *row = vec_push(report);
            row->module = item->module;
            row->file = (const char *)(uintptr_t)key.file;
            row->line = key.line;
        }
        struct report_row *row = &report->at[place];
        tally_add(&row->body, &item->body[0]);
        if (item->count[0].count > row->count.count)
            row->count = item->count[0];
    }
    map_release(&places);
}

/* ---- rows */

static void rows_make(struct report *report, const struct items *items)
{
    vec_reserve(report, items->n);
    for (size_t i = 0; i < items->n; i++) {
        const struct item *item = &items->at[i];
        *vec_push(report) = (struct report_row){.module = item->module,
                                                .to_module = item->to_module,
                                                .function = item->function,
                                                .at = item->at,
                                                .to = item->to,
                                                .bytes = item->bytes,
                                                .kind = item->kind,
                                                .count = item->count[0],
                                                .body = item->body[0]};
    }
}

static uint64_t row_weight(const struct report *report, const struct report_row *row)
{
    if (report->weight == WEIGHT_TIME)
        return row->body.time;
    bool body = report->by == BY_FUNCTION || report->by == BY_LINE;
    return body ? row->body.count : row->count.count;
}

static int text_order(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "");
}

static int row_order(const void *a, const void *b, void *context)
{
    const struct report *report = context;
    const struct report_row *x = a, *y = b;
    uint64_t x_weight = row_weight(report, x), y_weight = row_weight(report, y);
    if (x_weight != y_weight)
        return x_weight > y_weight ? -1 : 1;
    if (x->module != y->module)
        return x->module < y->module ? -1 : 1;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    if (x->to_module != y->to_module)
        return x->to_module < y->to_module ? -1 : 1;
    if (x->to != y->to)
        return x->to < y->to ? -1 : 1;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    int by_file = text_order(x->file, y->file);
    return by_file ? by_file : x->line < y->line ? -1 : x->line > y->line;
}

void report_make(struct report *report, struct scene *scene, enum item_by by, enum weight weight)
{
    *report = (struct report){.scene = scene, .by = by, .weight = weight};
    struct items items;
    items_list(&items, scene, by);
    if (by == BY_LINE)
        lines_make(report, &items);
    else
        rows_make(report, &items);
    report->stray = items.stray;
    items_release(&items);
    for (size_t i = 0; i < report->n; i++)
        report->total += row_weight(report, &report->at[i]);
    if (report->n)
        qsort_r(report->at, report->n, sizeof *report->at, row_order, report);
}

void report_release(struct report *report)
{
    vec_release(report);
}

/* ---- JSON */

static void time_json(struct json *json, const struct profile *profile, const struct tally *tally)
{
    if (profile->mode == PROFILE_EXACT) {
        json_null(json, "time");
        json_null(json, "time_lo");
        json_null(json, "time_hi");
        return;
    }
    estimate_json(json, "time", "time_lo", "time_hi", estimate_time(profile, tally));
}

static struct estimate rounded(struct estimate estimate)
{
    return (struct estimate){__builtin_round(estimate.value), __builtin_round(estimate.lo),
                             __builtin_round(estimate.hi)};
}

static void where_json(struct json *json, const struct report *report, const struct report_row *row)
{
    struct scene *scene = report->scene;
    if (report->by == BY_FUNCTION) {
        const char *name = scene_function_name(scene, row->module, row->function);
        json_string(json, "name", name);
        json_string(json, "linkage", name);
    }
    if (report->by == BY_LINE) {
        json_string(json, "file", row->file ? row->file : "[unknown]");
        json_integer(json, "line", row->line);
    } else if (report->by == BY_EDGE || report->by == BY_CALL) {
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

static void row_json(struct json *json, const struct report *report, const struct report_row *row)
{
    const struct profile *profile = report->scene->sides[0];
    json_object(json, NULL);
    where_json(json, report, row);
    estimate_json(json, "count", "lo", "hi", rounded(estimate_count(profile, &row->count)));
    if (report->by == BY_FUNCTION || report->by == BY_LINE)
        estimate_json(json, "instructions", "instructions_lo", "instructions_hi",
                      rounded(estimate_count(profile, &row->body)));
    if (report->by == BY_FUNCTION || report->by == BY_LINE || report->by == BY_INSTRUCTION)
        time_json(json, profile, &row->body);
    if (report->by == BY_INSTRUCTION) {
        if (profile->mode == PROFILE_SAMPLED)
            json_number(json, "cpi", estimate_cpi(profile, &row->body));
        else
            json_null(json, "cpi");
    }
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
