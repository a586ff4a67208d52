#include "view/views.h"

#include "analysis/windows/window_fold.h"
#include "base/map.h"
#include "view/head.h"
#include "view/place_text.h"

#include <math.h>

/* Numbers of what the part uses, in the order in which it is met. */
struct writing {
    struct json json;
    const struct window_detail *detail;
    struct scene *scene;
    struct place_text text;
    struct map functions, loops, code;
};

static bool in_part(const struct window_detail *detail, const struct window_scope *scope)
{
    return scope->from < detail->to && scope->to > detail->from;
}

static void functions_json(struct writing *writing)
{
    struct json *json = &writing->json;
    json_array(json, "functions");
    for (uint32_t i = 0; i < writing->functions.n; i++) {
        const uint32_t *index = map_key(&writing->functions, i);
        const struct window_function *function = &writing->detail->list->code.functions.at[*index];
        json_object(json, NULL);
        json_string(json, "name", scene_readable(writing->scene, function->linkage));
        json_string(json, "linkage", function->linkage);
        json_string(json, "address",
                    address_text(writing->scene, function->module, function->start));
        json_object_end(json);
    }
    json_array_end(json);
}

static void loops_json(struct writing *writing)
{
    struct json *json = &writing->json;
    const struct window_code *code = &writing->detail->list->code;
    json_array(json, "loops");
    for (uint32_t i = 0; i < writing->loops.n; i++) {
        const uint32_t *index = map_key(&writing->loops, i);
        const struct window_loop *loop = &code->loops.at[*index];
        uint32_t module = code->functions.at[loop->function].module;
        json_object(json, NULL);
        json_integer(json, "function", map_add(&writing->functions, &loop->function));
        json_string(json, "address", address_text(writing->scene, module, loop->head));
        json_string(json, "line", line_text(writing->scene, module, loop->head));
        json_object_end(json);
    }
    json_array_end(json);
}

static void code_json(struct writing *writing)
{
    struct json *json = &writing->json;
    const struct window_code *code = &writing->detail->list->code;
    json_array(json, "code");
    for (uint32_t i = 0; i < writing->code.n; i++) {
        const uint32_t *index = map_key(&writing->code, i);
        const struct window_insn *insn = &code->insns.at[*index];
        json_object(json, NULL);
        json_string(json, "address", address_text(writing->scene, insn->module, insn->at));
        json_string(json, "assembly",
                    insn->kind == CODE_OPAQUE
                        ? ""
                        : place_assembly(&writing->text, insn->module, insn->at));
        json_string(json, "line", line_text(writing->scene, insn->module, insn->at));
        json_integer(json, "function", map_add(&writing->functions, &insn->function));
        json_object_end(json);
    }
    json_array_end(json);
}

/* Instructions as [first of `code`, how many in a row]. */
static void course_json(struct writing *writing)
{
    struct json *json = &writing->json;
    const struct window_detail *detail = writing->detail;
    json_object(json, "course");
    json_array(json, "steps");
    for (uint32_t i = detail->from; i < detail->to;) {
        uint32_t first = map_find(&writing->code, &detail->tree.steps.at[i]), n = 1;
        while (i + n < detail->to &&
               map_find(&writing->code, &detail->tree.steps.at[i + n]) == first + n)
            n++;
        json_array(json, NULL);
        json_integer(json, NULL, first);
        json_integer(json, NULL, n);
        json_array_end(json);
        i += n;
    }
    json_array_end(json);
    json_array(json, "cycles");
    for (uint32_t i = detail->from; i < detail->to && detail->modelled; i++)
        json_integer(json, NULL, window_detail_cycles(detail, i, i + 1));
    json_array_end(json);
    json_object_end(json);
}

static void iterations_json(struct writing *writing, const struct window_scope *loop)
{
    json_integer(&writing->json, "iterations", loop->iterations);
    json_array(&writing->json, "starts");
    for (uint32_t i = 0; i < loop->iterations; i++)
        json_integer(&writing->json, NULL,
                     writing->detail->tree.iterations.at[loop->first_iteration + i]);
    json_array_end(&writing->json);
}

static void scope_json(struct writing *writing, uint32_t index)
{
    struct json *json = &writing->json;
    const struct window_detail *detail = writing->detail;
    const struct window_scope *scope = &detail->tree.at[index];
    json_object(json, NULL);
    json_integer(json, "id", index);
    if (scope->parent != SCOPE_NONE)
        json_integer(json, "parent", scope->parent);
    json_string(json, "kind", scope->kind == SCOPE_CALL ? "call" : "loop");
    json_integer(json, "function", map_add(&writing->functions, &scope->function));
    json_integer(json, "from", scope->from);
    json_integer(json, "to", scope->to);
    json_integer(json, "depth", (uint64_t)scope->depth);
    json_integer(json, "own", scope->own);
    if (detail->modelled)
        json_integer(json, "cycles", window_detail_cycles(detail, scope->from, scope->to));
    if (scope->kind == SCOPE_LOOP) {
        json_integer(json, "loop", map_add(&writing->loops, &scope->loop));
        json_integer(json, "nest", scope->nest);
        iterations_json(writing, scope);
    }
    if (scope->before)
        json_bool(json, "before", true);
    if (scope->after)
        json_bool(json, "after", true);
    if (scope->tail)
        json_bool(json, "tail", true);
    json_object_end(json);
}

/* As text shows it: what is alike below the same call or loop is one line. */
static void outline_json(struct writing *writing)
{
    struct json *json = &writing->json;
    struct window_fold fold;
    window_fold_make(&fold, writing->detail);
    json_array(json, "outline");
    for (size_t i = 0; i < fold.n; i++) {
        const struct fold_line *line = &fold.at[i];
        const struct window_scope *scope = &writing->detail->tree.at[line->sample];
        json_object(json, NULL);
        json_integer(json, "level", line->level);
        json_integer(json, "first", line->sample);
        json_integer(json, "runs", line->runs);
        if (scope->kind == SCOPE_LOOP)
            json_integer(json, "iterations", line->iterations);
        json_integer(json, "from", line->from);
        json_integer(json, "instructions", line->instructions);
        json_integer(json, "own", line->own);
        if (writing->detail->modelled)
            json_integer(json, "cycles", line->cycles);
        json_object_end(json);
    }
    json_array_end(json);
    window_fold_release(&fold);
}

/* Numbers are given before anything is written: lists stand before what refers to them. */
static void numbers_give(struct writing *writing)
{
    const struct window_detail *detail = writing->detail;
    for (uint32_t i = 0; i < detail->tree.n; i++) {
        const struct window_scope *scope = &detail->tree.at[i];
        if (!in_part(detail, scope))
            continue;
        map_add(&writing->functions, &scope->function);
        if (scope->kind == SCOPE_LOOP) {
            map_add(&writing->loops, &scope->loop);
            map_add(&writing->functions, &detail->tree.code->loops.at[scope->loop].function);
        }
    }
    for (uint32_t i = detail->from; i < detail->to; i++) {
        map_add(&writing->code, &detail->tree.steps.at[i]);
        map_add(&writing->functions,
                &detail->tree.code->insns.at[detail->tree.steps.at[i]].function);
    }
}

static void facts_json(struct writing *writing)
{
    struct json *json = &writing->json;
    const struct window_detail *detail = writing->detail;
    const struct window_list *list = detail->list;
    uint32_t tid;
    const char *thread = window_thread(list, detail->index, &tid);
    json_string(json, "core", list->model.name);
    json_string(json, "core_why", list->core_why);
    json_integer(json, "window", detail->number);
    json_integer(json, "kept", list->order.n);
    json_string(json, "since", window_since(list));
    json_number(json, "time", window_time(list, detail->index));
    json_string(json, "thread", thread);
    json_integer(json, "tid", tid);
    json_number(json, "stands_for",
                (double)list->scene->sides[0]->windows.at[detail->index].weight_ns / 1e9);
    json_integer(json, "instructions", detail->tree.steps.n);
    json_integer(json, "calls", detail->tree.calls);
    json_integer(json, "levels", detail->tree.levels);
    json_integer(json, "breaks", detail->tree.breaks);
    json_integer(json, "opaque", detail->tree.opaque);
    json_bool(json, "broken", detail->tree.broken);
    json_integer(json, "warming", detail->warming);
    json_integer(json, "from", detail->from);
    json_integer(json, "to", detail->to);
}

void window_json(FILE *to, struct window_detail *detail)
{
    struct writing writing = {.detail = detail, .scene = detail->list->scene};
    place_text_begin(&writing.text, writing.scene);
    map_init(&writing.functions, sizeof(uint32_t));
    map_init(&writing.loops, sizeof(uint32_t));
    map_init(&writing.code, sizeof(uint32_t));
    numbers_give(&writing);
    json_begin(&writing.json, to);
    head_json_by(&writing.json, "window", writing.scene, 0, "scope", WEIGHT_COUNT);
    facts_json(&writing);
    functions_json(&writing);
    loops_json(&writing);
    code_json(&writing);
    course_json(&writing);
    outline_json(&writing);
    json_array(&writing.json, "rows");
    for (uint32_t i = 0; i < detail->tree.n; i++)
        if (in_part(detail, &detail->tree.at[i]))
            scope_json(&writing, i);
    json_array_end(&writing.json);
    json_object_end(&writing.json);
    json_end(&writing.json);
    map_release(&writing.functions);
    map_release(&writing.loops);
    map_release(&writing.code);
    place_text_end(&writing.text);
}
