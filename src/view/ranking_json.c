#include "view/views.h"

#include "analysis/report/ranking.h"

#include "view/head.h"

#include <math.h>
#include <string.h>

static void key_json(struct json *json, const struct ranking *ranking, const struct rank_row *row,
                     enum rank_key key)
{
    struct scene *scene = ranking->scene;
    switch (key) {
    case RANK_PROCESS:
        json_string(json, "process",
                    row->rest ? "[unknown]"
                              : rank_thread_name(scene->sides[0], row->pid, row->pid));
        json_integer(json, "pid", row->pid);
        break;
    case RANK_THREAD:
        json_string(json, "thread",
                    row->rest ? "[unknown]"
                              : rank_thread_name(scene->sides[0], row->pid, row->tid));
        if (!rank_keys_have(&ranking->keys, RANK_PROCESS))
            json_integer(json, "pid", row->pid);
        json_integer(json, "tid", row->tid);
        break;
    case RANK_CPU:
        if (row->cpu == SLICE_CPU_NONE)
            json_null(json, "cpu");
        else
            json_integer(json, "cpu", row->cpu);
        break;
    case RANK_MODULE:
        json_string(json, "module",
                    row->module < scene->modules.n ? scene->modules.at[row->module].name
                    : row->name                    ? row->name
                                                   : "[unknown]");
        break;
    case RANK_FILE: json_string(json, "file", row->file ? row->file : "[unknown]"); break;
    case RANK_LINE:
        if (!rank_keys_have(&ranking->keys, RANK_FILE))
            json_string(json, "file", row->file ? row->file : "[unknown]");
        json_integer(json, "line", row->line);
        break;
    case RANK_KEYS: break;
    case RANK_PYTHON:
        json_string(json, "python", row->name ? row->name : "");
        if (!rank_keys_have(&ranking->keys, RANK_FILE) &&
            !rank_keys_have(&ranking->keys, RANK_LINE)) {
            json_string(json, "file", row->file ? row->file : "[unknown]");
            json_integer(json, "line", row->line);
        }
        break;
    case RANK_FUNCTION:
        json_string(json, "name", row->name ? scene_readable(scene, row->name) : "[unknown]");
        json_string(json, "linkage", row->name ? row->name : "[unknown]");
        json_string(json, "address", address_text(scene, row->module, row->at));
        break;
    }
}

static void row_json(struct json *json, const struct ranking *ranking, const struct rank_row *row)
{
    const struct profile *profile = ranking->scene->sides[0];
    bool events = !ranking->exact && plain_counts_events(profile);
    json_object(json, NULL);
    for (uint32_t k = 0; k < ranking->keys.n; k++)
        key_json(json, ranking, row, ranking->keys.at[k]);
    estimate_json(json, "share", "share_lo", "share_hi", ranking_share(ranking, row));
    if (ranking->exact) {
        struct estimate ran = estimate_count(profile, &row->body);
        estimate_json(json, "instructions", "instructions_lo", "instructions_hi", ran);
    } else if (events) {
        estimate_json(json, "events", "events_lo", "events_hi", ranking_user(ranking, row));
        estimate_json(json, "kernel_events", "kernel_events_lo", "kernel_events_hi",
                      ranking_kernel(ranking, row));
    } else {
        estimate_json(json, "time", "time_lo", "time_hi", ranking_user(ranking, row));
        estimate_json(json, "kernel_time", "kernel_time_lo", "kernel_time_hi",
                      ranking_kernel(ranking, row));
    }
    if (ranking->counted)
        json_number(json, "off_time", (double)row->off_ns / 1e9);
    if (!ranking->exact && !ranking->counted)
        estimate_json(json, "total", "total_lo", "total_hi", ranking_total(ranking, row));
    json_object_end(json);
}

void ranking_json(FILE *to, const struct ranking *ranking, size_t limit)
{
    struct json json;
    char by[128] = "";
    for (uint32_t k = 0; k < ranking->keys.n; k++)
        snprintf(by + strlen(by), sizeof by - strlen(by), "%s%s", k ? "," : "",
                 rank_key_name(ranking->keys.at[k]));
    json_begin(&json, to);
    head_json_by(&json, "report", ranking->scene, 0, by,
                 ranking->exact || plain_counts_events(ranking->scene->sides[0]) ? WEIGHT_COUNT
                                                                                 : WEIGHT_TIME);
    json_array(&json, "rows");
    for (size_t i = 0; i < ranking->n && i < limit; i++)
        row_json(&json, ranking, &ranking->at[i]);
    json_array_end(&json);
    json_object_end(&json);
    json_end(&json);
}
