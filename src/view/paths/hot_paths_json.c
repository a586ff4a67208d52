#include "view/views.h"

#include "analysis/paths/hot_paths.h"

#include "analysis/counts/code_owner.h"
#include "view/head.h"

static void lines_json(struct json *json, const struct hot_paths *paths,
                       const struct hot_path *path)
{
    json_array(json, "lines");
    for (uint32_t i = 0; i < path->n_blocks; i++)
        json_string(json, NULL, line_text(paths->scene, path->module, path->blocks[i].v));
    json_array_end(json);
}

static void kind_json(struct json *json, const struct hot_path *path)
{
    static const char *const names[] = {"entry", "loop", "exit"};
    json_array(json, "kind");
    for (uint32_t i = 0; i < 3; i++)
        if (path->kind >> i & 1)
            json_string(json, NULL, names[i]);
    json_array_end(json);
}

static void callers_json(struct json *json, const struct hot_paths *paths, uint32_t node)
{
    uint32_t caller = hot_path_caller(paths, node);
    if (caller == STACK_NONE)
        return;
    callers_json(json, paths, caller);
    struct stack_key place = stacks_key(&paths->contexts, caller);
    struct code_owner code =
        code_owner_find(paths->scene, paths->side, place.module, place.address);
    json_object(json, NULL);
    json_string(json, "function", scene_readable(paths->scene, code.linkage));
    json_string(json, "call_site", address_text(paths->scene, code.module, place.address));
    json_object_end(json);
}

static void path_json(struct json *json, const struct hot_paths *paths, const struct hot_path *path)
{
    struct scene *scene = paths->scene;
    struct estimate count = hot_path_count(paths, path);
    int density = hot_path_density(paths, path);
    json_object(json, NULL);
    json_string(json, "function", scene_readable(scene, path->linkage));
    json_string(json, "linkage", path->linkage);
    json_string(json, "address", address_text(scene, path->module, path->function));
    json_integer(json, "id", path->ids[0]);
    if (paths->iterations > 1) {
        json_array(json, "ids");
        for (uint32_t i = 0; i < paths->iterations; i++)
            json_integer(json, NULL, path->ids[i]);
        json_array_end(json);
    }
    if (paths->in_contexts) {
        json_array(json, "context");
        callers_json(json, paths, path->context);
        json_array_end(json);
    }
    json_array(json, "blocks");
    for (uint32_t i = 0; i < path->n_blocks; i++)
        json_string(json, NULL, address_text(scene, path->module, path->blocks[i].v));
    json_array_end(json);
    json_array(json, "lasts");
    for (uint32_t i = 0; i < path->n_blocks; i++)
        json_string(json, NULL, address_text(scene, path->module, path->lasts[i].v));
    json_array_end(json);
    lines_json(json, paths, path);
    estimate_json(json, "count", "lo", "hi", count);
    json_object(json, "metrics");
    json_number(json, "instructions", count.value * path->instructions);
    if (paths->has_ticks && paths->clock.event) {
        json_number(json, "events", path->ticks.value);
    } else if (paths->has_ticks) {
        estimate_json(json, "ticks", "ticks_lo", "ticks_hi", path->ticks);
        json_integer(json, "measured", path->measured);
    }
    for (enum path_metric m = METRIC_L1D; paths->has_modelled && m < PATH_METRICS; m++)
        json_integer(json, path_metric_name(m), path->modelled[m - METRIC_L1D]);
    json_object_end(json);
    json_number(json, "share", hot_path_share(paths, path));
    if (density)
        json_string(json, "class", density > 0 ? "dense" : "sparse");
    kind_json(json, path);
    json_object_end(json);
}

static void names_json(struct json *json, const char *key, const struct hot_paths *paths,
                       const struct path_names *names)
{
    json_array(json, key);
    for (size_t i = 0; i < names->n; i++)
        json_string(json, NULL, scene_readable(paths->scene, names->at[i]));
    json_array_end(json);
}

void hot_paths_json(FILE *to, const struct hot_paths *paths, struct hot_paths_cut cut)
{
    struct json json;
    json_begin(&json, to);
    head_json(&json, "paths", paths->scene, paths->side, BY_PATH, WEIGHT_COUNT, 0);
    json_integer(&json, "unread", paths->unread);
    json_integer(&json, "unknown", paths->unknown);
    json_integer(&json, "functions", paths->functions);
    if (paths->clock.event)
        json_string(&json, "event", paths->clock.event);
    if (paths->clock.some) {
        json_string(&json, "ticks_of", "bursts");
        json_number(&json, "ticks_raw", paths->clock.raw);
        json_number(&json, "ticks_look", paths->clock.look);
    }
    if (paths->has_modelled) {
        json_object(&json, "elsewhere");
        for (enum path_metric m = METRIC_L1D; m < PATH_METRICS; m++)
            json_integer(&json, path_metric_name(m), paths->elsewhere[m - METRIC_L1D]);
        json_object_end(&json);
    }
    names_json(&json, "cut", paths, &paths->cut);
    names_json(&json, "threaded", paths, &paths->threaded);
    json_array(&json, "rows");
    for (size_t i = 0; i < paths->n && i < cut.limit; i++)
        if (hot_path_share(paths, &paths->at[i]) >= cut.share)
            path_json(&json, paths, &paths->at[i]);
    json_array_end(&json);
    json_object_end(&json);
    json_end(&json);
}
