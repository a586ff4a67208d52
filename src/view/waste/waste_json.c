#include "view/views.h"

#include "analysis/waste/waste_view.h"
#include "analysis/waste/waste_words.h"

#include "view/head.h"

static void place_json(struct json *json, struct scene *scene, const char *const keys[3],
                       const struct waste_place *place)
{
    for (int i = 0; place->module == MODULE_NONE && i < 3; i++)
        json_null(json, keys[i]);
    if (place->module == MODULE_NONE)
        return;
    function_id function = scene_function_at(scene, place->module, place->at);
    json_string(json, keys[0], address_text(scene, place->module, place->at));
    json_string(json, keys[1],
                scene_readable(scene, scene_function_name(scene, place->module, function)));
    json_string(json, keys[2], line_text(scene, place->module, place->at));
}

static void row_json(struct json *json, const struct waste_view *view, const struct waste_row *row)
{
    static const char *const keys[4][3] = {
        {"first", "first_function", "first_line"},
        {"first_caller", "first_caller_function", "first_caller_line"},
        {"second", "second_function", "second_line"},
        {"second_caller", "second_caller_function", "second_caller_line"}};
    json_object(json, NULL);
    json_string(json, "kind", waste_kind_name(row->kind));
    place_json(json, view->scene, keys[0], &row->first);
    place_json(json, view->scene, keys[1], &row->first_caller);
    place_json(json, view->scene, keys[2], &row->second);
    place_json(json, view->scene, keys[3], &row->second_caller);
    json_string(json, "wasted", waste_kind_of_second(row->kind) ? "second" : "first");
    estimate_json(json, "count", "lo", "hi", row->count);
    estimate_json(json, "share", "share_lo", "share_hi", row->share);
    estimate_json(json, "of", "of_lo", "of_hi", row->of);
    json_number(json, "instructions", row->each);
    estimate_json(json, "bytes", "bytes_lo", "bytes_hi", row->bytes);
    estimate_json(json, "rate", "rate_lo", "rate_hi", row->rate);
    estimate_json(json, "bytes_rate", "bytes_rate_lo", "bytes_rate_hi", row->bytes_rate);
    if (row->within == UINT64_MAX)
        json_null(json, "within");
    else
        json_integer(json, "within", row->within);
    json_string(json, "fix", waste_kind_fix(row->kind));
    json_object_end(json);
}

void waste_view_json(FILE *to, const struct waste_view *view, size_t limit)
{
    struct json json;
    json_begin(&json, to);
    head_json_by(&json, "waste", view->scene, 0, "place", WEIGHT_COUNT);
    json_array(&json, "rows");
    for (size_t i = 0; i < view->n && i < limit; i++)
        row_json(&json, view, &view->at[i]);
    json_array_end(&json);
    json_object_end(&json);
    json_end(&json);
}
