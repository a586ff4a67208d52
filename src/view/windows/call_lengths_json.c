#include "view/views.h"

#include "analysis/counts/labels.h"
#include "analysis/windows/lengths.h"
#include "view/head.h"

static void call_json(struct json *json, const char *key, const struct call_length *call)
{
    json_object(json, key);
    json_integer(json, "window", call->window);
    json_integer(json, "from", call->from);
    json_integer(json, "instructions", call->length);
    json_integer(json, "own", call->own);
    json_bool(json, "cut", call->cut);
    json_object_end(json);
}

static void functions_json(struct json *json, struct window_list *list,
                           const struct call_lengths *lengths)
{
    json_array(json, "functions");
    for (size_t i = 0; i < lengths->functions.n; i++) {
        const struct window_function *function = &list->code.functions.at[lengths->functions.at[i]];
        json_object(json, NULL);
        json_string(json, "name", scene_readable(list->scene, function->linkage));
        json_string(json, "linkage", function->linkage);
        json_string(json, "address", address_text(list->scene, function->module, function->start));
        json_object_end(json);
    }
    json_array_end(json);
}

void call_lengths_json(FILE *to, struct window_list *list, const struct call_lengths *lengths)
{
    struct json json;
    json_begin(&json, to);
    head_json_by(&json, "lengths", list->scene, 0, "length", WEIGHT_COUNT);
    functions_json(&json, list, lengths);
    json_integer(&json, "calls", lengths->complete);
    json_integer(&json, "cut", lengths->n - lengths->complete);
    json_integer(&json, "begun", lengths->begun);
    json_number(&json, "p10", call_lengths_quantile(lengths, 0.1));
    json_number(&json, "p50", call_lengths_quantile(lengths, 0.5));
    json_number(&json, "p90", call_lengths_quantile(lengths, 0.9));
    json_number(&json, "p99", call_lengths_quantile(lengths, 0.99));
    if (lengths->n) {
        call_json(&json, "shortest", &lengths->at[0]);
        call_json(&json, "longest", &lengths->at[lengths->n - 1]);
    }
    json_array(&json, "rows");
    for (size_t i = 0; i < lengths->bins.n; i++) {
        json_object(&json, NULL);
        json_integer(&json, "from", lengths->bins.at[i].from);
        json_integer(&json, "to", lengths->bins.at[i].to);
        json_integer(&json, "calls", lengths->bins.at[i].calls);
        json_integer(&json, "cut", lengths->bins.at[i].cut);
        json_object_end(&json);
    }
    json_array_end(&json);
    json_object_end(&json);
    json_end(&json);
}
