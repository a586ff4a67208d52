#include "view/views.h"

#include "view/head.h"
#include "analysis/loops/loop_words.h"

#include <inttypes.h>

static void accesses_json(struct json *json, const struct loop_view *view,
                          const struct loop_row *row)
{
    json_array(json, "accesses");
    for (size_t i = 0; i < row->accesses.n; i++) {
        const struct loop_access *access = &row->accesses.at[i];
        if (!(access->what.loads | access->what.stores))
            continue;
        json_object(json, NULL);
        json_string(json, "address", address_text(view->scene, row->module, access->at));
        json_integer(json, "loads", access->what.loads);
        json_integer(json, "stores", access->what.stores);
        json_integer(json, "executions", access->n);
        json_array(json, "strides");
        for (size_t k = 0; k < LOOP_STRIDES && access->strides[k].n; k++) {
            json_object(json, NULL);
            json_number(json, "bytes", (double)access->strides[k].bytes);
            json_number(json, "share", (double)access->strides[k].n / (double)access->steps);
            json_object_end(json);
        }
        json_array_end(json);
        json_object_end(json);
    }
    json_array_end(json);
}

static void carried_json(struct json *json, const struct loop_view *view,
                         const struct loop_row *row)
{
    json_array(json, "carried");
    for (size_t i = 0; i < row->carried.n; i++) {
        const struct loop_carried *carried = &row->carried.at[i];
        json_object(json, NULL);
        json_string(json, "stored", address_text(view->scene, carried->module_from, carried->from));
        json_string(json, "loaded", address_text(view->scene, carried->module, carried->at));
        json_integer(json, "count", carried->n);
        json_integer(json, "least", carried->least);
        json_array(json, "distances");
        for (uint32_t k = 0; k < LOOP_DISTANCES; k++)
            if (carried->distances[k]) {
                json_object(json, NULL);
                json_string(json, "iterations", loop_distance_name(k));
                json_integer(json, "count", carried->distances[k]);
                json_object_end(json);
            }
        json_array_end(json);
        json_object_end(json);
    }
    json_array_end(json);
}

static void reasons_json(struct json *json, const struct loop_view *view,
                         const struct loop_row *row)
{
    struct loop_reasons reasons;
    char words[LOOP_WORDS];
    loop_reasons_find(&reasons, row);
    json_array(json, "stops");
    for (uint32_t i = 0; i < reasons.n; i++) {
        const struct loop_reason *reason = &reasons.at[i];
        loop_reason_words(words, view, row, reason);
        json_object(json, NULL);
        json_string(json, "kind", loop_stop_name(reason->stop));
        if (reason->at)
            json_string(json, "address", address_text(view->scene, row->module, reason->at));
        json_number(json, "part", reason->part);
        json_string(json, "text", words);
        if (loop_stop_fix(reason->stop))
            json_string(json, "fix", loop_stop_fix(reason->stop));
        json_object_end(json);
    }
    json_array_end(json);
}

static void row_json(struct json *json, const struct loop_view *view, const struct loop_row *row)
{
    struct scene *scene = view->scene;
    function_id function = scene_function_at(scene, row->module, row->head);
    json_object(json, NULL);
    json_string(json, "address", address_text(scene, row->module, row->head));
    json_string(json, "function",
                scene_readable(scene, scene_function_name(scene, row->module, function)));
    json_string(json, "line", line_text(scene, row->module, row->head));
    json_bool(json, "inner", row->inner);
    if (row->parent != UINT32_MAX)
        json_string(json, "parent",
                    address_text(scene, row->module, view->fold.rows.at[row->parent].head));
    estimate_json(json, "share", "share_lo", "share_hi", row->share);
    estimate_json(json, "iterations", "iterations_lo", "iterations_hi", row->trips);
    json_bool(json, "more", row->more);
    json_integer(json, "whole", row->whole);
    json_integer(json, "least", row->whole ? row->least : 0);
    json_integer(json, "most", row->most);
    json_integer(json, "entries", row->entries);
    json_integer(json, "seen_iterations", row->iterations);
    json_integer(json, "instructions", row->instructions);
    accesses_json(json, view, row);
    carried_json(json, view, row);
    reasons_json(json, view, row);
    json_object_end(json);
}

void loop_view_json(FILE *to, const struct loop_view *view, size_t limit)
{
    struct json json;
    json_begin(&json, to);
    head_json_by(&json, "loops", view->scene, 0, "loop", WEIGHT_TIME);
    json_string(&json, "addresses", view->addressed ? "recorded" : "not recorded");
    json_integer(&json, "windows", view->windows);
    json_array(&json, "rows");
    for (size_t i = 0; i < view->order.n && i < limit; i++)
        row_json(&json, view, &view->fold.rows.at[view->order.at[i]]);
    json_array_end(&json);
    json_object_end(&json);
    json_end(&json);
}
