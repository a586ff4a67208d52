#include "view/views.h"

#include "analysis/fix/fix.h"
#include "view/head.h"

static void row_json(struct json *json, struct scene *scene, const struct fix_row *row)
{
    function_id function = scene_function_at(scene, row->module, row->at);
    json_object(json, NULL);
    json_string(json, "kind", fix_kind_name(row->kind));
    json_string(json, "address", address_text(scene, row->module, row->at));
    json_string(json, "function",
                scene_readable(scene, scene_function_name(scene, row->module, function)));
    json_string(json, "line", line_text(scene, row->module, row->at));
    json_number(json, "weight", row->weight);
    json_string(json, "evidence", row->evidence);
    json_string(json, "fix", row->text);
    if (row->sketch)
        json_string(json, "sketch", row->sketch);
    json_object_end(json);
}

void fixes_json(FILE *to, const struct fixes *fixes, size_t limit)
{
    struct json json;
    json_begin(&json, to);
    head_json_by(&json, "fix", fixes->scene, 0, "place", WEIGHT_COUNT);
    json_array(&json, "rows");
    for (size_t i = 0; i < fixes->n && i < limit; i++)
        row_json(&json, fixes->scene, &fixes->at[i]);
    json_array_end(&json);
    json_object_end(&json);
    json_end(&json);
}
