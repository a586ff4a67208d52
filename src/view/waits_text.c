#include "view/views.h"

#include "analysis/counts/labels.h"
#include "analysis/waits/wait_view.h"
#include "text/sheet.h"
#include "view/head.h"

#include <math.h>
#include <inttypes.h>
#include <string.h>

static const char *seconds_text(uint64_t ns, char room[24])
{
    if (ns < 1000000)
        snprintf(room, 24, "%.1f us", (double)ns / 1e3);
    else if (ns < 1000000000)
        snprintf(room, 24, "%.1f ms", (double)ns / 1e6);
    else
        snprintf(room, 24, "%.3f s", (double)ns / 1e9);
    return room;
}

/* The cells that all kinds of rows have. */
static void figures_cells(struct sheet *sheet, const struct wait_view *view,
                          const struct wait_row *row, enum wait_by by)
{
    char room[24];
    struct estimate time = wait_row_time(row, by);
    double share = view->ns ? (double)row->ns / (double)view->ns : 0;
    double half = time.value > 0 ? (time.hi - time.value) / time.value : 0;
    sheet_cell(sheet, "%s", seconds_text(row->ns, room));
    if (half > 0)
        sheet_cell(sheet, "±%.0f%%", 100 * half);
    else
        sheet_cell(sheet, "%s", "");
    sheet_cell(sheet, "%.1f%%", 100 * share);
    sheet_tone(sheet, ink_of_share(share));
    sheet_cell(sheet, "%" PRIu64, row->n);
    sheet_cell(sheet, "%s", row->longest_ns ? seconds_text(row->longest_ns, room) : "?");
}

/* Columns give way in this order, then names are cut. */
static void table_end(FILE *to, const struct wait_view *view, struct sheet *sheet,
                      const char *give_way)
{
    int columns = view->scene->columns;
    for (; columns && *give_way && sheet_width(sheet) > columns; give_way++)
        sheet_hide(sheet, (size_t)(*give_way - '0'));
    if (columns)
        sheet_squeeze(sheet, columns);
    sheet_end(sheet, to);
}

static void heads(struct sheet *sheet, const char *const *names)
{
    for (; *names; names++)
        sheet_cell(sheet, "%s", *names);
}

static void reasons_text(FILE *to, const struct wait_view *view, const struct ink *ink,
                         size_t limit)
{
    static const char *const names[] = {
        "time", "", "share", "waits", "longest", "reason", "system call", "threads", NULL};
    const struct wait_rows *rows = &view->rows[WAIT_BY_REASON];
    struct sheet sheet;
    sheet_begin(&sheet, "rlrrrllr", ink);
    heads(&sheet, names);
    for (size_t i = 0; i < rows->n && i < limit; i++) {
        figures_cells(&sheet, view, &rows->at[i], WAIT_BY_REASON);
        sheet_cell(&sheet, "%s", rows->at[i].reason);
        sheet_cell(&sheet, "%s", rows->at[i].syscall);
        sheet_cell(&sheet, "%u", rows->at[i].threads);
    }
    fputs("\nby reason\n", to);
    table_end(to, view, &sheet, "741");
    shown_text(to, rows->n < limit ? rows->n : limit, rows->n, "reasons");
}

static void threads_text(FILE *to, const struct wait_view *view, const struct ink *ink,
                         size_t limit)
{
    static const char *const names[] = {"time",     "",       "share",   "waits", "longest",
                                        "runnable", "thread", "pid/tid", NULL};
    const struct wait_rows *rows = &view->rows[WAIT_BY_THREAD];
    struct sheet sheet;
    char room[24];
    sheet_begin(&sheet, "rlrrrrll", ink);
    heads(&sheet, names);
    for (size_t i = 0; i < rows->n && i < limit; i++) {
        const struct wait_row *row = &rows->at[i];
        figures_cells(&sheet, view, row, WAIT_BY_THREAD);
        sheet_cell(&sheet, "%s", seconds_text(row->runnable_ns, room));
        sheet_cell(&sheet, "%s", wait_thread_name(view, row->thread));
        sheet_cell(&sheet, "%u/%u", (uint32_t)(row->thread >> 32), (uint32_t)row->thread);
    }
    fputs("\nby thread\n", to);
    table_end(to, view, &sheet, "541");
    shown_text(to, rows->n < limit ? rows->n : limit, rows->n, "threads");
}

/* Innermost first, as people ask: where does it wait, who called that. */
static void frames_text(FILE *to, const struct wait_view *view, uint32_t stack, size_t frames)
{
    size_t n = 0;
    for (uint32_t node = stack; node && n < frames; node = view->nodes.at[node].parent, n++)
        fprintf(to, "%*s%s%s%s\n", 12, "", name_text(view->scene, view->nodes.at[node].linkage),
                *view->nodes.at[node].line ? "  " : "", view->nodes.at[node].line);
    for (; stack && n; n--)
        stack = view->nodes.at[stack].parent;
    if (stack)
        fprintf(to, "%*s...\n", 12, "");
}

/* Whoever had the lock: its own waits are another row. */
static void holder_text(FILE *to, const struct wait_view *view, uint64_t holder)
{
    if (holder)
        fprintf(to, "%*sthe lock was held by %s, thread %u\n", 12, "",
                wait_thread_name(view, holder), (uint32_t)holder);
}

static void stacks_text(FILE *to, const struct wait_view *view, const struct ink *ink,
                        struct wait_sections sections)
{
    const struct wait_rows *rows = &view->rows[WAIT_BY_STACK];
    size_t shown = rows->n < sections.limit ? rows->n : sections.limit;
    char time[24], longest[24];
    fprintf(to, "\n%sby stack%s\n", ink_begin(ink, INK_HEAD), ink_end(ink, INK_HEAD));
    for (size_t i = 0; i < shown; i++) {
        const struct wait_row *row = &rows->at[i];
        struct estimate about = wait_row_time(row, WAIT_BY_STACK);
        char half[16] = "";
        if (about.hi > about.value)
            snprintf(half, sizeof half, " ±%.0f%%", 100 * (about.hi / about.value - 1));
        fprintf(to, "%10s%s  %5.1f%%  %s%s%s%s%s: %s, longest %s%s\n", seconds_text(row->ns, time),
                half, view->ns ? 100 * (double)row->ns / (double)view->ns : 0,
                ink_begin(ink, INK_NAME), row->reason, *row->syscall ? " in " : "", row->syscall,
                ink_end(ink, INK_NAME), number_text(row->n, "wait", "waits"),
                row->longest_ns ? seconds_text(row->longest_ns, longest) : "?",
                row->threads > 1 ? ", several threads" : "");
        holder_text(to, view, row->holder);
        if (!row->stack)
            fprintf(to, "%*s(no stack was taken)\n", 12, "");
        frames_text(to, view, row->stack, sections.frames);
    }
    shown_text(to, shown, rows->n, "stacks");
}

static void source_text(FILE *to, const struct wait_view *view)
{
    const struct profile *profile = view->scene->sides[0];
    char room[24];
    const struct time_part *part = &profile->part_waits;
    if (part->end_ns)
        fprintf(to, "from %.3f s to %.3f s of the run: ",
                fmax((double)(int64_t)(part->begin_ns - times_start(profile)) / 1e9, 0),
                (double)(int64_t)(part->end_ns - times_start(profile)) / 1e9);
    fprintf(to, "%s off a CPU in ", seconds_text(view->ns, room));
    fprintf(to, "%s, ", number_text(view->n, "wait", "waits"));
    fprintf(to, "%s; ", number_text(view->threads, "thread", "threads"));
    fprintf(to, "%s had a stack\n", number_text(view->seen, "wait", "waits"));
    for (size_t i = 0; i < profile->facts.n; i++)
        if (strcmp(profile->facts.at[i].key, "waits") == 0)
            fprintf(to, "source: %s\n", profile->facts.at[i].value);
}

void wait_view_text(FILE *to, const struct wait_view *view, const struct ink *ink,
                    struct wait_sections sections)
{
    head_text(to, view->scene, 0);
    source_text(to, view);
    if (sections.reasons)
        reasons_text(to, view, ink, sections.limit);
    if (sections.threads)
        threads_text(to, view, ink, sections.limit);
    if (sections.stacks)
        stacks_text(to, view, ink, sections);
}
