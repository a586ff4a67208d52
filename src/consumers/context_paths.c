#include "consumers/context_paths.h"

#include "base/memory.h"
#include "consumers/trace_contexts.h"
#include "profile/profile.h"

void context_paths_init(struct context_paths *paths)
{
    *paths = (struct context_paths){0};
    map_init(&paths->keys, sizeof(struct context_path_key));
}

void context_paths_release(struct context_paths *paths)
{
    map_release(&paths->keys);
    vec_release(paths);
}

void context_paths_count(struct context_paths *paths, const struct context_path_key *key,
                         const struct step_cost_sum *costs)
{
    uint32_t index = map_add(&paths->keys, key);
    if (index == paths->n)
        *vec_push(paths) = (struct context_path){0};
    paths->at[index].count++;
    step_cost_add(&paths->at[index].costs, costs);
}

void context_paths_give(const struct context_paths *paths, const struct trace_contexts *contexts,
                        struct profile *profile, uint32_t pid)
{
    struct stacks *stacks = &profile->context_paths;
    if (!paths->n)
        return;
    uint32_t *leaves = trace_contexts_leaves(contexts, stacks, pid);
    for (uint32_t i = 0; i < paths->n; i++) {
        struct context_path_key key;
        memcpy(&key, map_key(&paths->keys, i), sizeof key);
        uint32_t leaf = leaves[key.node];
        struct stack_key function = stacks_key(stacks, leaf);
        if (function.module != key.module || function.address != key.function ||
            function.parent == STACK_NONE)
            continue;
        uint32_t node = stacks_node(stacks, leaf, key.module, key.path);
        stacks_add(stacks, node, STACK_CALLS, paths->at[i].count);
        for (uint32_t cost = 0; cost < MODEL_COSTS; cost++)
            if (paths->at[i].costs.of[cost])
                stacks_add(stacks, node, model_cost_group(cost), paths->at[i].costs.of[cost]);
    }
    mem_free(leaves);
}
