#include "view/report.h"

#include "view/sheet.h"

#include <inttypes.h>

/* " ±12%", relative to the value; "" when exact, " ±?" when a single batch tells nothing. */
static const char *spread_text(const struct profile *profile, struct estimate estimate)
{
    static char text[32];
    double percent = 100 * (estimate.hi - estimate.value) / estimate.value;
    if (profile->mode == PROFILE_EXACT || estimate.value <= 0)
        return "";
    if (profile->totals.batches < 2)
        return " ±?";
    if (percent >= 1000)
        return " ±>999%";
    snprintf(text, sizeof text, " ±%.*f%%", percent < 10 ? 1 : 0, percent);
    return text;
}

static void count_cell(struct sheet *sheet, const struct profile *profile,
                       const struct tally *tally)
{
    struct estimate estimate = estimate_count(profile, tally);
    sheet_cell(sheet, "%s%s", count_text(estimate.value, profile->mode == PROFILE_EXACT),
               spread_text(profile, estimate));
}

static void share_cell(struct sheet *sheet, const struct report *report,
                       const struct report_row *row)
{
    const struct profile *profile = report->scene->sides[0];
    bool time = report->weight == WEIGHT_TIME;
    bool body = time || report->by == BY_FUNCTION || report->by == BY_LINE;
    const struct tally *tally = body ? &row->body : &row->count;
    uint64_t weight = time ? tally->time : tally->count;
    double share = report->total ? 100 * (double)weight / (double)report->total : 0;
    struct estimate estimate = estimate_share(profile, tally, time);
    /* Shares of all blocks or edges are shares of instructions on another scale. */
    double scale = estimate.value > 0 ? share / estimate.value : 0;
    if (profile->mode == PROFILE_EXACT)
        sheet_cell(sheet, "%.2f%%", share);
    else if (profile->totals.batches < 2)
        sheet_cell(sheet, "%.2f%% ±?", share);
    else
        sheet_cell(sheet, "%.2f%% ±%.2f", share, scale * (estimate.hi - estimate.value));
}

static bool has_body(enum item_by by)
{
    return by == BY_FUNCTION || by == BY_LINE;
}

static bool has_time(const struct report *report)
{
    return report->scene->sides[0]->mode != PROFILE_EXACT &&
           (has_body(report->by) || report->by == BY_INSTRUCTION);
}

static bool has_target(enum item_by by)
{
    return by == BY_EDGE || by == BY_CALL;
}

static void row_cells(struct sheet *sheet, const struct report *report,
                      const struct report_row *row)
{
    struct scene *scene = report->scene;
    const struct profile *profile = scene->sides[0];
    bool exact = profile->mode == PROFILE_EXACT;
    share_cell(sheet, report, row);
    if (has_time(report))
        sheet_cell(sheet, "%.3f s", estimate_time(profile, &row->body).value);
    if (has_body(report->by))
        count_cell(sheet, profile, &row->body);
    count_cell(sheet, profile, &row->count);
    if (report->by == BY_INSTRUCTION && !exact)
        sheet_cell(sheet, "%.2f", estimate_cpi(profile, &row->body));
    if (report->by == BY_EDGE)
        sheet_cell(sheet, "%s", cfg_edge_kind_name((enum cfg_edge_kind)row->kind));
    if (report->by == BY_LINE) {
        if (row->file)
            sheet_cell(sheet, "%s:%u", row->file, row->line);
        else
            sheet_cell(sheet, "(line not known)");
        sheet_cell(sheet, "%s", scene->modules.at[row->module].name);
        return;
    }
    sheet_cell(sheet, "%s", scene_function_name(scene, row->module, row->function));
    sheet_cell(sheet, "%s", line_text(scene, row->module, row->at));
    sheet_cell(sheet, "%s", address_text(scene, row->module, row->at));
    if (has_target(report->by)) {
        function_id target = scene_function_at(scene, row->to_module, row->to);
        bool call = report->by == BY_CALL;
        sheet_cell(sheet, "-> %s%s%s", address_text(scene, row->to_module, row->to),
                   call ? " " : "", call ? scene_function_name(scene, row->to_module, target) : "");
    }
}

static void head_cells(struct sheet *sheet, const struct report *report, char *align)
{
    size_t n = 0;
    const struct {
        bool there;
        char align;
        const char *text;
    } columns[] = {
        {true, 'r', report->weight == WEIGHT_TIME ? "time" : "share"},
        {has_time(report), 'r', "seconds"},
        {has_body(report->by), 'r', "instructions"},
        {true, 'r', report->by == BY_FUNCTION ? "entries" : "count"},
        {report->by == BY_INSTRUCTION && has_time(report), 'r', "cpi"},
        {report->by == BY_EDGE, 'l', "kind"},
        {report->by != BY_LINE, 'l', "function"},
        {true, 'l', "line"},
        {report->by == BY_LINE, 'l', "module"},
        {report->by != BY_LINE, 'l', has_target(report->by) ? "from" : "address"},
        {has_target(report->by), 'l', "to"},
    };
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        if (columns[i].there)
            align[n++] = columns[i].align;
    align[n] = 0;
    sheet_begin(sheet, align);
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        if (columns[i].there)
            sheet_cell(sheet, "%s", columns[i].text);
}

void report_text(FILE *to, const struct report *report, size_t limit)
{
    char align[16];
    struct sheet sheet;
    head_text(to, report->scene, 0);
    fprintf(to, "by %s, weighed by %s, as taken (raw)\n\n", item_by_name(report->by),
            weight_name(report->weight));
    head_cells(&sheet, report, align);
    for (size_t i = 0; i < report->n && i < limit; i++)
        row_cells(&sheet, report, &report->at[i]);
    sheet_end(&sheet, to);
    if (report->n > limit)
        fprintf(to, "... and %zu more; --limit N shows N\n", report->n - limit);
    losses_text(to, report->scene, 0, report->stray);
}
