#include "view/views.h"

#include "analysis/pipeline/pipeline.h"

#include "records/sample.h"
#include "view/head.h"

#include <inttypes.h>
#include <string.h>

static void interval_json(struct json *json, const char *key, struct metric_estimate estimate,
                          const char *what)
{
    json_object(json, key);
    json_number(json, what, estimate.value);
    json_number(json, "lo", estimate.lo);
    json_number(json, "hi", estimate.hi);
    json_object_end(json);
}

static void sums_json(struct json *json, const struct ledger *ledger, const struct ledger_row *row,
                      const char *key, bool means)
{
    json_object(json, key);
    for (size_t i = 0; row && i < ledger->metrics.n; i++) {
        const struct metric *metric = ledger->metrics.at[i].metric;
        if (row->sums[i].n && metric->mean == means)
            interval_json(json, metric->name,
                          means ? metric_mean(&row->sums[i]) : metric_total(&row->sums[i]),
                          means ? "mean" : "count");
    }
    json_object_end(json);
}

/* null: nothing is known of it. */
static void total_json(struct json *json, const struct ledger *ledger, const struct ledger_row *row,
                       const char *name)
{
    for (size_t i = 0; row && i < ledger->metrics.n; i++)
        if (row->sums[i].n && strcmp(ledger->metrics.at[i].metric->name, name) == 0) {
            interval_json(json, name, metric_total(&row->sums[i]), "count");
            return;
        }
    json_null(json, name);
}

static void place_json(struct json *json, struct pipeline *pipeline, const uint64_t *key)
{
    struct scene *scene = pipeline->scene;
    uint32_t module = scene_module(scene, 0, (uint32_t)key[0]);
    function_id function = scene_function_at(scene, module, key[1]);
    json_string(json, "address", address_text(scene, module, key[1]));
    json_string(json, "function",
                scene_readable(scene, scene_function_name(scene, module, function)));
    json_string(json, "line", line_text(scene, module, key[1]));
    json_string(json, "origin", sample_origin_name((enum sample_origin)key[2]));
}

static void key_json(struct json *json, struct pipeline *pipeline, const uint64_t *key)
{
    char text[32];
    const char *name;
    switch (pipeline->by) {
    case PIPELINE_PLACE: place_json(json, pipeline, key); break;
    case PIPELINE_PAGE:
    case PIPELINE_LINE:
        snprintf(text, sizeof text, "0x%" PRIx64,
                 key[0] * (pipeline->by == PIPELINE_PAGE ? 4096 : 64));
        json_string(json, "data", text);
        break;
    case PIPELINE_OBJECT:
        name = key[1] ? pipeline_object_name(pipeline, (uint32_t)key[0], key[1]) : NULL;
        json_string(json, "region", pipeline->scene->sides[0]->modules.at[key[0]].path);
        if (name)
            json_string(json, "object", name);
        else
            json_null(json, "object");
        break;
    case PIPELINE_EDGE:
        json_string(json, "from", pipeline_place_text(pipeline, key[0], key[1]));
        json_string(json, "to", pipeline_place_text(pipeline, key[2], key[3]));
        break;
    case PIPELINE_UNIT:
        json_string(json, "address", pipeline_place_text(pipeline, key[0], key[1]));
        json_integer(json, "unit", key[3]);
        break;
    case PIPELINE_ALL: break;
    }
}

static void row_json(struct json *json, struct pipeline *pipeline, uint32_t index)
{
    const struct ledger *alone = &pipeline->alone, *pairs = &pipeline->pairs;
    const struct ledger_row *row = &alone->at[index];
    const struct ledger_row *paired = pipeline_row(pipeline, pairs, index);
    const struct ledger_row *asked = pipeline_row(pipeline, &pipeline->asked, index);
    json_object(json, NULL);
    key_json(json, pipeline, ledger_key(alone, index));
    json_integer(json, "samples", row->sums[0].n);
    total_json(json, alone, row, "retired");
    total_json(json, alone, row, "aborted");
    sums_json(json, alone, row, "events", false);
    sums_json(json, alone, row, "latencies", true);
    json_null(json, "time");
    if (paired && paired->sums[0].n && !pipeline->of_others)
        interval_json(json, "wasted_slots", metric_total(&paired->sums[0]), "count");
    else
        json_null(json, "wasted_slots");
    if (pipeline->by == PIPELINE_EDGE)
        total_json(json, pairs, paired, "followed");
    if (pipeline->by == PIPELINE_UNIT)
        total_json(json, pairs, paired, "overlap");
    sums_json(json, pairs, pipeline->of_others ? NULL : paired, "pairs", true);
    if (pipeline->own[0].name && asked)
        interval_json(json, "asked", metric_mean(&asked->sums[0]), "mean");
    json_object_end(json);
}

void pipeline_json(FILE *to, struct pipeline *pipeline, size_t limit)
{
    struct json json;
    json_begin(&json, to);
    head_json(&json, "pipeline", pipeline->scene, 0, BY_INSTRUCTION, WEIGHT_COUNT, 0);
    json_integer(&json, "records", pipeline->records);
    json_integer(&json, "pairs", pipeline->of_pairs);
    if (pipeline->core) {
        json_string(&json, "core", pipeline->core);
        json_string(&json, "core_why", pipeline->core_why);
    }
    if (pipeline->where)
        json_string(&json, "where", pipeline->where);
    json_integer(&json, "left_out_records", pipeline->alone.left_out);
    json_integer(&json, "without_key", pipeline->alone.keyless);
    json_number(&json, "left_out", pipeline->alone.others.weight);
    json_array(&json, "rows");
    for (size_t i = 0; i < pipeline->alone.n && i < limit; i++)
        row_json(&json, pipeline, pipeline->ranking[i]);
    json_array_end(&json);
    json_object_end(&json);
    json_end(&json);
}
