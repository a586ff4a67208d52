#include "view/views.h"

#include "analysis/report/diff_contexts.h"

#include "text/sheet.h"
#include "view/head.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- JSON */

static const char *module_of(const struct diff_contexts *contexts,
                             const struct diff_context *context)
{
    if (context->pair == MODULE_NONE)
        return NULL;
    const struct diff_module *module = &contexts->diff.modules.at[context->pair];
    return module->names[AFTER] ? module->names[AFTER] : module->names[BEFORE];
}

static const char *state_of(const struct diff_context *context)
{
    return !context->total[BEFORE].sum ? "new" : !context->total[AFTER].sum ? "gone" : "both";
}

static void row_json(struct json *json, const struct diff_contexts *contexts, uint32_t i)
{
    const struct diff_context *row = &contexts->at[i];
    json_object(json, NULL);
    json_integer(json, "id", i);
    if (row->parent == CONTEXT_NONE)
        json_null(json, "parent");
    else
        json_integer(json, "parent", row->parent);
    json_integer(json, "children", row->children);
    json_string(json, "function", scene_readable(contexts->diff.scenes[AFTER], row->name));
    json_string(json, "linkage", row->name);
    if (module_of(contexts, row))
        json_string(json, "module", module_of(contexts, row));
    json_bool(json, "inlined", row->inlined);
    json_bool(json, "kernel", row->kernel);
    json_string(json, "state", state_of(row));
    estimate_json(json, "before", "before_lo", "before_hi", row->amount[BEFORE]);
    estimate_json(json, "after", "after_lo", "after_hi", row->amount[AFTER]);
    estimate_json(json, "change", "change_lo", "change_hi", row->change);
    estimate_json(json, "share_before", "share_before_lo", "share_before_hi", row->share[BEFORE]);
    estimate_json(json, "share_after", "share_after_lo", "share_after_hi", row->share[AFTER]);
    estimate_json(json, "share_change", "share_change_lo", "share_change_hi", row->share_change);
    json_number(json, "self_share_before", row->self_share[BEFORE].value);
    json_number(json, "self_share_after", row->self_share[AFTER].value);
    json_bool(json, "beyond", row->beyond);
    json_bool(json, "sure", row->sure);
    json_bool(json, "share_sure", row->share_sure);
    json_object_end(json);
}

void diff_contexts_json(FILE *to, const struct diff_contexts *contexts, size_t limit)
{
    struct json json;
    json_begin(&json, to);
    head_json_by(&json, "diff", contexts->diff.scenes[AFTER], 0, "context", contexts->diff.weight);
    diff_head_json(&json, &contexts->diff);
    json_integer(&json, "contexts", contexts->n);
    json_array(&json, "rows");
    for (uint32_t i = 0; i < contexts->n && i < limit; i++)
        row_json(&json, contexts, i);
    json_array_end(&json);
    json_object_end(&json);
    json_end(&json);
}

/* ---- text */

static int change_order(const void *a, const void *b, void *data)
{
    const struct diff_contexts *contexts = data;
    uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
    double x = fabs(contexts->at[i].share_change.value),
           y = fabs(contexts->at[j].share_change.value);
    return x != y ? (x > y ? -1 : 1) : i < j ? -1 : i > j;
}

/* Its callers, the nearest first: what it is in that changed. */
static const char *callers_text(const struct diff_contexts *contexts,
                                const struct diff_context *context)
{
    enum { CALLERS = 3 };
    struct scene *scene = contexts->diff.scenes[AFTER];
    const char *text = "";
    uint32_t at = context->parent;
    for (int n = 0; n < CALLERS && at != CONTEXT_NONE; n++, at = contexts->at[at].parent)
        text =
            arena_format(&scene->arena, "%s < %s", text, name_text(scene, contexts->at[at].name));
    return text;
}

static void row_text(struct sheet *sheet, const struct diff_contexts *contexts,
                     const struct diff_context *context)
{
    sheet_change(sheet, 100 * context->share_change.value);
    sheet_cell(sheet, "%s", context->share_sure ? "**" : "");
    sheet_cell(sheet, "%.2f%%", 100 * context->share[BEFORE].value);
    sheet_cell(sheet, "%.2f%%", 100 * context->share[AFTER].value);
    sheet_cell(sheet, "%s%s", name_text(contexts->diff.scenes[AFTER], context->name),
               callers_text(contexts, context));
}

void diff_contexts_text(FILE *to, const struct diff_contexts *contexts, const struct ink *ink,
                        size_t limit)
{
    struct sheet sheet;
    size_t n = contexts->n, sure = 0;
    uint32_t *order = mem_alloc((n + 1) * sizeof *order);
    for (uint32_t i = 0; i < n; i++) {
        order[i] = i;
        sure += contexts->at[i].share_sure;
    }
    qsort_r(order, n, sizeof *order, change_order, (void *)(uintptr_t)contexts);
    fprintf(to, "by calling context, with everything below; shares of all\n\n");
    sheet_begin(&sheet, "rlrrl", ink);
    sheet_cell(&sheet, "%% points");
    sheet_cell(&sheet, " ");
    sheet_cell(&sheet, "before");
    sheet_cell(&sheet, "after");
    sheet_cell(&sheet, "context < its callers");
    for (size_t i = 0; i < n && i < limit; i++)
        row_text(&sheet, contexts, &contexts->at[order[i]]);
    if (contexts->diff.scenes[AFTER]->columns)
        sheet_squeeze(&sheet, contexts->diff.scenes[AFTER]->columns);
    sheet_end(&sheet, to);
    fprintf(to,
            "\n%s marks %zu of %zu contexts whose share changed beyond noise (intervals widened "
            "for all of them).\n",
            "**", sure, n);
    mem_free(order);
}
