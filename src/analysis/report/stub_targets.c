#include "analysis/report/stub_targets.h"

#include <string.h>

bool stub_is_of(const char *stub, const char *name)
{
    size_t bytes = strlen(name);
    return strncmp(stub, name, bytes) == 0 && strcmp(stub + bytes, "@plt") == 0;
}

bool function_is_stub(const struct scene *scene, uint32_t module, function_id function)
{
    const struct binary *binary = scene_binary(scene, module);
    return binary && function != FUNCTION_NONE &&
           binary->symbols.functions.at[function].source == FUNCTION_STUB;
}

/* The first jump of a stub that is bound late leads to the loader: others outnumber it. */
void stub_targets_find(struct stub_targets *stubs, const struct scene *scene, uint32_t side)
{
    const struct profile *profile = scene->sides[side];
    *stubs = (struct stub_targets){.scene = scene};
    map_init(&stubs->keys, 2 * sizeof(uint32_t));
    for (uint32_t i = 0; i < profile->edges.n; i++) {
        const struct edge_key *key = map_key(&profile->edges.keys, i);
        uint64_t count = profile->edges.at[i].count;
        if ((key->kind != EDGE_IJUMP && key->kind != EDGE_JUMP) || key->from_module == MODULE_NONE)
            continue;
        uint32_t module = scene_module(scene, side, key->from_module);
        uint32_t to_module = scene_module(scene, side, key->to_module);
        function_id function = scene_function_at(scene, module, key->from.v);
        if (!function_is_stub(scene, module, function) ||
            function_is_stub(scene, to_module, scene_function_at(scene, to_module, key->to.v)))
            continue;
        uint32_t place = map_add(&stubs->keys, (uint32_t[]){module, function});
        if (place == stubs->n)
            *vec_push(stubs) = (struct stub_target){0};
        if (count > stubs->at[place].count)
            stubs->at[place] = (struct stub_target){to_module, key->to.v, count};
    }
}

void stub_targets_release(struct stub_targets *stubs)
{
    map_release(&stubs->keys);
    vec_release(stubs);
}

const struct stub_target *stub_target(const struct stub_targets *stubs, uint32_t module,
                                      function_id function)
{
    uint32_t place = map_find(&stubs->keys, (uint32_t[]){module, function});
    return place == MAP_NONE || !stubs->at[place].count ? NULL : &stubs->at[place];
}
