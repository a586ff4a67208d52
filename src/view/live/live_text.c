#include "view/live/live_view.h"

#include "text/sheet.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

const char *live_by_name(enum live_by by)
{
    static const char *const names[] = {"function", "process", "thread", "module", "caller"};
    return names[by];
}

/* ---- the head */

static double seconds(uint64_t ns)
{
    return (double)ns / 1e9;
}

double live_cost(const struct live *live, const struct live_about *about)
{
    struct live_sum sum = live_sum(live);
    double cost = (double)sum.tool_ns + (double)sum.samples * (double)about->sample_ns;
    double ran = about->all_cpus ? (double)sum.elapsed_ns * about->cpus
                                 : (double)sum.user_ns + (double)sum.kernel_ns;
    return ran > 0 ? cost / ran : (double)NAN;
}

void live_head_text(FILE *to, const struct live *live, const struct live_about *about)
{
    struct live_sum sum = live_sum(live);
    double elapsed = seconds(sum.elapsed_ns), cost = live_cost(live, about);
    double user = elapsed > 0 ? 100 * seconds(sum.user_ns) / elapsed : 0;
    double kernel = elapsed > 0 ? 100 * seconds(sum.kernel_ns) / elapsed : 0;
    fprintf(to, "%s, last %.1f s: CPU %.0f%% of %u00 (user %.0f, kernel %.0f)\n", about->subject,
            elapsed, user + kernel, about->cpus, user, kernel);
    fprintf(to, "%" PRIu64 " samples, %" PRIu64 " lost; gait itself ", sum.samples, sum.lost);
    if (isnan(cost))
        fputs("-\n", to);
    else
        fprintf(to, "%.2f%%\n", 100 * cost);
    if (*about->refused)
        fprintf(to, "%s\n", about->refused);
}

/* ---- rows */

static void share_cell(struct sheet *sheet, struct estimate share)
{
    double half = fmax(share.hi - share.value, share.value - share.lo);
    const char *sign = share.value + half > 1 ? "-" : share.value < half ? "+" : "±";
    if (isnan(half))
        sheet_cell(sheet, "%.1f%% ±?", 100 * share.value);
    else if (half > 0)
        sheet_cell(sheet, "%.1f%% %s%.1f", 100 * share.value, sign, 100 * half);
    else
        sheet_cell(sheet, "%.1f%%", 100 * share.value);
    sheet_tone(sheet, ink_of_share(share.value));
}

static void cpu_cell(struct sheet *sheet, double part_s, double elapsed_s)
{
    sheet_cell(sheet, "%.1f%%", elapsed_s > 0 ? 100 * part_s / elapsed_s : 0);
}

static const char *hottest_name(const struct live *live, const struct live_row *row)
{
    return row->hottest == LIVE_NONE ? "" : live->code.functions.at[row->hottest].readable;
}

static void heads(struct sheet *sheet, const char *const *names)
{
    for (; *names; names++) {
        sheet_cell(sheet, "%s", *names);
        sheet_tone(sheet, INK_HEAD);
    }
}

static void function_cells(struct sheet *sheet, const struct live_row *row, double elapsed)
{
    share_cell(sheet, row->share);
    cpu_cell(sheet, row->seconds, elapsed);
    share_cell(sheet, row->total_share);
    sheet_cell(sheet, "%s", row->kernel ? "kernel" : "user");
    sheet_cell(sheet, "%s", row->name);
    sheet_tone(sheet, INK_NAME);
    sheet_cell(sheet, "%s", row->module);
}

static void caller_cells(struct sheet *sheet, const struct live_row *row, double elapsed)
{
    share_cell(sheet, row->share);
    cpu_cell(sheet, row->seconds, elapsed);
    sheet_cell(sheet, "%s", row->kernel ? "kernel" : "user");
    sheet_cell(sheet, "%s", row->name);
    sheet_tone(sheet, INK_NAME);
    sheet_cell(sheet, "%s", row->module);
}

static void thread_cells(struct sheet *sheet, const struct live *live, const struct live_row *row,
                         double elapsed, bool thread)
{
    share_cell(sheet, row->share);
    cpu_cell(sheet, row->seconds, elapsed);
    cpu_cell(sheet, seconds(row->user_ns), elapsed);
    cpu_cell(sheet, seconds(row->kernel_ns), elapsed);
    sheet_cell(sheet, "%u", row->pid);
    if (thread)
        sheet_cell(sheet, "%u", row->tid);
    sheet_cell(sheet, "%s", row->name ? row->name : "");
    sheet_tone(sheet, INK_NAME);
    sheet_cell(sheet, "%s", hottest_name(live, row));
}

static void module_cells(struct sheet *sheet, const struct live *live, const struct live_row *row,
                         double elapsed)
{
    share_cell(sheet, row->share);
    cpu_cell(sheet, row->seconds, elapsed);
    sheet_cell(sheet, "%s", row->kernel ? "kernel" : "user");
    sheet_cell(sheet, "%s", row->name);
    sheet_tone(sheet, INK_NAME);
    sheet_cell(sheet, "%s", hottest_name(live, row));
}

static const struct {
    const char *align;
    const char *heads[9];
} tables[] = {
    [LIVE_FUNCTION] = {"rrrlll", {"self", "CPU", "total", "in", "function", "module"}},
    [LIVE_PROCESS] = {"rrrrrll",
                      {"share", "CPU", "user", "kernel", "pid", "process", "hottest function"}},
    [LIVE_THREAD] = {"rrrrrrll",
                     {"share", "CPU", "user", "kernel", "pid", "tid", "thread",
                      "hottest function"}},
    [LIVE_MODULE] = {"rrlll", {"self", "CPU", "in", "module", "hottest function"}},
    [LIVE_CALLER] = {"rrlll", {"share", "CPU", "in", "caller", "module"}},
};

void live_rows_text(FILE *to, const struct live *live, const struct live_rows *rows,
                    const struct live_query *query, const struct live_about *about, size_t first,
                    size_t limit)
{
    struct sheet sheet;
    double elapsed = seconds(live_sum(live).elapsed_ns);
    sheet_begin(&sheet, tables[query->by].align, about->ink);
    heads(&sheet, tables[query->by].heads);
    for (size_t i = first; i < rows->n && i - first < limit; i++) {
        const struct live_row *row = &rows->at[i];
        switch (query->by) {
        case LIVE_FUNCTION: function_cells(&sheet, row, elapsed); break;
        case LIVE_CALLER: caller_cells(&sheet, row, elapsed); break;
        case LIVE_MODULE: module_cells(&sheet, live, row, elapsed); break;
        case LIVE_PROCESS:
        case LIVE_THREAD: thread_cells(&sheet, live, row, elapsed, query->by == LIVE_THREAD); break;
        }
    }
    if (about->columns)
        sheet_squeeze(&sheet, about->columns);
    sheet_end(&sheet, to);
}
