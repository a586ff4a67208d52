#include "view/views.h"

#include "analysis/report/context_rows.h"
#include "analysis/report/contexts.h"
#include "profile/model_costs.h"

#include "view/head.h"

#include <math.h>

static struct estimate count_of(const struct calling_contexts *contexts,
                                const struct calling_context *context)
{
    if (contexts->plain->profile->mode == PROFILE_EXACT) { /* how often it was called */
        double calls = (double)context->self.sum;
        return (struct estimate){calls, calls, calls};
    }
    return context_samples(contexts, context);
}

/* With its 95 % interval; not numbers where some stays are measured, and none of these was. */
static struct estimate ticks_of(const struct calling_contexts *contexts,
                                const struct groups *groups, bool some)
{
    double ticks = (double)groups->at[STACK_TICKS];
    double by = 1.96 * sqrt((double)groups->at[STACK_SPREAD] * STACK_SPREAD_UNIT);
    if (some && !groups->at[STACK_TIMED])
        return (struct estimate){NAN, NAN, NAN};
    return context_clock_estimate(&contexts->clock, ticks, (double)groups->at[STACK_VISITS], by);
}

static void ticks_json(struct json *json, const struct calling_contexts *contexts,
                       const struct calling_context *context)
{
    bool some = contexts->whole.at[STACK_TIMED];
    estimate_json(json, "ticks", "ticks_lo", "ticks_hi",
                  ticks_of(contexts, context->total.groups, some));
    estimate_json(json, "self_ticks", "self_ticks_lo", "self_ticks_hi",
                  ticks_of(contexts, context->self.groups, some));
    if (some)
        json_integer(json, "self_timed", context->self.groups->at[STACK_TIMED]);
}

static void context_modelled_json(struct json *json, const struct calling_context *context)
{
    for (uint32_t i = 0; i < MODEL_COSTS; i++) {
        char self[32];
        snprintf(self, sizeof self, "self_%s", model_cost_names[i].word);
        json_integer(json, model_cost_names[i].word,
                     context->total.groups->at[model_cost_group(i)]);
        json_integer(json, self, context->self.groups->at[model_cost_group(i)]);
    }
}

static void amounts_json(struct json *json, const struct calling_contexts *contexts,
                         const struct calling_context *context)
{
    const struct plain *plain = contexts->plain;
    bool events = plain_counts_events(plain->profile);
    struct estimate total =
        context_total_amount(contexts, context->total.groups, context->beside.groups);
    struct estimate self = context_self_amount(contexts, context);
    if (events) {
        json_null(json, "time");
        json_null(json, "time_lo");
        json_null(json, "time_hi");
    } else {
        estimate_json(json, "time", "time_lo", "time_hi", total);
    }
    json_object(json, "metrics");
    if (events)
        estimate_json(json, "events", "events_lo", "events_hi", total);
    estimate_json(json, events ? "self_events" : "self_time",
                  events ? "self_events_lo" : "self_time_lo",
                  events ? "self_events_hi" : "self_time_hi", self);
    const char *beside = plain->filter.kernel ? (events ? "user_events" : "user_time")
                         : events             ? "kernel_events"
                                              : "kernel_time";
    json_number(json, beside, plain_beside(plain, context->beside.groups));
    if (plain->profile->mode == PROFILE_EXACT && contexts->whole.at[STACK_TICKS])
        ticks_json(json, contexts, context);
    if (contexts_have_instructions(contexts)) {
        json_integer(json, "instructions", context->total.groups->at[STACK_INSTRUCTIONS]);
        json_integer(json, "self_instructions", context->self.groups->at[STACK_INSTRUCTIONS]);
    }
    if (plain->profile->mode == PROFILE_EXACT && contexts_modelled(contexts))
        context_modelled_json(json, context);
    json_object_end(json);
}

static void site_json(struct json *json, const struct calling_contexts *contexts,
                      const struct calling_context *context)
{
    struct scene *scene = contexts->plain->scene;
    if (context->site_module == MODULE_NONE)
        json_null(json, "call_site");
    else
        json_string(json, "call_site", address_text(scene, context->site_module, context->site));
    if (context->site_file && context->site_line) {
        json_string(json, "call_file", context->site_file);
        json_integer(json, "call_line", context->site_line);
    }
}

static void row_json(struct json *json, const struct calling_contexts *contexts,
                     const struct context_rows *rows, uint32_t i)
{
    const struct calling_context *context = &contexts->at[i];
    json_object(json, NULL);
    json_integer(json, "id", rows->id_of[i]);
    if (context->parent == CONTEXT_NONE)
        json_null(json, "parent");
    else
        json_integer(json, "parent", rows->id_of[context->parent]);
    json_integer(json, "children", rows->children[i]);
    json_string(json, "function", context_name(contexts, context));
    if (context->function == CONTEXT_KERNEL)
        json_bool(json, "kernel", true);
    if (context_has_function(context)) {
        const struct context_function *function = &contexts->frames.functions.at[context->function];
        json_string(json, "linkage", function->name);
        if (!function->inlined)
            json_string(json, "address",
                        address_text(contexts->plain->scene, function->module, function->start));
        if (function->module < contexts->plain->scene->modules.n)
            json_string(json, "module", contexts->plain->scene->modules.at[function->module].name);
        json_bool(json, "inlined", function->inlined);
        json_bool(json, "kernel", function->kernel);
    }
    json_bool(json, "recursive", context->recursive);
    site_json(json, contexts, context);
    if (contexts->options.form == CONTEXTS_FLAT)
        json_integer(json, "callers", context->callers);
    estimate_json(json, "count", "lo", "hi", count_of(contexts, context));
    amounts_json(json, contexts, context);
    json_object_end(json);
}

/* What a model counted of all, also of what is in no context. */
static void whole_json(struct json *json, const struct calling_contexts *contexts)
{
    json_object(json, "modelled");
    for (uint32_t i = 0; i < MODEL_COSTS; i++)
        json_integer(json, model_cost_names[i].word, contexts->whole.at[model_cost_group(i)]);
    json_object_end(json);
}

/* All that the options let through, as a row has it. */
static void selected_json(struct json *json, const struct calling_contexts *contexts,
                          const struct context_rows *rows)
{
    struct groups whole = contexts->whole, beside = contexts->beside;
    struct calling_context all = {.function = CONTEXT_THREAD,
                                  .self = {whole.sum, &whole},
                                  .total = {whole.sum, &whole},
                                  .beside = {beside.sum, &beside}};
    json_object(json, "selected");
    json_integer(json, "contexts", rows->n_all);
    amounts_json(json, contexts, &all);
    json_object_end(json);
}

void contexts_json(FILE *to, const struct calling_contexts *contexts,
                   const struct context_rows *rows)
{
    struct json json;
    json_begin(&json, to);
    head_json(&json, "contexts", contexts->plain->scene, contexts->plain->side, BY_FUNCTION,
              contexts->plain->profile->mode == PROFILE_EXACT ? WEIGHT_COUNT : WEIGHT_TIME, 0);
    json_string(&json, "form", contexts_form_name(contexts->options.form));
    if (contexts->plain->profile->mode != PROFILE_EXACT)
        json_string(&json, "time_of",
                    contexts->options.both           ? "cpu"
                    : contexts->plain->filter.kernel ? "kernel"
                                                     : "user");
    selected_json(&json, contexts, rows);
    if (contexts->plain->profile->mode == PROFILE_EXACT && contexts_modelled(contexts))
        whole_json(&json, contexts);
    if (contexts->clock.raw > 0) {
        json_string(&json, "ticks_of", "alone");
        json_number(&json, "ticks_raw", contexts->clock.raw);
        json_number(&json, "ticks_look", contexts->clock.look);
    }
    json_array(&json, "rows");
    for (size_t i = 0; i < rows->n; i++)
        row_json(&json, contexts, rows, rows->at[i]);
    json_array_end(&json);
    json_object_end(&json);
    json_end(&json);
}
