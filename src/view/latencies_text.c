#include "view/views.h"

#include "analysis/values/latencies.h"

#include "base/memory.h"
#include "view/head.h"
#include "text/ink.h"
#include "view/place_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LINES_SHOWN = 4 };

static double in_unit(const struct latency_view *view, double ticks)
{
    return view->tsc_hz > 0 ? ticks / view->tsc_hz * 1e9 : ticks;
}

static void mean_print(FILE *to, const struct latency_view *view, struct estimate mean)
{
    if (isnan(mean.value))
        fprintf(to, "%8s %15s", "?", "");
    else if (isnan(mean.lo))
        fprintf(to, "%8.1f %15s", in_unit(view, mean.value), "");
    else
        fprintf(to, "%8.1f [%6.1f,%6.1f]", in_unit(view, mean.value), in_unit(view, mean.lo),
                in_unit(view, mean.hi));
}

static void place_print(FILE *to, const struct latency_view *view, struct place_text *text,
                        const struct load_place *place, const struct ink *ink)
{
    struct scene *scene = view->scene;
    function_id function = scene_function_at(scene, place->module, place->address);
    double cost = view->ticks > 0 ? place->ticks / view->ticks : 0;
    const char *source = place_source(text, place->module, place->address);
    fprintf(to, "%s%6.2f%%%s ", ink_begin(ink, ink_of_share(cost)), 100 * cost,
            ink_end(ink, ink_of_share(cost)));
    mean_print(to, view, place->mean);
    for (int bin = 0; bin < LATENCY_BINS; bin++)
        if (!latency_bin_told(view, (enum latency_bin)bin))
            fprintf(to, " %7s", "?");
        else
            fprintf(to, " %6.1f%%", 100 * (double)place->bins[bin] / (double)place->timed);
    fprintf(to, " %7" PRIu64 "  %s%s%s  %s  %s\n", place->timed, ink_begin(ink, INK_NAME),
            name_text(scene, scene_function_name(scene, place->module, function)),
            ink_end(ink, INK_NAME), line_text(scene, place->module, place->address),
            address_text(scene, place->module, place->address));
    fprintf(to, "        %s%s%s%s%s\n", ink_begin(ink, INK_SOURCE),
            place_assembly(text, place->module, place->address), *source ? "    " : "",
            place_brief(text, source), ink_end(ink, INK_SOURCE));
    for (size_t i = 0; i < place->n && i < LINES_SHOWN; i++) {
        const struct latency_line *line = &view->lines.at[place->first + i];
        fprintf(to, "        %" PRIu64 " from line 0x%" PRIx64 ", %s\n", line->count, line->line,
                latency_bin_name((enum latency_bin)line->bin));
    }
}

/* The part of the cost that is no chance: of a place that was timed once or twice, none. */
static double certain_ticks(const struct load_place *place)
{
    return isnan(place->mean.lo) ? 0 : place->mean.lo * (double)place->timed;
}

static int by_certain_cost(const void *a, const void *b)
{
    const struct load_place *x, *y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    double one = certain_ticks(x), other = certain_ticks(y);
    return one > other ? -1 : one < other ? 1 : x < y ? -1 : x > y; /* then as the view has them */
}

void latency_view_text(FILE *to, const struct latency_view *view, const struct ink *ink,
                       size_t limit)
{
    const char *scale = profile_fact_find(view->scene->sides[0], "latency_scale");
    size_t shown = 0;
    struct place_text text;
    place_text_begin(&text, view->scene);
    head_text(to, view->scene, 0);
    fprintf(to, "%" PRIu64 " loads were timed, a random part of all; %s\n", view->timed,
            scale ? scale : "the scale is not known");
    fputs("places, sorted by the lower end of the interval of their cost\n", to);
    if (view->untold)
        fprintf(to, "near and far cannot be separated: %s\n", view->untold);
    else if (view->l3_untold)
        fprintf(to, "the third-level cache cannot be separated: %s\n", view->l3_untold);
    fprintf(to, "%s%7s %8s %15s %7s %7s %7s %7s %7s  place%s\n", ink_begin(ink, INK_HEAD), "cost",
            view->tsc_hz > 0 ? "mean ns" : "ticks", "95 % interval", "near", "l3", "memory",
            "longer", "timed", ink_end(ink, INK_HEAD));
    const struct load_place **order = mem_alloc((view->n + 1) * sizeof *order);
    for (size_t i = 0; i < view->n; i++)
        order[i] = &view->at[i];
    qsort(order, view->n, sizeof *order, by_certain_cost);
    for (; shown < view->n && shown < limit; shown++)
        place_print(to, view, &text, order[shown], ink);
    shown_text(to, shown, view->n, "places");
    if (view->n && certain_ticks(order[0]) <= 0)
        fputs("too few loads were timed to say which places are slow: record for longer, or with "
              "more --overhead\n",
              to);
    mem_free(order);
    losses_text(to, view->scene, 0, 0);
    place_text_end(&text);
}
