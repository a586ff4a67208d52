#include "analysis/report/plain.h"

#include "analysis/report/stub_targets.h"

/* Without jumps that were seen, by its name: that of a function of another module. */
static uint32_t named_as(const struct plain *plain, const struct plain_function *stub)
{
    for (uint32_t i = 0; i < plain->functions.n; i++) {
        const struct plain_function *function = &plain->functions.at[i];
        if (function->module != stub->module && stub_is_of(stub->name, function->name))
            return i;
    }
    return PLAIN_NONE;
}

static uint32_t jumped_to(struct plain *plain, const struct stub_target *target)
{
    struct scene *scene = plain->scene;
    function_id function = scene_function_at(scene, target->module, target->at);
    const struct binary *binary = scene_binary(scene, target->module);
    if (!binary || function == FUNCTION_NONE)
        return PLAIN_NONE;
    const char *name = scene_function_name(scene, target->module, function);
    return plain_function_add(
        plain, (struct plain_function){
                   .module = target->module,
                   .function = function,
                   .start = binary->symbols.functions.at[function].start.v,
                   .name = name,
                   .shown = scene->modules.at[target->module].shown &&
                            scene_function_wanted(scene, target->module, function, name)});
}

static uint32_t target_of(struct plain *plain, const struct stub_targets *stubs, uint32_t i)
{
    const struct plain_function stub = plain->functions.at[i];
    if (stub.module >= plain->scene->modules.n ||
        !function_is_stub(plain->scene, stub.module, stub.function))
        return PLAIN_NONE;
    const struct stub_target *target = stub_target(stubs, stub.module, stub.function);
    return target ? jumped_to(plain, target) : named_as(plain, &stub);
}

void plain_fold_stubs(struct plain *plain)
{
    struct stub_targets stubs;
    struct targets {
        VEC(uint32_t);
    } targets = {0};
    size_t n = plain->functions.n; /* targets that are new are no stubs */
    if (plain->profile->mode == PROFILE_EXACT)
        return;
    stub_targets_find(&stubs, plain->scene, plain->side);
    for (uint32_t i = 0; i < n; i++)
        *vec_push(&targets) = target_of(plain, &stubs, i);
    for (uint32_t node = 0; node < plain->profile->stacks.nodes.n; node++) {
        uint32_t function = plain->function_of[node];
        if (function == PLAIN_NONE || targets.at[function] == PLAIN_NONE)
            continue;
        plain->function_of[node] = targets.at[function];
        plain->flags[node] |= PLAIN_STUB;
    }
    vec_release(&targets);
    stub_targets_release(&stubs);
}
