#include "lab/paths/tree.h"

#include "base/map.h"
#include "profile/profile.h"
#include "analysis/counts/scene.h"

struct shape {
    double nodes, interior, leaves, heights; /* heights: of leaves, added up */
    uint32_t height, replicas;
};

/* Of all call records of a function, or of an address that no function has. */
static uint32_t most_replicas(const struct lab_recording *recording)
{
    const struct stacks *stacks = &recording->profile->stacks;
    struct map functions;
    struct {
        VEC(uint32_t);
    } counts = {0};
    uint32_t most = 0;
    map_init(&functions, 2 * sizeof(uint64_t));
    for (uint32_t i = 0; i < stacks->nodes.n; i++) {
        struct stack_key key = stacks_key(stacks, i);
        uint32_t module = scene_module(recording->scene, 0, key.module);
        function_id f = module == MODULE_NONE
                            ? FUNCTION_NONE
                            : scene_function_at(recording->scene, module, key.address);
        uint64_t function[2] = {module, f == FUNCTION_NONE ? key.address : f};
        uint32_t index = map_add(&functions, function);
        if (index == counts.n)
            *vec_push(&counts) = 0;
        if (++counts.at[index] > most)
            most = counts.at[index];
    }
    map_release(&functions);
    vec_release(&counts);
    return most;
}

static struct shape tree_measure(const struct stacks *stacks)
{
    struct shape shape = {.nodes = stacks->nodes.n};
    uint32_t n = (uint32_t)stacks->nodes.n;
    uint32_t *children = mem_alloc((n + 1) * sizeof *children);
    uint32_t *depth = mem_alloc((n + 1) * sizeof *depth);
    for (uint32_t i = 0; i < n; i++) { /* parents come before their children */
        struct stack_key key = stacks_key(stacks, i);
        depth[i] = key.parent == STACK_NONE ? 1 : depth[key.parent] + 1;
        if (key.parent != STACK_NONE)
            children[key.parent]++;
    }
    for (uint32_t i = 0; i < n; i++) {
        shape.interior += children[i] != 0;
        shape.leaves += children[i] == 0;
        shape.heights += children[i] == 0 ? depth[i] : 0;
        if (depth[i] > shape.height)
            shape.height = depth[i];
    }
    mem_free(children);
    mem_free(depth);
    return shape;
}

static void tree_fill(struct lab_row *row, const struct lab_recording *recording,
                      const struct lab_recording *base)
{
    (void)base;
    struct shape shape = tree_measure(&recording->profile->stacks);
    lab_cell(row, "%.1e", (double)recording->file_bytes);
    lab_cell(row, "%.0f", shape.nodes);
    lab_cell(row, "%.1f", shape.interior > 0 ? (shape.nodes - 1) / shape.interior : 0);
    lab_cell(row, "%.1f", shape.leaves > 0 ? shape.heights / shape.leaves : 0);
    lab_cell(row, "%u", shape.height);
    lab_cell(row, "%u", most_replicas(recording));
}

static const char *const tree_columns[] = {"recording",       "size",       "nodes",
                                           "out degree",      "height avg", "height max",
                                           "max replication", NULL};
const struct lab_table lab_tree = {
    .name = "paths-3",
    .title = "the tree of calling contexts, as recordings that have stacks have it",
    .columns = tree_columns,
    .fill = tree_fill};
