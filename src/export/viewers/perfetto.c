/* Windows in Chrome's trace format, which ui.perfetto.dev and chrome://tracing read:
 * https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU.
 *
 * A window is a process, with two threads: calls and loops over instructions, and the same over
 * modelled cycles. The format has no time but microseconds, so an instruction or a cycle is one. */
#include "analysis/windows/window_detail.h"
#include "base/err.h"
#include "base/version.h"
#include "export/job/job.h"
#include "text/json.h"

#include <inttypes.h>
#include <math.h>

enum track { TRACK_INSTRUCTIONS = 1, TRACK_CYCLES };

struct tracing {
    struct json json;
    struct window_list list;
    uint32_t *numbers; /* by index in the profile */
};

/* What a process or thread is called. */
static void label_write(struct json *json, uint32_t number, uint32_t track, const char *what,
                        const char *text)
{
    json_object(json, NULL);
    json_string(json, "name", what);
    json_string(json, "ph", "M");
    json_integer(json, "pid", number);
    json_integer(json, "tid", track);
    json_object(json, "args");
    json_string(json, "name", text);
    json_object_end(json);
    json_object_end(json);
}

static void labels_write(struct tracing *tracing, const struct window_detail *detail)
{
    char text[256];
    uint32_t tid;
    const char *thread = window_thread(&tracing->list, detail->index, &tid);
    double time = window_time(&tracing->list, detail->index);
    snprintf(text, sizeof text, "window %u: %.64s %u", detail->number, thread, tid);
    size_t used = strlen(text);
    if (!isnan(time))
        snprintf(text + used, sizeof text - used, ", %.6f s after the %s", time,
                 window_since(&tracing->list));
    label_write(&tracing->json, detail->number, 0, "process_name", text);
    label_write(&tracing->json, detail->number, TRACK_INSTRUCTIONS, "thread_name",
                "instructions, 1 us each");
    if (!detail->modelled)
        return;
    snprintf(text, sizeof text, "modelled cycles of %.64s, 1 us each", tracing->list.model.name);
    label_write(&tracing->json, detail->number, TRACK_CYCLES, "thread_name", text);
}

static void name_write(struct tracing *tracing, const struct window_scope *scope)
{
    struct scene *scene = tracing->list.scene;
    const struct window_code *code = &tracing->list.code;
    const struct window_function *function = &code->functions.at[scope->function];
    if (scope->kind == SCOPE_CALL) {
        json_string(&tracing->json, "name", scene_readable(scene, function->linkage));
        return;
    }
    uint64_t head = code->loops.at[scope->loop].head;
    const char *line = line_text(scene, function->module, head);
    json_string(&tracing->json, "name",
                arena_format(&scene->arena, "loop %s ×%u",
                             *line ? line : address_text(scene, function->module, head),
                             scope->iterations));
}

static void args_write(struct tracing *tracing, const struct window_detail *detail,
                       const struct window_scope *scope)
{
    struct json *json = &tracing->json;
    const struct window_code *code = &tracing->list.code;
    const struct window_function *function = &code->functions.at[scope->function];
    bool loop = scope->kind == SCOPE_LOOP;
    json_object(json, "args");
    json_string(json, "address",
                address_text(tracing->list.scene, function->module,
                             loop ? code->loops.at[scope->loop].head : function->start));
    json_integer(json, "from", scope->from);
    json_integer(json, "instructions", scope->to - scope->from);
    json_integer(json, "own", scope->own);
    if (detail->modelled)
        json_integer(json, "modelled_cycles", window_detail_cycles(detail, scope->from, scope->to));
    if (loop)
        json_integer(json, "iterations", scope->iterations);
    if (scope->before)
        json_bool(json, "begun_before", true);
    if (scope->after)
        json_bool(json, "goes_on", true);
    if (scope->tail)
        json_bool(json, "tail_call", true);
    json_object_end(json);
}

static void scope_write(struct tracing *tracing, const struct window_detail *detail,
                        const struct window_scope *scope, enum track track)
{
    struct json *json = &tracing->json;
    bool cycles = track == TRACK_CYCLES;
    uint64_t from = cycles ? detail->cycles[scope->from] : scope->from;
    uint64_t to = cycles ? detail->cycles[scope->to] : scope->to;
    json_object(json, NULL);
    name_write(tracing, scope);
    json_string(json, "cat", scope->kind == SCOPE_CALL ? "call" : "loop");
    json_string(json, "ph", "X");
    json_integer(json, "ts", from);
    json_integer(json, "dur", to - from);
    json_integer(json, "pid", detail->number);
    json_integer(json, "tid", track);
    args_write(tracing, detail, scope);
    json_object_end(json);
}

static void window_write_events(void *to, size_t index, const struct window_times *times)
{
    struct tracing *tracing = to;
    struct window_detail detail;
    window_detail_of(&detail, &tracing->list, tracing->numbers[index], times);
    labels_write(tracing, &detail);
    for (uint32_t i = 0; i < detail.tree.n; i++)
        scope_write(tracing, &detail, &detail.tree.at[i], TRACK_INSTRUCTIONS);
    for (uint32_t i = 0; i < detail.tree.n && detail.modelled; i++)
        scope_write(tracing, &detail, &detail.tree.at[i], TRACK_CYCLES);
    window_detail_release(&detail);
}

static void trace_write(struct tracing *tracing, const struct export_job *job, size_t wanted)
{
    struct json *json = &tracing->json;
    const char *why = tracing->list.core_why;
    json_object(json, NULL);
    json_string(json, "displayTimeUnit", "ns");
    json_object(json, "otherData");
    json_string(json, "exporter", "gait " GAIT_VERSION);
    json_string(json, "command", job->profile->command ? job->profile->command : "");
    json_string(json, "unit", "1 us is one instruction, or one modelled cycle");
    json_string(json, "core", *why ? why : tracing->list.model.name);
    json_object_end(json);
    json_array(json, "traceEvents");
    window_cycles_make(job->scene, &tracing->list.model, wanted, window_write_events, tracing);
    json_array_end(json);
    json_object_end(json);
    json_end(json);
}

bool perfetto_write(FILE *to, struct export_job *job, struct err *err)
{
    struct tracing tracing;
    uint32_t window = job->options->window;
    if (!window_list_has(job->profile))
        return err_set(err, ERR_FORMAT, "no windows in it; gait windows says why");
    if (!window_list_open(&tracing.list, job->scene, NULL, err))
        return false;
    bool good = window <= tracing.list.order.n ||
                err_set(err, ERR_USAGE, "--window %u: expected the number of a window, 1 to %zu",
                        window, tracing.list.order.n);
    tracing.numbers = mem_alloc((tracing.list.order.n + 1) * sizeof *tracing.numbers);
    for (uint32_t i = 0; i < tracing.list.order.n; i++)
        tracing.numbers[tracing.list.order.at[i]] = i + 1;
    json_begin(&tracing.json, to);
    if (good)
        trace_write(&tracing, job, window ? tracing.list.order.at[window - 1] : WINDOW_ALL);
    mem_free(tracing.numbers);
    window_list_close(&tracing.list);
    return good;
}
