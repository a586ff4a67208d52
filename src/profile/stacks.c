#include "profile/stacks.h"

#include "base/err.h"
#include "profile/sums.h"

#include <string.h>

void stacks_init(struct stacks *stacks)
{
    *stacks = (struct stacks){0};
    map_init(&stacks->nodes, sizeof(struct stack_key));
    map_init(&stacks->cells, sizeof(struct stack_cell));
}

void stacks_release(struct stacks *stacks)
{
    map_release(&stacks->nodes);
    map_release(&stacks->cells);
    vec_release(&stacks->depths);
    vec_release(&stacks->weights);
}

void stacks_clear(struct stacks *stacks)
{
    map_clear(&stacks->nodes);
    map_clear(&stacks->cells);
    stacks->depths.n = stacks->weights.n = 0;
}

uint32_t stacks_node(struct stacks *stacks, uint32_t parent, uint32_t module, uint64_t address)
{
    ASSERT(parent == STACK_NONE || parent < stacks->nodes.n);
    unsigned depth = parent == STACK_NONE ? 0 : stacks->depths.at[parent] + 1u;
    if (depth == STACK_DEPTH_MAX)
        return parent;
    struct stack_key key = {parent, module, address};
    uint32_t node = map_add(&stacks->nodes, &key);
    if (node == stacks->depths.n)
        *vec_push(&stacks->depths) = (uint16_t)depth;
    return node;
}

struct stack_key stacks_key(const struct stacks *stacks, uint32_t node)
{
    struct stack_key key;
    ASSERT(node < stacks->nodes.n);
    memcpy(&key, map_key(&stacks->nodes, node), sizeof key);
    return key;
}

bool stacks_have_callers(const struct stacks *stacks)
{
    for (size_t i = 0; i < stacks->depths.n; i++)
        if (stacks->depths.at[i] > 1)
            return true;
    return false;
}

void stacks_add(struct stacks *stacks, uint32_t node, uint32_t group, uint64_t weight)
{
    ASSERT(node < stacks->nodes.n && group < STACK_GROUPS);
    if (!weight)
        return;
    struct stack_cell cell = {node, group};
    uint32_t index = map_add(&stacks->cells, &cell);
    if (index == stacks->weights.n)
        *vec_push(&stacks->weights) = 0;
    uint64_t *sum = &stacks->weights.at[index];
    if (!(stacks->maxima >> group & 1))
        sum_add(sum, weight);
    else if (weight > *sum)
        *sum = weight;
}
