#include "view/views.h"

#include "text/ink.h"
#include "view/head.h"
#include "analysis/loops/loop_words.h"
#include "view/place_text.h"

#include <inttypes.h>
#include <math.h>

enum { STRIDES_SHOWN = 6, STRIDE_PERCENT = 10 };

struct page {
    FILE *to;
    const struct loop_view *view;
    const struct ink *ink;
    struct place_text text;
};

static void place_print(struct page *page, const char *what, uint32_t module, uint64_t at)
{
    fprintf(page->to, "%s%s  %s  %s%s%s\n", what, line_text(page->view->scene, module, at),
            address_text(page->view->scene, module, at), ink_begin(page->ink, INK_SOURCE),
            place_assembly(&page->text, module, at), ink_end(page->ink, INK_SOURCE));
}

static void trips_print(const struct page *page, const struct loop_row *row)
{
    FILE *to = page->to;
    if (isnan(row->trips.value))
        fprintf(to, "      iterations: %u and more; no window saw it begin\n", row->most);
    else if (row->more)
        fprintf(to, "      iterations: %.1f and more; no window saw the longest end\n",
                row->trips.value);
    else if (row->whole > 1 && row->least == row->most)
        fprintf(to, "      iterations: %u each time (%" PRIu64 " seen from start to end)\n",
                row->least, row->whole);
    else if (isnan(row->trips.lo))
        fprintf(to, "      iterations: %.1f on average (%" PRIu64 " seen from start to end)\n",
                row->trips.value, row->whole);
    else
        fprintf(to, "      iterations: %.1f on average (%.1f to %.1f)\n", row->trips.value,
                row->trips.lo, row->trips.hi);
    if (row->iterations)
        fprintf(to, "      instructions of an iteration: %.1f%s\n",
                (double)row->instructions / (double)row->iterations,
                row->inner ? "" : ", without the loops inside");
}

static void stride_print(struct page *page, const struct loop_row *row,
                         const struct loop_access *access)
{
    const struct loop_stride *most = &access->strides[0];
    double part = 100 * (double)most->n / (double)access->steps;
    const char *does = access->what.stores ? "stores" : "loads";
    char what[80];
    if (part < STRIDE_PERCENT)
        snprintf(what, sizeof what, "      %s %u bytes, without a stride  ", does,
                 access->what.stores ? access->what.stores : access->what.loads);
    else
        snprintf(what, sizeof what, "      %s %u bytes, %+" PRId64 " each (%.0f %%)  ", does,
                 access->what.stores ? access->what.stores : access->what.loads, most->bytes, part);
    place_print(page, what, row->module, access->at);
}

static void strides_print(struct page *page, const struct loop_row *row)
{
    size_t seen = 0;
    for (size_t i = 0; i < row->accesses.n && row->inner; i++)
        if (row->accesses.at[i].steps && seen++ < STRIDES_SHOWN)
            stride_print(page, row, &row->accesses.at[i]);
    if (seen > STRIDES_SHOWN)
        fprintf(page->to, "      ... and %zu more accesses\n", seen - STRIDES_SHOWN);
}

static void carried_print(struct page *page, const struct loop_carried *carried)
{
    place_print(page, "          stored at  ", carried->module_from, carried->from);
    place_print(page, "          loaded at  ", carried->module, carried->at);
    fprintf(page->to, "          iterations between:");
    const char *comma = "";
    for (uint32_t i = 0; i < LOOP_DISTANCES; i++)
        if (carried->distances[i]) {
            fprintf(page->to, "%s %s: %.0f %%", comma, loop_distance_name(i),
                    100 * (double)carried->distances[i] / (double)carried->n);
            comma = ",";
        }
    fputc('\n', page->to);
}

static void reasons_print(struct page *page, const struct loop_row *row)
{
    struct loop_reasons reasons;
    char words[LOOP_WORDS];
    loop_reasons_find(&reasons, row);
    if (row->inner && !reasons.n)
        fprintf(page->to, "      fix: %s\n", loop_free_fix);
    for (uint32_t i = 0; i < reasons.n; i++) {
        const struct loop_reason *reason = &reasons.at[i];
        bool done = reason->stop == STOP_VECTORISED;
        loop_reason_words(words, page->view, row, reason);
        fprintf(page->to, "      %s%s\n", done ? "" : "not vectorised: ", words);
        if (reason->stop == STOP_CARRIED)
            carried_print(page, &row->carried.at[reason->other]);
        else if (reason->at)
            place_print(page, "          at  ", row->module, reason->at);
        if (!done)
            fprintf(page->to, "          fix: %s\n", loop_stop_fix(reason->stop));
    }
}

static void row_print(struct page *page, const struct loop_row *row)
{
    struct scene *scene = page->view->scene;
    function_id function = scene_function_at(scene, row->module, row->head);
    fprintf(page->to, "%s%6.2f%%%s (%.2f to %.2f)  %s%s%s  %s  %s%s\n",
            ink_begin(page->ink, INK_HEAD), 100 * row->share.value, ink_end(page->ink, INK_HEAD),
            100 * row->share.lo, 100 * row->share.hi, ink_begin(page->ink, INK_NAME),
            name_text(scene, scene_function_name(scene, row->module, function)),
            ink_end(page->ink, INK_NAME), line_text(scene, row->module, row->head),
            address_text(scene, row->module, row->head), row->inner ? "" : "  (outer)");
    const char *source = place_source(&page->text, row->module, row->head);
    if (*source)
        fprintf(page->to, "      %s%s%s\n", ink_begin(page->ink, INK_SOURCE),
                place_brief(&page->text, source), ink_end(page->ink, INK_SOURCE));
    trips_print(page, row);
    strides_print(page, row);
    reasons_print(page, row);
}

void loop_view_text(FILE *to, const struct loop_view *view, const struct ink *ink, size_t limit)
{
    struct page page = {.to = to, .view = view, .ink = ink};
    size_t shown = 0;
    place_text_begin(&page.text, view->scene);
    head_text(to, view->scene, 0);
    fprintf(to,
            "loops in %zu windows, by their share of executed instructions, each window "
            "weighed by the CPU time it stands for\n",
            view->windows);
    if (!view->addressed)
        fprintf(to, "no addresses were recorded, so strides and carried values are not known; gait "
                    "record --events edge,call,stack,address has them\n");
    fputc('\n', to);
    for (; shown < view->order.n && shown < limit; shown++)
        row_print(&page, &view->fold.rows.at[view->order.at[shown]]);
    if (!view->order.n)
        fprintf(to, "no loop was seen\n");
    shown_text(to, shown, view->order.n, "loops");
    losses_text(to, view->scene, 0, 0);
    place_text_end(&page.text);
}
