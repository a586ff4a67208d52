#include "analysis/counts/counted_module.h"

#include "base/phase.h"
#include "base/parallel.h"

static bool solves(const struct counted_module *counted)
{
    bool any = false;
    for (uint32_t side = 0; side < counted->scene->n_sides; side++)
        any |= counted->inferred[side] && !inference_is_whole(counted->scene, side);
    return any;
}

/* A scene that shows one function still has records of the others, which calls tie to it. */
static void functions_list(struct counted_module *counted, bool all)
{
    const struct scene *scene = counted->scene;
    const struct scene_functions *shown = &scene->functions;
    for (size_t i = 0; i < shown->n && !all; i++)
        if (shown->at[i].module == counted->module && shown->at[i].function != FUNCTION_NONE)
            vec_push(&counted->functions)->seen = shown->at[i];
    for (size_t i = 0; i < scene->touches.n && all;) {
        struct scene_function function = scene_function_from(scene, i);
        if (function.module == counted->module && function.function != FUNCTION_NONE)
            vec_push(&counted->functions)->seen = function;
        i += function.n_touches;
    }
}

static void hidden_drop(struct counted_module *counted)
{
    const struct scene_functions *shown = &counted->scene->functions;
    struct counted_functions *functions = &counted->functions;
    size_t kept = 0, next = 0;
    for (size_t i = 0; i < functions->n; i++) {
        size_t first = functions->at[i].seen.first_touch;
        while (next < shown->n && shown->at[next].first_touch < first)
            next++;
        if (next < shown->n && shown->at[next].first_touch == first)
            functions->at[kept++] = functions->at[i];
        else
            counted_function_release(&functions->at[i]);
    }
    functions->n = kept;
}

static void function_build(void *context, size_t i, unsigned worker)
{
    (void)worker;
    struct counted_module *counted = context;
    struct counted_function *function = &counted->functions.at[i];
    counted_function_build(function, counted->scene, function->seen);
}

static void function_infer(void *context, size_t i, unsigned worker)
{
    (void)worker;
    struct counted_module *counted = context;
    for (uint32_t side = 0; side < counted->scene->n_sides; side++)
        if (counted->inferred[side])
            inference_apply(&counted->inferences[side], &counted->functions.at[i]);
}

void counted_module_open(struct counted_module *counted, const struct scene *scene, uint32_t module,
                         bool inferred)
{
    *counted = (struct counted_module){.scene = scene, .module = module};
    for (uint32_t side = 0; side < scene->n_sides; side++)
        counted->inferred[side] = inferred && scene->inferred[side];
    bool all = solves(counted);
    if (all)
        phase_set("making counts consistent in", scene->modules.at[module].module.path);
    functions_list(counted, all);
    if (all)
        parallel_for(counted->functions.n, function_build, counted);
    for (uint32_t side = 0; side < scene->n_sides; side++)
        if (counted->inferred[side])
            inference_open(&counted->inferences[side], scene, side, module, &counted->functions);
    if (!all)
        return;
    hidden_drop(counted);
    parallel_for(counted->functions.n, function_infer, counted);
}

void counted_module_close(struct counted_module *counted)
{
    for (size_t i = 0; i < counted->functions.n; i++)
        counted_function_release(&counted->functions.at[i]);
    vec_release(&counted->functions);
    for (uint32_t side = 0; side < SIDES_MAX; side++)
        if (counted->inferred[side])
            inference_close(&counted->inferences[side]);
}

const struct counted_function *counted_module_take(struct counted_module *counted, size_t index)
{
    struct counted_function *function = &counted->functions.at[index];
    if (!function->built) {
        function_build(counted, index, 0);
        function_infer(counted, index, 0);
    }
    return function;
}

void counted_module_drop(struct counted_module *counted, size_t index)
{
    counted_function_release(&counted->functions.at[index]);
}
