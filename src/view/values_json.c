#include "view/views.h"

#include "analysis/values/values.h"

#include "view/head.h"
#include "view/place_text.h"
#include "analysis/values/value_findings.h"
#include "analysis/values/value_registers.h"

#include <inttypes.h>
#include <math.h>

static void value_json(struct json *json, struct scene *scene, const struct value_place *place,
                       const struct place_value *value, bool hidden)
{
    char text[20];
    double total = place->total;
    json_object(json, NULL);
    if (!hidden) {
        snprintf(text, sizeof text, "0x%" PRIx64, value->value);
        json_string(json, "value", text);
        if (value->to != MODULE_NONE)
            json_string(json, "to", address_text(scene, value->to, value->value));
        json_string(json, "text", value_words(scene, place, value));
    }
    json_number(json, "count", value->count);
    json_number(json, "lo", value->share.lo * total);
    json_number(json, "hi", value->share.hi * total);
    estimate_json(json, "share", "share_lo", "share_hi", value->share);
    json_object_end(json);
}

static struct estimate invariance(const struct places_values *places,
                                  const struct value_place *place)
{
    const struct estimate unknown = {NAN, NAN, NAN};
    return place->n ? places->values.at[place->first].share : unknown;
}

static void place_json(struct json *json, const struct places_values *places,
                       struct place_text *text, const struct value_place *place, bool hidden)
{
    struct scene *scene = places->scene;
    function_id function = scene_function_at(scene, place->module, place->address);
    json_object(json, NULL);
    json_string(json, "address", address_text(scene, place->module, place->address));
    json_string(json, "function",
                scene_readable(scene, scene_function_name(scene, place->module, function)));
    json_string(json, "line", line_text(scene, place->module, place->address));
    json_string(json, "source", place_source(text, place->module, place->address));
    json_string(json, "assembly", place_assembly(text, place->module, place->address));
    json_string(json, "kind", value_use_name((enum value_use)place->use));
    json_string(json, "type", value_type_name((enum value_type)place->form.type));
    json_bool(json, "vector", place->vector);
    bool syscall = place->use == VALUE_SYSCALL;
    if (place->use == VALUE_ARGUMENT || place->use == VALUE_RETURN || syscall)
        json_string(json, "register", value_register_name(place->detail));
    if (place->use == VALUE_ARGUMENT)
        json_number(json, "argument", value_register_argument(place->detail));
    if (syscall)
        json_number(json, "argument", value_register_syscall(place->detail));
    if (place->caller_module != MODULE_NONE)
        json_string(json, "context", address_text(scene, place->caller_module, place->caller));
    json_number(json, "total", place->total);
    if (!isnan(place->unsure)) {
        json_string(json, "hotlist", hotlist_kind_name(places->hotlist));
        json_number(json, places->hotlist == HOTLIST_SPACE_SAVING ? "others_most" : "threshold",
                    place->unsure);
    }
    struct estimate share = invariance(places, place);
    estimate_json(json, "invariance", "invariance_lo", "invariance_hi", share);
    json_string(json, "finding", value_finding_name(value_finding_of(places, place)));
    double each = share.value > 0 ? place->saves / share.value : 0;
    estimate_json(json, "saves", "saves_lo", "saves_hi",
                  (struct estimate){place->saves, each * share.lo, each * share.hi});
    json_array(json, "values");
    for (size_t i = 0; i < place->n; i++)
        value_json(json, scene, place, &places->values.at[place->first + i], hidden);
    json_array_end(json);
    json_object_end(json);
}

void values_json(FILE *to, const struct places_values *places, struct values_cut cut)
{
    struct json json;
    struct place_text text;
    place_text_begin(&text, places->scene);
    json_begin(&json, to);
    head_json(&json, "values", places->scene, 0, BY_INSTRUCTION, WEIGHT_COUNT, 0);
    json_array(&json, "rows");
    for (size_t i = 0; i < places->n && i < cut.limit; i++)
        place_json(&json, places, &text, &places->at[i], cut.no_values);
    json_array_end(&json);
    json_object_end(&json);
    json_end(&json);
    place_text_end(&text);
}
