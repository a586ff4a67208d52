#include "view/views.h"

#include "analysis/whatif/whatif.h"

#include "view/head.h"

#include <math.h>

static void row_json(struct json *json, const struct whatif *whatif, const struct whatif_row *row)
{
    struct scene *scene = whatif->modelled.scene;
    uint64_t at = row->candidate.place;
    function_id function = scene_function_at(scene, row->module, at);
    json_object(json, NULL);
    json_string(json, "kind", whatif_kind_name(row->candidate.kind));
    json_string(json, "address", address_text(scene, row->module, at));
    json_string(json, "function",
                scene_readable(scene, scene_function_name(scene, row->module, function)));
    json_string(json, "line", line_text(scene, row->module, at));
    estimate_json(json, "gain", "gain_lo", "gain_hi", row->gain);
    estimate_json(json, "sampled", "sampled_lo", "sampled_hi", row->sampled);
    estimate_json(json, "saves", "saves_lo", "saves_hi", row->each);
    json_number(json, "executions", row->executions);
    json_integer(json, "windows", row->candidate.windows);
    json_object_end(json);
}

void whatif_json(FILE *to, const struct whatif *whatif, size_t limit)
{
    struct json json;
    const struct modelled *modelled = &whatif->modelled;
    json_begin(&json, to);
    head_json_by(&json, "whatif", modelled->scene, 0, "place", WEIGHT_TIME);
    json_string(&json, "core", modelled->model.name);
    json_string(&json, "core_why", modelled->core_why);
    json_string(&json, "addresses", modelled->addressed ? "recorded" : "taken to be hits");
    json_integer(&json, "windows", modelled->windows);
    json_integer(&json, "found", whatif->found);
    json_integer(&json, "replayed", whatif->replayed);
    json_number(&json, "left", whatif->left);
    json_number(&json, "speed", whatif->speed);
    json_number(&json, "user_share", whatif->user_share);
    json_array(&json, "rows");
    for (size_t i = 0; i < whatif->n && i < limit; i++)
        row_json(&json, whatif, &whatif->at[i]);
    json_array_end(&json);
    json_object_end(&json);
    json_end(&json);
}
