#include "view/views.h"

#include "analysis/values/conflicts.h"

#include "view/head.h"

#include <math.h>

static void end_json(struct json *json, struct scene *scene, const char *key, const char *function,
                     const char *line, const struct conflict_end *end)
{
    function_id id = scene_function_at(scene, end->module, end->address);
    json_string(json, key, address_text(scene, end->module, end->address));
    json_string(json, function, scene_readable(scene, scene_function_name(scene, end->module, id)));
    json_string(json, line, line_text(scene, end->module, end->address));
}

static void caller_json(struct json *json, struct scene *scene, const char *key,
                        const char *function, const struct conflict_end *caller)
{
    bool known = caller->module != MODULE_NONE;
    function_id id = known ? scene_function_at(scene, caller->module, caller->address) : 0;
    json_string(json, key, known ? address_text(scene, caller->module, caller->address) : "");
    json_string(json, function,
                known ? scene_readable(scene, scene_function_name(scene, caller->module, id)) : "");
}

static void callers_json(struct json *json, const struct conflict_view *view,
                         const struct conflict_row *row)
{
    json_array(json, "callers");
    for (size_t i = 0; i < row->n_callers; i++) {
        const struct conflict_callers *callers = &view->callers.at[row->first_callers + i];
        json_object(json, NULL);
        caller_json(json, view->scene, "from_caller", "from_caller_function", &callers->from);
        caller_json(json, view->scene, "to_caller", "to_caller_function", &callers->to);
        json_integer(json, "count", callers->count);
        json_number(json, "share", callers->share);
        json_object_end(json);
    }
    json_array_end(json);
}

static void row_json(struct json *json, const struct conflict_view *view,
                     const struct conflict_row *row)
{
    double ns = view->tsc_hz > 0 ? 1e9 / view->tsc_hz : (double)NAN;
    json_object(json, NULL);
    end_json(json, view->scene, "from", "from_function", "from_line", &row->from);
    end_json(json, view->scene, "to", "to_function", "to_line", &row->to);
    json_string(json, "type", conflict_type_name(row->type));
    json_integer(json, "count", row->count);
    estimate_json(json, "share", "share_lo", "share_hi", row->share);
    json_number(json, "distance", row->distance);
    json_string(json, "sure", conflict_row_sure(row));
    estimate_json(json, "ns", "ns_lo", "ns_hi",
                  (struct estimate){row->ticks.value * ns, row->ticks.lo * ns, row->ticks.hi * ns});
    const struct estimate unknown = {NAN, NAN, NAN};
    estimate_json(json, "fails", "fails_lo", "fails_hi", row->modelled ? row->fails : unknown);
    callers_json(json, view, row);
    json_object_end(json);
}

void conflict_view_json(FILE *to, const struct conflict_view *view, size_t limit)
{
    struct json json;
    json_begin(&json, to);
    head_json(&json, "conflicts", view->scene, 0, BY_INSTRUCTION, WEIGHT_COUNT, 0);
    json_string(&json, "core", view->core);
    json_array(&json, "rows");
    for (size_t i = 0; i < view->n && i < limit; i++)
        row_json(&json, view, &view->at[i]);
    json_array_end(&json);
    json_object_end(&json);
    json_end(&json);
}
