#include "view/views.h"

#include "analysis/windows/window_list.h"
#include "text/clean.h"
#include "view/fit.h"
#include "view/head.h"

#include <inttypes.h>
#include <math.h>

static void figure(struct sheet *sheet, double value, int digits)
{
    if (isnan(value))
        sheet_cell(sheet, "?");
    else
        sheet_cell(sheet, "%.*f", digits, value);
}

/* The measure that is farthest from what is usual; MEASURES: none is. */
static enum window_measure oddest(const struct window_row *row)
{
    for (int m = 0; m < MEASURES; m++)
        if (row->distances[m] >= WINDOW_ODD && row->distances[m] >= row->unlike)
            return (enum window_measure)m;
    return MEASURES;
}

static void row_fill(struct sheet *sheet, struct window_list *list, const struct window_row *row)
{
    struct scene *scene = list->scene;
    enum window_measure odd = oddest(row);
    sheet_cell(sheet, "%u", row->number);
    figure(sheet, row->unlike, 1);
    if (row->unlike >= 2 * WINDOW_ODD)
        sheet_tone(sheet, INK_HOT);
    sheet_cell(sheet, "%s", odd < MEASURES ? window_odd_text(list, row, odd) : "-");
    if (isnan(row->time))
        sheet_cell(sheet, "?");
    else
        sheet_cell(sheet, "%.3f s", row->time);
    sheet_cell(sheet, "%s%s%u", text_clean(&scene->arena, row->thread), *row->thread ? " " : "",
               row->tid);
    sheet_cell(sheet, "%s",
               row->instructions ? name_text(scene, list->code.functions.at[row->function].linkage)
                                 : "-");
    sheet_tone(sheet, INK_NAME);
    sheet_cell(sheet, "%u", row->instructions);
    sheet_cell(sheet, window_calls_known(row) ? "%u" : "?", row->calls);
    sheet_cell(sheet, window_calls_known(row) ? "%u" : "?", row->levels);
    figure(sheet, row->measures[MEASURE_CYCLES], 2);
}

static void fill(struct sheet *sheet, struct window_list *list, struct window_choice choice,
                 size_t limit)
{
    static const char *const titles[] = {"window", "unlike",     "what is unusual", "time",
                                         "thread", "began in",   "instructions",    "calls",
                                         "levels", "cycles/insn"};
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
        sheet_cell(sheet, "%s", titles[i]);
    for (size_t i = 0; i < choice.n && i < limit; i++)
        row_fill(sheet, list, &list->at[choice.order[i]]);
}

static void usual_print(FILE *to, const struct window_list *list)
{
    if (isnan(list->usual[MEASURE_CODE].median)) {
        fprintf(to, "fewer than %d windows: too few to say which are unusual\n", USUAL_LEAST);
        return;
    }
    fprintf(to,
            "unlike: distance from the usual window in spreads, of four measures the largest; %d "
            "and more are unusual\n",
            WINDOW_ODD);
    fprintf(to, "usual: overlap with the code of the others %.0f %%",
            100 * (1 - list->usual[MEASURE_CODE].median));
    if (!isnan(list->usual[MEASURE_DEPTH].median))
        fprintf(to, ", %.0f levels, %.1f calls per 1000 instructions",
                list->usual[MEASURE_DEPTH].median, list->usual[MEASURE_CALLS].median);
    if (!isnan(list->usual[MEASURE_CYCLES].median))
        fprintf(to, ", %.2f cycles an instruction", list->usual[MEASURE_CYCLES].median);
    fputc('\n', to);
}

void window_list_text(FILE *to, struct window_list *list, const struct ink *ink,
                      struct window_choice choice, size_t limit)
{
    struct sheet sheet;
    static const uint8_t give_way[] = {4, 7, 3};
    struct fit fit = {list->scene, give_way, sizeof give_way, 0};
    const struct totals *totals = &list->scene->sides[0]->totals;
    uint64_t recorded = totals->recorded ? totals->recorded : totals->windows;
    head_text(to, list->scene, 0);
    fprintf(to, "%zu windows were kept", list->order.n);
    if (recorded)
        fprintf(to, " of %" PRIu64 " that were recorded", recorded);
    fprintf(to, "; times are counted from the %s", window_since(list));
    fprintf(to, "; cycles are modelled: %s\n", *list->core_why ? list->core_why : list->model.name);
    usual_print(to, list);
    fputc('\n', to);
    sheet_begin(&sheet, "rrlrllrrrr", ink);
    fill(&sheet, list, choice, limit);
    while (fit_more(&fit, &sheet))
        fill(&sheet, list, choice, limit);
    sheet_end(&sheet, to);
    size_t shown = choice.n < limit ? choice.n : limit;
    shown_text(to, shown, choice.n, "windows");
    if (shown)
        fprintf(to, "next: gait windows --show %u\n", list->at[choice.order[0]].number);
    losses_text(to, list->scene, 0, 0);
}
