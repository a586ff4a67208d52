#include "analysis/counts/counted.h"

#include "base/err.h"
#include "program/cfg/cfg_build.h"

struct seen {
    VEC(struct cfg_seen);
};

/* What an edge shows to the function at one or both of its ends. Falling on past a cut or a system
 * call shows no target: where a recording cuts is its own affair. */
static void seen_add(struct seen *seen, const struct scene *scene, const struct touch *touch)
{
    const struct edge_key *key = map_key(&scene->sides[touch->side]->edges.keys, touch->record);
    bool from_here = scene_module(scene, touch->side, key->from_module) == touch->module;
    bool to_here = scene_module(scene, touch->side, key->to_module) == touch->module;
    if (key->kind == EDGE_SPLIT || key->kind == EDGE_SYSCALL || !to_here)
        return;
    *vec_push(seen) = (struct cfg_seen){.from = from_here ? key->from : (struct svma){0},
                                        .to = key->to,
                                        .returned = key->kind == EDGE_RETURN};
}

static void graph_build(struct cfg *cfg, const struct scene *scene,
                        const struct scene_function *function)
{
    const struct scene_module *module = &scene->modules.at[function->module];
    ASSERT(module->binary && function->function != FUNCTION_NONE);
    struct seen seen = {0};
    for (size_t i = 0; i < function->n_touches; i++) {
        const struct touch *touch = &scene->touches.at[function->first_touch + i];
        if (touch->kind == TOUCH_OUT || touch->kind == TOUCH_IN)
            seen_add(&seen, scene, touch);
    }
    cfg_build(cfg, &module->binary->image, &module->binary->symbols, function->function, seen.at,
              seen.n);
    vec_release(&seen);
}

void counted_function_build(struct counted_function *function, const struct scene *scene,
                            struct scene_function seen)
{
    *function = (struct counted_function){.seen = seen, .built = true};
    graph_build(&function->cfg, scene, &seen);
    for (uint32_t side = 0; side < scene->n_sides; side++)
        flow_build(&function->flows[side], scene, &function->seen, side, &function->cfg);
}

void counted_function_release(struct counted_function *function)
{
    if (!function->built)
        return;
    cfg_release(&function->cfg);
    for (uint32_t side = 0; side < SIDES_MAX; side++)
        flow_release(&function->flows[side]);
    function->built = false;
}
