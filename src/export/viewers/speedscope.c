/* speedscope's own format: https://www.speedscope.app/file-format-schema.json, a "sampled" profile
 * for each thread. A stack comes once, with all of its weight: a recording has no order in time,
 * and browsers take no more than half a gigabyte of text. */
#include "base/version.h"
#include "export/viewers/namestacks.h"
#include "export/job/job.h"
#include "text/json.h"

#include <inttypes.h>

struct scope {
    struct json json;
    const struct export_job *job;
    struct namestacks namestacks;
    struct namestack_walk walk;
    uint32_t *path; /* scratch */
};

static void frames_write(struct scope *scope)
{
    struct json *json = &scope->json;
    const struct place_functions *functions = &scope->job->places.functions;
    json_object(json, "shared");
    json_array(json, "frames");
    for (size_t i = 0; i < functions->n; i++) {
        const struct place_function *function = &functions->at[i];
        json_object(json, NULL);
        json_string(json, "name", function->name);
        if (function->file)
            json_string(json, "file", function->file);
        if (function->file && function->line)
            json_integer(json, "line", function->line);
        json_object_end(json);
    }
    json_array_end(json);
    json_object_end(json);
}

/* Outermost first. */
static void stack_write(struct scope *scope, uint32_t namestack)
{
    uint32_t n = 0;
    for (; scope->namestacks.at[namestack].parent != NAMESTACK_NONE;
         namestack = scope->namestacks.at[namestack].parent)
        scope->path[n++] = scope->namestacks.at[namestack].function;
    json_array(&scope->json, NULL);
    while (n)
        json_integer(&scope->json, NULL, scope->path[--n]);
    json_array_end(&scope->json);
}

/* The stacks of one thread stand together in the walk: from its root to before the next one's. */
static size_t thread_end(const struct scope *scope, size_t begin)
{
    size_t end = begin + 1;
    while (end < scope->walk.n &&
           scope->namestacks.at[scope->walk.at[end]].parent != NAMESTACK_NONE)
        end++;
    return end;
}

static void name_write(struct scope *scope, const struct namestack *root)
{
    char name[128];
    const char *thread = scope->job->places.strings.at[root->function];
    if (root->thread)
        snprintf(name, sizeof name, "%.64s (%" PRIu32 "/%" PRIu32 ")", thread,
                 (uint32_t)(root->thread >> 32), (uint32_t)root->thread);
    else
        snprintf(name, sizeof name, "%.64s", thread);
    json_string(&scope->json, "name", name);
}

static void thread_write(struct scope *scope, size_t begin, size_t end)
{
    struct json *json = &scope->json;
    uint64_t total = 0;
    for (size_t i = begin; i < end; i++)
        total += scope->namestacks.at[scope->walk.at[i]].weight;
    if (!total)
        return;
    json_object(json, NULL);
    json_string(json, "type", "sampled");
    name_write(scope, &scope->namestacks.at[scope->walk.at[begin]]);
    json_string(json, "unit", scope->job->tree.unit == UNIT_NANOSECONDS ? "nanoseconds" : "none");
    json_integer(json, "startValue", 0);
    json_integer(json, "endValue", total);
    json_array(json, "samples");
    for (size_t i = begin; i < end; i++)
        if (scope->namestacks.at[scope->walk.at[i]].weight)
            stack_write(scope, scope->walk.at[i]);
    json_array_end(json);
    json_array(json, "weights");
    for (size_t i = begin; i < end; i++)
        if (scope->namestacks.at[scope->walk.at[i]].weight)
            json_integer(json, NULL, scope->namestacks.at[scope->walk.at[i]].weight);
    json_array_end(json);
    json_object_end(json);
}

bool speedscope_write(FILE *to, struct export_job *job, struct err *err)
{
    (void)err;
    struct scope scope = {.job = job};
    namestacks_build(&scope.namestacks, &job->tree, &job->places, ROOT_THREADS);
    namestacks_sort(&scope.walk, &scope.namestacks, &job->places);
    scope.path = mem_alloc((scope.namestacks.n + 1) * sizeof *scope.path);
    json_begin(&scope.json, to);
    json_object(&scope.json, NULL);
    json_string(&scope.json, "$schema", "https://www.speedscope.app/file-format-schema.json");
    json_string(&scope.json, "exporter", "gait " GAIT_VERSION);
    json_string(&scope.json, "name", job->profile->command ? job->profile->command : "");
    json_integer(&scope.json, "activeProfileIndex", 0);
    frames_write(&scope);
    json_array(&scope.json, "profiles");
    for (size_t begin = 0, end; begin < scope.walk.n; begin = end) {
        end = thread_end(&scope, begin);
        thread_write(&scope, begin, end);
    }
    json_array_end(&scope.json);
    json_object_end(&scope.json);
    json_end(&scope.json);
    mem_free(scope.path);
    vec_release(&scope.walk);
    namestacks_release(&scope.namestacks);
    return true;
}
