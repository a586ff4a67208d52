#include "view/views.h"

#include "analysis/report/timeline.h"

#include "view/head.h"

static void series_json(struct json *json, const char *key, const double *at, size_t n)
{
    json_array(json, key);
    for (size_t i = 0; i < n; i++)
        json_number(json, NULL, at[i]);
    json_array_end(json);
}

static void slices_json(struct json *json, const struct timeline *timeline)
{
    json_array(json, "slices");
    for (size_t i = 0; i < timeline->slices.n; i++) {
        const struct time_slice *slice = &timeline->slices.at[i];
        json_object(json, NULL);
        json_number(json, "from", (double)slice->begin_ns / 1e9);
        json_number(json, "to", (double)slice->end_ns / 1e9);
        json_number(json, "user", slice->user);
        json_number(json, "kernel", slice->kernel);
        json_object_end(json);
    }
    json_array_end(json);
}

static void threads_json(struct json *json, const struct timeline *timeline, size_t limit)
{
    json_array(json, "threads");
    for (size_t i = 0; i < timeline->threads.n && i < limit; i++) {
        const struct time_thread *thread = &timeline->threads.at[i];
        json_object(json, NULL);
        json_string(json, "thread", thread->name);
        json_integer(json, "pid", thread->pid);
        json_integer(json, "tid", thread->tid);
        json_number(json, "time", thread->all);
        series_json(json, "user", thread->user, timeline->slices.n);
        series_json(json, "kernel", thread->kernel, timeline->slices.n);
        json_object_end(json);
    }
    json_array_end(json);
}

static void function_json(struct json *json, const struct timeline *timeline,
                          const struct time_function *function)
{
    json_object(json, NULL);
    json_string(json, "function", scene_readable(timeline->scene, function->linkage));
    json_string(json, "linkage", function->linkage);
    json_string(json, "address", address_text(timeline->scene, function->module, function->start));
    json_bool(json, "kernel", function->kernel);
    json_number(json, "time", function->all);
    series_json(json, "times", function->time, timeline->slices.n);
    json_object_end(json);
}

void timeline_json(FILE *to, const struct timeline *timeline, size_t limit)
{
    struct json json;
    json_begin(&json, to);
    head_json_by(&json, "timeline", timeline->scene, 0, "time", WEIGHT_TIME);
    json_string(&json, "unit", timeline->events ? "events" : "seconds");
    slices_json(&json, timeline);
    json_integer(&json, "threads_n", timeline->threads.n);
    threads_json(&json, timeline, limit);
    json_integer(&json, "functions_n", timeline->functions.n);
    json_array(&json, "rows");
    for (size_t i = 0; i < timeline->functions.n && i < limit; i++)
        function_json(&json, timeline, &timeline->functions.at[i]);
    json_array_end(&json);
    json_object_end(&json);
    json_end(&json);
}
