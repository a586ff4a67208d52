#include "view/views.h"

#include "analysis/pipeline/modelled.h"
#include "analysis/pipeline/modelled_check.h"

#include "view/head.h"

#include <math.h>

static const char *const stages[ACCOUNT_STAGES] = {"fetch_to_dispatch",  "dispatch_to_ready",
                                                   "ready_to_issue",     "issue_to_complete",
                                                   "complete_to_retire", "load"};
static const char *const states[ACCOUNT_STATES] = {"retires", "stalls", "flushes", "drained"};

static void interval_json(struct json *json, const char *key, const char *what,
                          struct estimate estimate)
{
    json_object(json, key);
    json_number(json, what, estimate.value);
    json_number(json, "lo", estimate.lo);
    json_number(json, "hi", estimate.hi);
    json_object_end(json);
}

static void total_json(struct json *json, const char *key, const struct modelled *modelled,
                       const struct modelled_row *row, uint32_t first, uint32_t n)
{
    interval_json(json, key, "count", modelled_total(modelled, row, first, n));
}

static void happened_json(struct json *json, const char *key, const struct modelled *modelled,
                          const struct modelled_row *row, uint32_t field)
{
    struct estimate often = modelled_total(modelled, row, field, 1);
    interval_json(json, key, "count", modelled_happened(modelled, row, often));
}

static void mean_json(struct json *json, const char *key, const struct modelled *modelled,
                      const struct modelled_row *row, uint32_t field, uint32_t of)
{
    struct estimate mean = modelled_ratio(modelled, row, field, 1, row, of, 1);
    if (isfinite(mean.value))
        interval_json(json, key, "mean", mean);
}

/* Of a cycle, as the text has it. */
static void nearby_json(struct json *json, const struct modelled *modelled,
                        const struct modelled_row *row)
{
    struct estimate mean = modelled_ratio(modelled, row, FIELD_NEARBY, 1, row, FIELD_RETIRED, 1);
    struct estimate each = {mean.value / ACCOUNT_NEAR, mean.lo / ACCOUNT_NEAR,
                            mean.hi / ACCOUNT_NEAR};
    if (isfinite(mean.value))
        interval_json(json, "issued_nearby", "mean", each);
}

static void time_json(struct json *json, const struct modelled *modelled,
                      const struct modelled_row *row)
{
    struct estimate cycles = modelled_total(modelled, row, FIELD_TIME, ACCOUNT_STATES);
    struct estimate share = modelled_share(modelled, row);
    json_number(json, "time", cycles.value / modelled->hz);
    json_number(json, "time_lo", cycles.lo / modelled->hz);
    json_number(json, "time_hi", cycles.hi / modelled->hz);
    interval_json(json, "cycles", "count", cycles);
    interval_json(json, "cycles_each", "mean",
                  modelled_ratio(modelled, row, FIELD_TIME, ACCOUNT_STATES, row, FIELD_RETIRED, 1));
    interval_json(json, "share", "mean", share);
}

static void stack_json(struct json *json, const struct modelled_row *row)
{
    double all = 0;
    for (int i = 0; i < MODELLED_PARTS; i++)
        all += row->time[i].cycles;
    json_array(json, "stack");
    for (int i = 0; i < MODELLED_PARTS && row->time[i].cycles > 0; i++) {
        uint64_t what = row->time[i].what, state = what & 0xff;
        bool known = what != UINT64_MAX && state < ACCOUNT_STATES;
        json_object(json, NULL);
        json_string(json, "state", known ? states[state] : "others");
        json_array(json, "events");
        for (uint32_t k = 0; known && k < ACCOUNT_EVENTS; k++)
            if (what >> 8 >> k & 1)
                json_string(json, NULL, modelled_event_name(k));
        json_array_end(json);
        json_number(json, "cycles", row->time[i].cycles);
        json_number(json, "share", row->time[i].cycles / all);
        json_object_end(json);
    }
    json_array_end(json);
}

static void waits_json(struct json *json, const struct modelled *modelled,
                       const struct modelled_row *row)
{
    uint32_t module = scene_module(modelled->scene, 0, row->module);
    double times = modelled_total(modelled, row, FIELD_RETIRED, 1).value;
    json_array(json, "waits");
    for (int i = 0; i < MODELLED_PARTS && row->waits[i].cycles > 0; i++) {
        json_object(json, NULL);
        if (row->waits[i].what == UINT64_MAX)
            json_null(json, "address");
        else
            json_string(json, "address", address_text(modelled->scene, module, row->waits[i].what));
        json_number(json, "cycles", row->waits[i].cycles);
        json_number(json, "each", row->waits[i].cycles / times);
        json_object_end(json);
    }
    json_array_end(json);
}

static void row_json(struct json *json, struct modelled *modelled, const struct modelled_row *row)
{
    struct scene *scene = modelled->scene;
    uint32_t module = scene_module(scene, 0, row->module);
    function_id function = scene_function_at(scene, module, row->at);
    json_object(json, NULL);
    json_string(json, "address", address_text(scene, module, row->at));
    json_string(json, "function",
                scene_readable(scene, scene_function_name(scene, module, function)));
    json_string(json, "line", line_text(scene, module, row->at));
    json_string(json, "origin", "model");
    json_integer(json, "samples", row->seen);
    happened_json(json, "retired", modelled, row, FIELD_RETIRED);
    happened_json(json, "aborted", modelled, row, FIELD_ABORTED);
    json_object(json, "latencies");
    for (uint32_t i = 0; i < ACCOUNT_STAGES; i++)
        mean_json(json, stages[i], modelled, row, FIELD_STAGE + i,
                  i == STAGE_LOAD ? FIELD_LOADS : FIELD_RETIRED);
    json_object_end(json);
    json_object(json, "events");
    for (uint32_t i = 0; i < ACCOUNT_EVENTS; i++)
        happened_json(json, modelled_event_name(i), modelled, row, FIELD_EVENT + i);
    json_object_end(json);
    json_object(json, "rates");
    for (uint32_t i = 0; i < ACCOUNT_EVENTS; i++)
        mean_json(json, modelled_event_name(i), modelled, row, FIELD_EVENT + i, FIELD_RETIRED);
    json_object_end(json);
    time_json(json, modelled, row);
    interval_json(json, "wasted_slots", "count",
                  modelled_happened(modelled, row, modelled_wasted(modelled, row)));
    mean_json(json, "issued_when_hitting", modelled, row, FIELD_SLOTS + 2, FIELD_SLOTS);
    mean_json(json, "issued_when_missing", modelled, row, FIELD_SLOTS + 5, FIELD_SLOTS + 3);
    nearby_json(json, modelled, row);
    stack_json(json, row);
    waits_json(json, modelled, row);
    json_object_end(json);
}

/* A line of which the model says far less than the clock. */
static void stray_json(struct json *json, const struct modelled *modelled)
{
    struct modelled_stray stray;
    if (!modelled_strays(modelled, &stray))
        return;
    json_object(json, "disagrees");
    json_string(json, "line", stray.line);
    json_string(json, "function", scene_readable(modelled->scene, stray.function));
    estimate_json(json, "measured", "measured_lo", "measured_hi", stray.measured);
    json_number(json, "modelled", stray.modelled);
    json_object_end(json);
}

void modelled_json(FILE *to, struct modelled *modelled, size_t limit)
{
    struct json json;
    json_begin(&json, to);
    head_json(&json, "pipeline", modelled->scene, 0, BY_INSTRUCTION, WEIGHT_TIME, 0);
    json_string(&json, "core", modelled->model.name);
    json_string(&json, "core_why", modelled->core_why);
    json_string(&json, "addresses", modelled->addressed ? "recorded" : "taken to be hits");
    stray_json(&json, modelled);
    json_integer(&json, "windows", modelled->windows);
    json_integer(&json, "modelled", modelled->instructions);
    json_integer(&json, "unread", modelled->unread);
    total_json(&json, "cycles", modelled, &modelled->all, FIELD_TIME, ACCOUNT_STATES);
    json_array(&json, "rows");
    for (size_t i = 0; i < modelled->n && i < limit; i++)
        row_json(&json, modelled, &modelled->at[i]);
    json_array_end(&json);
    json_object_end(&json);
    json_end(&json);
}
