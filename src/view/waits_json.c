#include "view/views.h"

#include "analysis/counts/labels.h"
#include "analysis/waits/wait_view.h"
#include "view/head.h"

#include <string.h>

static void figures_json(struct json *json, const struct wait_row *row, enum wait_by by)
{
    estimate_json(json, "time", "time_lo", "time_hi", wait_row_time(row, by));
    estimate_json(json, "count", "lo", "hi", wait_row_count(row, by));
    json_number(json, "longest", (double)row->longest_ns / 1e9);
    json_integer(json, "seen", row->seen);
    if (by != WAIT_BY_THREAD) {
        json_string(json, "reason", row->reason);
        json_string(json, "syscall", row->syscall);
        json_integer(json, "threads", row->threads);
    }
}

static void thread_json(struct json *json, const struct wait_view *view, const struct wait_row *row)
{
    json_number(json, "runnable", (double)row->runnable_ns / 1e9);
    json_integer(json, "pid", row->thread >> 32);
    json_integer(json, "tid", (uint32_t)row->thread);
    json_string(json, "name", wait_thread_name(view, row->thread));
}

static void stack_json(struct json *json, const struct wait_view *view, uint32_t stack)
{
    json_array(json, "stack");
    for (; stack; stack = view->nodes.at[stack].parent) {
        const struct wait_node *node = &view->nodes.at[stack];
        json_object(json, NULL);
        json_string(json, "function", scene_readable(view->scene, node->linkage));
        json_string(json, "address", address_text(view->scene, node->module, node->site));
        json_string(json, "line", node->line);
        json_object_end(json);
    }
    json_array_end(json);
}

static void rows_json(struct json *json, const struct wait_view *view, enum wait_by by,
                      const char *key, size_t limit)
{
    const struct wait_rows *rows = &view->rows[by];
    json_array(json, key);
    for (size_t i = 0; i < rows->n && i < limit; i++) {
        json_object(json, NULL);
        figures_json(json, &rows->at[i], by);
        if (by == WAIT_BY_THREAD)
            thread_json(json, view, &rows->at[i]);
        if (by == WAIT_BY_STACK && rows->at[i].holder)
            json_integer(json, "holder", (uint32_t)rows->at[i].holder);
        if (by == WAIT_BY_STACK)
            stack_json(json, view, rows->at[i].stack);
        json_object_end(json);
    }
    json_array_end(json);
}

void wait_view_json(FILE *to, const struct wait_view *view, size_t limit)
{
    const struct profile *profile = view->scene->sides[0];
    struct json json;
    json_begin(&json, to);
    head_json(&json, "waits", view->scene, 0, BY_FUNCTION, WEIGHT_TIME, 0);
    json_array(&json, "sources");
    for (size_t i = 0; i < profile->facts.n; i++)
        if (strcmp(profile->facts.at[i].key, "waits") == 0)
            json_string(&json, NULL, profile->facts.at[i].value);
    json_array_end(&json);
    json_number(&json, "time", (double)view->ns / 1e9);
    json_integer(&json, "count", view->n);
    json_integer(&json, "seen", view->seen);
    json_number(&json, "longest", (double)view->longest_ns / 1e9);
    rows_json(&json, view, WAIT_BY_REASON, "reasons", limit);
    rows_json(&json, view, WAIT_BY_THREAD, "threads", limit);
    rows_json(&json, view, WAIT_BY_STACK, "rows", limit);
    json_object_end(&json);
    json_end(&json);
}
