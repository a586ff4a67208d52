#include "view/views.h"

#include "analysis/values/latencies.h"

#include "view/head.h"

#include <inttypes.h>
#include <math.h>

static void bins_json(struct json *json, const struct latency_view *view,
                      const struct load_place *place)
{
    const struct estimate untold = {NAN, NAN, NAN};
    json_object(json, "bins");
    for (int bin = 0; bin < LATENCY_BINS; bin++) {
        json_object(json, latency_bin_name((enum latency_bin)bin));
        json_integer(json, "count", place->bins[bin]);
        estimate_json(json, "share", "share_lo", "share_hi",
                      latency_bin_told(view, (enum latency_bin)bin)
                          ? binomial_share((double)place->bins[bin], (double)place->timed)
                          : untold);
        json_object_end(json);
    }
    json_object_end(json);
}

static void lines_json(struct json *json, const struct latency_view *view,
                       const struct load_place *place)
{
    char text[24];
    json_array(json, "lines");
    for (size_t i = 0; i < place->n; i++) {
        const struct latency_line *line = &view->lines.at[place->first + i];
        json_object(json, NULL);
        snprintf(text, sizeof text, "0x%" PRIx64, line->line);
        json_string(json, "value", text);
        json_string(json, "bin", latency_bin_name((enum latency_bin)line->bin));
        json_integer(json, "count", line->count);
        json_object_end(json);
    }
    json_array_end(json);
}

static void place_json(struct json *json, const struct latency_view *view,
                       const struct load_place *place)
{
    struct scene *scene = view->scene;
    function_id function = scene_function_at(scene, place->module, place->address);
    double ns = view->tsc_hz > 0 ? 1e9 / view->tsc_hz : (double)NAN;
    struct estimate mean = place->mean;
    json_object(json, NULL);
    json_string(json, "address", address_text(scene, place->module, place->address));
    json_string(json, "function",
                scene_readable(scene, scene_function_name(scene, place->module, function)));
    json_string(json, "line", line_text(scene, place->module, place->address));
    json_integer(json, "timed", place->timed);
    json_number(json, "cost", view->ticks > 0 ? place->ticks / view->ticks : 0);
    estimate_json(json, "ticks", "ticks_lo", "ticks_hi", mean);
    estimate_json(json, "ns", "ns_lo", "ns_hi",
                  (struct estimate){mean.value * ns, mean.lo * ns, mean.hi * ns});
    bins_json(json, view, place);
    lines_json(json, view, place);
    json_object_end(json);
}

void latency_view_json(FILE *to, const struct latency_view *view, size_t limit)
{
    struct json json;
    json_begin(&json, to);
    head_json(&json, "latencies", view->scene, 0, BY_INSTRUCTION, WEIGHT_COUNT, 0);
    json_bool(&json, "l3_told", !view->l3_untold);
    json_string(&json, "l3_why", view->l3_untold ? view->l3_untold : "");
    json_bool(&json, "bins_told", !view->untold);
    json_string(&json, "bins_why", view->untold ? view->untold : "");
    json_array(&json, "rows");
    for (size_t i = 0; i < view->n && i < limit; i++)
        place_json(&json, view, &view->at[i]);
    json_array_end(&json);
    json_object_end(&json);
    json_end(&json);
}
