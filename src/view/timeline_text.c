#include "view/views.h"

#include "analysis/report/timeline.h"

#include "text/sheet.h"
#include "view/head.h"

enum { BAR = 30, NAMED = 2, NAME_WIDE = 36 };

/* The functions with most time in a slice, each with its share. */
static void hottest_cell(struct sheet *sheet, const struct timeline *timeline, size_t at)
{
    const struct time_slice *slice = &timeline->slices.at[at];
    double all = slice->user + slice->kernel, before = 0;
    char text[256] = "";
    size_t used = 0, last = timeline->functions.n;
    for (int k = 0; k < NAMED; k++) {
        size_t best = timeline->functions.n;
        for (size_t i = 0; i < timeline->functions.n; i++) {
            double time = timeline->functions.at[i].time[at];
            bool next = k == 0 || time < before || (time == before && i > last);
            if (time > 0 && next &&
                (best == timeline->functions.n || time > timeline->functions.at[best].time[at]))
                best = i;
        }
        if (best == timeline->functions.n)
            break;
        before = timeline->functions.at[best].time[at];
        last = best;
        used += (size_t)snprintf(
            text + used, sizeof text - used, "%s%.0f%% %.*s", k ? ", " : "", 100 * before / all,
            NAME_WIDE, scene_readable(timeline->scene, timeline->functions.at[best].linkage));
    }
    sheet_cell(sheet, "%s", text);
}

/* '#' is user time, '+' kernel time; the whole width is the busiest slice. */
static void bar_cell(struct sheet *sheet, const struct time_slice *slice, double most)
{
    char text[BAR + 1];
    int user = most > 0 ? (int)(BAR * slice->user / most + 0.5) : 0;
    int all = most > 0 ? (int)(BAR * (slice->user + slice->kernel) / most + 0.5) : 0;
    for (int i = 0; i < BAR; i++)
        text[i] = i < user ? '#' : i < all ? '+' : ' ';
    text[BAR] = 0;
    sheet_cell(sheet, "%s", text);
}

static double busiest(const struct timeline *timeline)
{
    double most = 0;
    for (size_t i = 0; i < timeline->slices.n; i++) {
        double all = timeline->slices.at[i].user + timeline->slices.at[i].kernel;
        most = all > most ? all : most;
    }
    return most;
}

static void rows_text(struct sheet *sheet, const struct timeline *timeline)
{
    double most = busiest(timeline);
    for (size_t i = 0; i < timeline->slices.n; i++) {
        const struct time_slice *slice = &timeline->slices.at[i];
        double all = slice->user + slice->kernel;
        double wide = (double)(slice->end_ns - slice->begin_ns) / 1e9;
        sheet_cell(sheet, "%.3f s", (double)slice->begin_ns / 1e9);
        if (timeline->events)
            sheet_cell(sheet, "%s", count_text(all, false));
        else
            sheet_cell(sheet, "%.2f", wide > 0 ? all / wide : 0);
        bar_cell(sheet, slice, most);
        hottest_cell(sheet, timeline, i);
    }
}

void timeline_text(FILE *to, const struct timeline *timeline, const struct ink *ink)
{
    struct sheet sheet;
    head_text(to, timeline->scene, 0);
    fprintf(to, "%s over the run; # user, + kernel; gait report --time FROM:TO shows a part\n\n",
            timeline->events ? "events" : "CPU time");
    sheet_begin(&sheet, "rrll", ink);
    sheet_cell(&sheet, "from");
    sheet_cell(&sheet, timeline->events ? "events" : "CPUs");
    sheet_cell(&sheet, " ");
    sheet_cell(&sheet, "functions");
    rows_text(&sheet, timeline);
    if (timeline->scene->columns)
        sheet_squeeze(&sheet, timeline->scene->columns);
    sheet_end(&sheet, to);
    losses_text(to, timeline->scene, 0, 0);
}
