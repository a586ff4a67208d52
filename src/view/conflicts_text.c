#include "view/views.h"

#include "analysis/values/conflicts.h"

#include "view/head.h"
#include "text/ink.h"
#include "view/place_text.h"

#include <inttypes.h>
#include <math.h>

enum { CALLERS_SHOWN = 4 };

static void end_print(FILE *to, struct place_text *text, const char *what,
                      const struct conflict_end *end, const struct ink *ink)
{
    struct scene *scene = text->scene;
    function_id function = scene_function_at(scene, end->module, end->address);
    const char *source = place_source(text, end->module, end->address);
    fprintf(to, "      %-6s %s%s%s  %s  %s  %s%s%s\n", what, ink_begin(ink, INK_NAME),
            name_text(scene, scene_function_name(scene, end->module, function)),
            ink_end(ink, INK_NAME), line_text(scene, end->module, end->address),
            address_text(scene, end->module, end->address), ink_begin(ink, INK_SOURCE),
            place_assembly(text, end->module, end->address), ink_end(ink, INK_SOURCE));
    if (*source)
        fprintf(to, "             %s%s%s\n", ink_begin(ink, INK_SOURCE), place_brief(text, source),
                ink_end(ink, INK_SOURCE));
}

static void fails_print(FILE *to, const struct conflict_view *view, const struct conflict_row *row)
{
    fprintf(to, "; modelled (%s): %.1f%%", view->core, 100 * row->fails.value);
    if (!isnan(row->fails.lo))
        fprintf(to, " [%.1f, %.1f]", 100 * row->fails.lo, 100 * row->fails.hi);
    fprintf(to, " of executions fail, %.0f cycles each", row->fail_cycles);
}

static void caller_print(FILE *to, struct scene *scene, const char *what,
                         const struct conflict_end *caller)
{
    function_id function = scene_function_at(scene, caller->module, caller->address);
    fprintf(to, "%s %s (%s)", what,
            name_text(scene, scene_function_name(scene, caller->module, function)),
            line_text(scene, caller->module, caller->address - 1));
}

/* By who called: of the second access, and of the first if that is another. */
static void callers_print(FILE *to, const struct conflict_view *view,
                          const struct conflict_row *row)
{
    for (size_t i = 0; i < row->n_callers && i < CALLERS_SHOWN; i++) {
        const struct conflict_callers *callers = &view->callers.at[row->first_callers + i];
        const struct conflict_end *from = &callers->from, *end = &callers->to;
        fprintf(to, "      %8" PRIu64 " of them ", callers->count);
        if (end->module == MODULE_NONE)
            fprintf(to, "by callers from before the window");
        else
            caller_print(to, view->scene, "called from", end);
        if (from->module != MODULE_NONE &&
            (from->module != end->module || from->address != end->address))
            caller_print(to, view->scene, ", the first from", from);
        if (!isnan(callers->share))
            fprintf(to, "; %.1f%% of its executions from there", 100 * callers->share);
        fprintf(to, "\n");
    }
    if (row->n_callers > CALLERS_SHOWN)
        fprintf(to, "      and %zu other callers (--json)\n", row->n_callers - CALLERS_SHOWN);
}

static void row_print(FILE *to, const struct conflict_view *view, struct place_text *text,
                      const struct conflict_row *row, const struct ink *ink)
{
    bool pair =
        row->type == CONFLICT_FORWARD || row->type == CONFLICT_ORDER || row->type == CONFLICT_ALIAS;
    bool shared = row->type == CONFLICT_FALSE_SHARING || row->type == CONFLICT_SHARING;
    fprintf(to, "%s%-13s%s %8" PRIu64 " times, %5.1f%%", ink_begin(ink, INK_HEAD),
            conflict_type_name(row->type), ink_end(ink, INK_HEAD), row->count,
            100 * row->share.value);
    if (isnan(row->share.lo))
        fprintf(to, " [?]");
    else
        fprintf(to, " [%.1f, %.1f]", 100 * row->share.lo, 100 * row->share.hi);
    fprintf(to, " of its %s", shared ? "windows" : "executions");
    if (pair)
        fprintf(to, ", %.0f instructions apart", row->distance);
    if (row->measured)
        fprintf(to, "; measured: %.1f %s",
                view->tsc_hz > 0 ? row->ticks.value / view->tsc_hz * 1e9 : row->ticks.value,
                view->tsc_hz > 0 ? "ns" : "ticks");
    else if (row->modelled)
        fails_print(to, view, row);
    else
        fprintf(to, "; potential");
    fprintf(to, "\n      %s\n", conflict_type_text(row->type));
    if (pair || shared)
        end_print(to, text, pair ? "store" : "one", &row->from, ink);
    end_print(to, text, pair ? "load" : shared ? "other" : "at", &row->to, ink);
    callers_print(to, view, row);
}

void conflict_view_text(FILE *to, const struct conflict_view *view, const struct ink *ink,
                        size_t limit)
{
    size_t shown = 0;
    struct place_text text;
    place_text_begin(&text, view->scene);
    head_text(to, view->scene, 0);
    fprintf(to, "%s accesses to memory were looked at, pairs up to %u instructions apart\n\n",
            count_text((double)view->looked, true), view->within);
    for (; shown < view->n && shown < limit; shown++)
        row_print(to, view, &text, &view->at[shown], ink);
    if (!view->n)
        fprintf(to, "no conflicts\n");
    fprintf(to, "\n%zu of %zu; %zu that are rare, or may be chance, are left out (--all)\n", shown,
            view->n, view->left_out);
    losses_text(to, view->scene, 0, 0);
    place_text_end(&text);
}
