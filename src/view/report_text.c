#include "view/views.h"

#include "analysis/report/report.h"

#include "view/advice.h"
#include "text/clean.h"
#include "view/missing_text.h"
#include "text/source_paths.h"
#include "text/sheet.h"
#include "analysis/counts/trips.h"
#include "view/fit.h"
#include "view/head.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static bool is_exact(const struct report *report)
{
    return report->scene->sides[0]->mode == PROFILE_EXACT;
}

/* Better known than that, a count is shown with its interval; else it is about so many. */
#define WELL_KNOWN 25.0

static double uncertain_percent(struct estimate estimate)
{
    double half = fmax(estimate.hi - estimate.value, estimate.value - estimate.lo);
    return 100 * half / estimate.value;
}

/* "~300M": more digits would not be known. */
static const char *about_text(double value)
{
    double unit = pow(10, floor(log10(value)));
    return count_text(round(value / unit) * unit, false);
}

static void count_cell(struct sheet *sheet, const struct report *report, struct estimate estimate)
{
    const char *value = count_text(estimate.value, is_exact(report));
    double percent = uncertain_percent(estimate);
    bool verbose = report->scene->verbose || report->wants_counts;
    const char *sign = percent > 100 ? "+" : "±"; /* there is nothing below 0 */
    if (isnan(estimate.value))
        sheet_cell(sheet, "-");
    else if (is_exact(report) || estimate.value <= 0)
        sheet_cell(sheet, "%s", value);
    else if (percent >= 1000 || (!verbose && percent > 100))
        sheet_cell(sheet, "?");
    else if (!verbose && !(percent < WELL_KNOWN))
        sheet_cell(sheet, "~%s", about_text(estimate.value));
    else if (isnan(percent))
        sheet_cell(sheet, "%s ±?", value);
    else
        sheet_cell(sheet, "%s %s%.*f%%", value, sign, percent < 10 ? 1 : 0, percent);
}

static void share_cell(struct sheet *sheet, const struct report *report, struct estimate share)
{
    /* What has nothing of its own stands for what it calls. */
    bool none = report->both && !(share.value > 0);
    if (report->both && share.value > 0 && share.lo == share.hi)
        sheet_cell(sheet, "%.2f%%", 100 * share.value);
    else
        sheet_cell(sheet, "%s", none ? "-" : share_text(report->scene->sides[0], share));
    sheet_tone(sheet, ink_of_share(share.value));
}

static void amount_cell(struct sheet *sheet, const struct report *report, double amount)
{
    if (report->both && !(amount > 0))
        sheet_cell(sheet, "-");
    else if (isnan(amount))
        sheet_cell(sheet, "?");
    else if (report->has_plain && report->weight == WEIGHT_COUNT)
        sheet_cell(sheet, "%s", count_text(amount, false));
    else
        sheet_cell(sheet, "%.3f s", amount);
}

static void cpi_cell(struct sheet *sheet, struct estimate cpi)
{
    if (!cpi_known(cpi))
        sheet_cell(sheet, "-");
    else
        sheet_cell(sheet, "%.2f ±%.2f", cpi.value, fmax(cpi.hi - cpi.value, cpi.value - cpi.lo));
}

static void mean_cell(struct sheet *sheet, struct estimate mean)
{
    int digits = mean.value < 100 ? 2 : 0;
    double half = fmax(mean.hi - mean.value, mean.value - mean.lo);
    bool lopsided = mean.hi - mean.value > 1.5 * (mean.value - mean.lo);
    if (isinf(mean.hi))
        sheet_cell(sheet, "> %.0f", mean.lo);
    else if (isnan(mean.value))
        sheet_cell(sheet, "?");
    else if (half == 0)
        sheet_cell(sheet, "%.*f", digits, mean.value);
    else if (isnan(half))
        sheet_cell(sheet, "%.*f ±?", digits, mean.value);
    else if (lopsided)
        sheet_cell(sheet, "%.*f, %.*f to %.*f", digits, mean.value, digits, mean.lo, digits,
                   mean.hi);
    else
        sheet_cell(sheet, "%.*f ±%.*f", digits, mean.value, digits, half);
}

static void cut_cell(struct sheet *sheet, const struct report *report, const struct report_row *row)
{
    struct trip_bars bars;
    bool any = report_trips(report, row, &bars);
    sheet_cell(sheet, any ? "%.0f%%" : "", 100 * bars.cut);
    trip_bars_release(&bars);
}

static void trips_cell(struct sheet *sheet, const struct report *report,
                       const struct report_row *row)
{
    struct trip_bars bars;
    bool any = report_trips(report, row, &bars);
    sheet_cell(sheet, "%s", any ? trip_bars_text(&bars, &report->scene->arena) : "");
    trip_bars_release(&bars);
}

/* ---- columns */

enum column {
    SHARE,
    AMOUNT, /* seconds, or events of a plain profile that counted some */
    TOTAL,
    BESIDE,
    INSTRUCTIONS,
    COUNT,
    ENTRIES,
    MEAN,
    CPI,
    WHERE, /* user code or the kernel's */
    KIND,
    CUT, /* of runs */
    TRIPS,
    FUNCTION,
    TARGET,
    LINE,
    FILE_NAME,
    MODULE,
    ADDRESS,
    TO_ADDRESS,
    COLUMNS
};

static bool has_target(const struct report *report)
{
    return report->by == BY_EDGE || report->by == BY_CALL;
}

/* Counts of a sampled profile are often not known well enough for any. */
static bool any_cpi(const struct report *report)
{
    for (size_t i = 0; i < report->n; i++)
        if (cpi_known(report_cpi(report, &report->at[i])))
            return true;
    return false;
}

/* Counts of functions and lines are beside the point unless they are known well or asked for. */
static bool counts_known(const struct report *report, size_t limit,
                         struct estimate (*of)(const struct report *, const struct report_row *))
{
    if (is_exact(report) || report->scene->verbose || report->wants_counts ||
        report->weight == WEIGHT_COUNT || report->by == BY_LOOP || !report_has_body(report))
        return true;
    for (size_t i = 0; i < report->n && i < limit; i++)
        if (uncertain_percent(of(report, &report->at[i])) < WELL_KNOWN)
            return true;
    return false;
}

static bool column_there(const struct report *report, enum column column, size_t limit)
{
    bool plain = report->has_plain, body = report_has_body(report);
    const struct profile *profile = report->scene->sides[0];
    bool sampled = profile->mode == PROFILE_SAMPLED;
    enum item_by by = report->by;
    switch (column) {
    case SHARE: return true;
    case AMOUNT:
        return plain ||
               (sampled && !plain_counts_events(profile) && (body || by == BY_INSTRUCTION));
    case TOTAL: return body && report_has_total(report);
    case BESIDE:
        return (plain || report->has_below) && by == BY_FUNCTION && report->plain.beside.sum &&
               (!report->both || report->scene->verbose);
    case WHERE: return report->both;
    case INSTRUCTIONS: return !plain && body && counts_known(report, limit, report_instructions);
    case COUNT: return !plain && by != BY_INLINE && counts_known(report, limit, report_count);
    case ENTRIES:
    case MEAN: return by == BY_LOOP;
    case TRIPS: return by == BY_LOOP && report->scene->trips.n;
    case CPI:
        return sampled && !plain && (body || by == BY_INSTRUCTION) && any_cpi(report) &&
               (by == BY_INSTRUCTION || report->scene->verbose || report->wants_counts);
    case KIND: return by == BY_EDGE;
    case FUNCTION: return by != BY_LINE;
    case TARGET: return by == BY_CALL;
    case LINE: return by != BY_FUNCTION && by != BY_INLINE && by != BY_CALL;
    case FILE_NAME: return by == BY_INLINE;
    case MODULE:
        return by == BY_LINE || by == BY_INLINE || (by == BY_FUNCTION && !report->scene->verbose);
    case CUT: return by == BY_LOOP && report->scene->trips.n;
    case ADDRESS: return !body || by == BY_LOOP || (by == BY_FUNCTION && report->scene->verbose);
    case TO_ADDRESS: return has_target(report);
    case COLUMNS: break;
    }
    return false;
}

static const char *column_head(const struct report *report, enum column column)
{
    bool plain = report->has_plain, kernel = plain && report->plain.filter.kernel;
    switch (column) {
    case SHARE:
        if (report->by != BY_CALL && report_has_body(report) && report_has_total(report))
            return "self";
        return report->weight == WEIGHT_TIME ? "time" : "share";
    case AMOUNT: return plain && report->weight == WEIGHT_COUNT ? "events" : "seconds";
    case TOTAL: return "total";
    case BESIDE: return kernel ? "user" : "kernel";
    case INSTRUCTIONS: return "instructions";
    case COUNT:
        return report->by == BY_FUNCTION ? "entries"
               : report->by == BY_LOOP   ? "iterations"
                                         : "count";
    case ENTRIES: return "entries";
    case MEAN: return "mean";
    case CUT: return "cut";
    case TRIPS: return "trips";
    case CPI: return "cpi";
    case WHERE: return "in";
    case KIND: return "kind";
    case FUNCTION: return report->by == BY_CALL ? "caller" : "function";
    case TARGET: return "callee";
    case LINE: return "line";
    case FILE_NAME: return "file";
    case MODULE: return "module";
    case ADDRESS: return has_target(report) ? "from" : "address";
    case TO_ADDRESS: return "to";
    case COLUMNS: break;
    }
    return "";
}

static void line_cell(struct sheet *sheet, const struct report *report,
                      const struct report_row *row, const struct source_paths *paths)
{
    if (report->by != BY_LINE)
        sheet_cell(sheet, "%s", line_text(report->scene, row->module, row->at));
    else if (row->file)
        sheet_cell(sheet, "%s:%u", path_short(paths, row->file), row->line);
    else
        sheet_cell(sheet, "(line not known)");
}

static void beside_cell(struct sheet *sheet, const struct report *report,
                        const struct report_row *row)
{
    const struct plain_row *of = row->plain ? row->plain : row->below;
    if (row->kernel)
        sheet_cell(sheet, "-");
    else if (of)
        amount_cell(sheet, report, plain_beside(&report->plain, &of->beside));
    else
        sheet_cell(sheet, "?");
}

/* Of a loop that is entered in several ways one block is called its head. Where it ran less often
 * than the loop was entered, it counts nothing. */
static bool head_counts(const struct report *report, const struct report_row *row)
{
    return !row->irreducible || report_count(report, row).hi >= report_entries(report, row).value;
}

static void iterations_cell(struct sheet *sheet, const struct report *report,
                            const struct report_row *row)
{
    if (report->by == BY_LOOP && !head_counts(report, row))
        sheet_cell(sheet, "-");
    else
        count_cell(sheet, report, report_count(report, row));
}

static void row_cell(struct sheet *sheet, const struct report *report, const struct report_row *row,
                     const struct source_paths *paths, enum column column)
{
    struct scene *scene = report->scene;
    switch (column) {
    case SHARE: share_cell(sheet, report, report_share(report, row)); break;
    case AMOUNT: amount_cell(sheet, report, report_time(report, row).value); break;
    case TOTAL: share_cell(sheet, report, report_total_share(report, row)); break;
    case BESIDE: beside_cell(sheet, report, row); break;
    case INSTRUCTIONS: count_cell(sheet, report, report_instructions(report, row)); break;
    case COUNT: iterations_cell(sheet, report, row); break;
    case ENTRIES: count_cell(sheet, report, report_entries(report, row)); break;
    case MEAN:
        if (head_counts(report, row))
            mean_cell(sheet, report_trip_mean(report, row));
        else
            sheet_cell(sheet, "-");
        break;
    case CUT: cut_cell(sheet, report, row); break;
    case TRIPS: trips_cell(sheet, report, row); break;
    case CPI: cpi_cell(sheet, report_cpi(report, row)); break;
    case WHERE: sheet_cell(sheet, "%s", row->kernel ? "kernel" : "user"); break;
    case KIND: sheet_cell(sheet, "%s", cfg_edge_kind_name((enum cfg_edge_kind)row->kind)); break;
    case FUNCTION:
        sheet_cell(sheet, "%s%s", name_text(scene, row->name), row->inlined ? " (inlined)" : "");
        sheet_tone(sheet, INK_NAME);
        break;
    case TARGET:
        sheet_cell(sheet, "%s", name_text(scene, row->to_name));
        sheet_tone(sheet, INK_NAME);
        break;
    case LINE: line_cell(sheet, report, row, paths); break;
    case FILE_NAME: sheet_cell(sheet, "%s", row->file ? path_short(paths, row->file) : ""); break;
    case MODULE:
        sheet_cell(sheet, "%s",
                   row->module < scene->modules.n ? scene->modules.at[row->module].name
                   : row->kernel                  ? "(not sampled)"
                                                  : "");
        break;
    case ADDRESS: sheet_cell(sheet, "%s", address_text(scene, row->module, row->at)); break;
    case TO_ADDRESS:
        sheet_cell(sheet, "-> %s", address_text(scene, row->to_module, row->to));
        break;
    case COLUMNS: break;
    }
}

/* Those that are there. */
struct columns {
    enum column at[COLUMNS];
    size_t n;
};

static struct columns columns_of(const struct report *report, size_t limit)
{
    struct columns columns = {0};
    for (enum column column = 0; column < COLUMNS; column++)
        if (column_there(report, column, limit))
            columns.at[columns.n++] = column;
    return columns;
}

static void sheet_fill(struct sheet *sheet, const struct report *report,
                       const struct columns *columns, const struct source_paths *paths,
                       size_t limit)
{
    for (size_t c = 0; c < columns->n; c++) {
        sheet_cell(sheet, "%s", column_head(report, columns->at[c]));
        sheet_tone(sheet, INK_HEAD);
    }
    for (size_t i = 0; i < report->n && i < limit; i++)
        for (size_t c = 0; c < columns->n; c++)
            row_cell(sheet, report, &report->at[i], paths, columns->at[c]);
}

/* Where a terminal is too narrow, in this order; what says which row it is stays. */
static size_t columns_give_way(const struct report *report, const struct columns *columns,
                               uint8_t order[COLUMNS])
{
    static const enum column gives_way[] = {CPI,       BESIDE, ENTRIES,    COUNT,   INSTRUCTIONS,
                                            AMOUNT,    CUT,    TO_ADDRESS, ADDRESS, LINE,
                                            FILE_NAME, MODULE, TRIPS};
    bool named = report->by == BY_FUNCTION || report->by == BY_CALL;
    size_t n = 0;
    for (size_t i = 0; i < sizeof gives_way / sizeof *gives_way; i++) {
        enum column column = gives_way[i];
        bool is_address = column == ADDRESS || column == TO_ADDRESS;
        bool is_line = column == LINE && report->by == BY_LINE;
        bool is_count = column == COUNT && !report_has_body(report);
        for (uint8_t c = 0; c < columns->n; c++)
            if (columns->at[c] == column && !is_line && !is_count && (!is_address || named))
                order[n++] = c;
    }
    return n;
}

static void rows_text(FILE *to, const struct report *report, const struct ink *ink, size_t limit)
{
    char align[COLUMNS + 1] = "";
    struct columns columns = columns_of(report, limit);
    uint8_t order[COLUMNS];
    struct fit fit = {.scene = report->scene, .order = order};
    fit.n = columns_give_way(report, &columns, order);
    struct sheet sheet;
    struct source_paths paths;
    source_paths_begin(&paths);
    for (size_t i = 0; i < report->n && i < limit; i++)
        if (report->at[i].file)
            source_paths_add(&paths, report->at[i].file);
    for (size_t c = 0; c < columns.n; c++)
        align[c] = columns.at[c] < WHERE || columns.at[c] == CUT ? 'r' : 'l';
    sheet_begin(&sheet, align, ink);
    do
        sheet_fill(&sheet, report, &columns, &paths, limit);
    while (fit_more(&fit, &sheet));
    report->scene->name_width = 0;
    sheet_end(&sheet, to);
    if (report->n > limit)
        fprintf(to, "... and %zu more; --limit N shows N\n", report->n - limit);
    if (report->landings.count)
        fprintf(to, "%s more jumps to where no function starts (longjmp and the like): no calls\n",
                count_text(estimate_count(report->scene->sides[0], &report->landings).value,
                           report->scene->sides[0]->mode == PROFILE_EXACT));
    if (report->begun || report->ended)
        fprintf(to,
                "%" PRIu64 " passages began and %" PRIu64
                " ended inside of functions (exceptions, longjmp, exit, the recording's own begin "
                "and end): left as counted\n",
                report->begun, report->ended);
    if (paths.common[0] && report->by == BY_LINE)
        fprintf(to, "(files below %s)\n", text_clean(&report->scene->arena, paths.common));
}

static const char *weighed_by(const struct report *report)
{
    const char *event = profile_fact_find(report->scene->sides[0], "event");
    if (report->both)
        return report->weight == WEIGHT_COUNT
                   ? arena_format(&report->scene->arena, "%s, user and kernel", event)
                   : "CPU time, user and kernel";
    if (!report->has_plain)
        return weight_name(report->weight);
    if (report->weight == WEIGHT_COUNT)
        return event;
    return report->plain.filter.kernel ? "kernel time" : "user time";
}

/* Whether nothing of what is weighed was seen, but something of what stands beside it: rows would
 * have no figures. */
static bool all_beside(const struct report *report)
{
    return report->has_plain && !report->both && !report->plain.kept.sum &&
           report->plain.beside.sum;
}

static void beside_text(FILE *to, const struct report *report)
{
    const char *event = profile_fact_find(report->scene->sides[0], "event");
    const char *what = report->weight == WEIGHT_COUNT && event ? event : "samples";
    bool usual = !report->input || strcmp(report->input, "gait.data") == 0;
    const char *option = usual ? "" : " -i ", *input = usual ? "" : report->input;
    if (report->plain.filter.kernel)
        fprintf(to, "all %s were seen in user code, and none in the kernel\n", what);
    else
        fprintf(to,
                "all %s were seen in the kernel. Where there, and who caused them:\n"
                "      gait report --module '[kernel]'%s%s\n"
                "      gait contexts --kernel%s%s\n",
                what, option, input, option, input);
}

void report_text(FILE *to, const struct report *report, const struct ink *ink, size_t limit)
{
    verdict_text(to, report, ink);
    head_text(to, report->scene, 0);
    fputs(advice_text(to, report, ink) ? "\n" : "", to);
    fprintf(to, "by %s, weighed by %s%s\n\n", item_by_name(report->by), weighed_by(report),
            report->has_plain ? "" : counts_text(report->scene, 0, report->by));
    if (all_beside(report))
        beside_text(to, report);
    else
        rows_text(to, report, ink, limit);
    missing_text(to, report);
    losses_text(to, report->scene, 0, report->stray);
    limits_text(to, report, ink);
}
