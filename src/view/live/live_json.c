#include "view/live/live_view.h"

#include "text/json.h"
#include "view/head.h"

static struct estimate scaled(struct estimate share, double all)
{
    return (struct estimate){share.value * all, share.lo * all, share.hi * all};
}

static void row_json(struct json *json, const struct live *live, const struct live_rows *rows,
                     const struct live_row *row, enum live_by by)
{
    bool thread = by == LIVE_PROCESS || by == LIVE_THREAD;
    json_object(json, NULL);
    json_string(json, "name", row->name ? row->name : "");
    if (by == LIVE_FUNCTION || by == LIVE_CALLER) {
        json_string(json, "linkage", live->code.functions.at[row->function].linkage);
        json_string(json, "module", row->module);
    }
    if (!thread)
        json_string(json, "in", row->kernel ? "kernel" : "user");
    if (thread)
        json_integer(json, "pid", row->pid);
    if (by == LIVE_THREAD)
        json_integer(json, "tid", row->tid);
    estimate_json(json, "time", "time_lo", "time_hi", scaled(row->share, rows->seconds));
    if (by == LIVE_FUNCTION)
        estimate_json(json, "total", "total_lo", "total_hi",
                      scaled(row->total_share, rows->seconds));
    estimate_json(json, "share", "share_lo", "share_hi", row->share);
    if (thread) {
        json_number(json, "user", (double)row->user_ns / 1e9);
        json_number(json, "kernel", (double)row->kernel_ns / 1e9);
    }
    if (row->hottest != LIVE_NONE)
        json_string(json, "hottest", live->code.functions.at[row->hottest].readable);
    json_object_end(json);
}

void live_json(FILE *to, const struct live *live, const struct live_rows *rows,
               const struct live_query *query, const struct live_about *about, size_t limit)
{
    struct live_sum sum = live_sum(live);
    struct json json;
    json_begin(&json, to);
    json_object(&json, NULL);
    json_string(&json, "schema", "gait/top/1");
    json_string(&json, "command", about->subject);
    json_string(&json, "mode", "plain");
    json_string(&json, "weight", "time");
    json_bool(&json, "raw", true);
    json_string(&json, "by", live_by_name(query->by));
    json_number(&json, "elapsed", (double)sum.elapsed_ns / 1e9);
    json_integer(&json, "cpus", about->cpus);
    json_number(&json, "user", (double)sum.user_ns / 1e9);
    json_number(&json, "kernel", (double)sum.kernel_ns / 1e9);
    json_integer(&json, "samples", sum.samples);
    json_number(&json, "overhead", live_cost(live, about));
    json_object(&json, "losses");
    if (sum.lost)
        json_integer(&json, "sample_lost", sum.lost);
    json_object_end(&json);
    json_array(&json, "rows");
    for (size_t i = 0; i < rows->n && i < limit; i++)
        row_json(&json, live, rows, &rows->at[i], query->by);
    json_array_end(&json);
    json_object_end(&json);
    json_end(&json);
}
