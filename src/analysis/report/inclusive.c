#include "analysis/report/inclusive.h"

#include "profile/sums.h"

void inclusive_make(struct inclusive *inclusive, const struct scene *scene, uint32_t side)
{
    const struct stacks *costs = &scene->sides[side]->call_costs;
    *inclusive = (struct inclusive){0};
    map_init(&inclusive->keys, 2 * sizeof(uint64_t));
    for (uint32_t i = 0; i < costs->cells.n; i++) {
        const struct stack_cell *cell = map_key(&costs->cells, i);
        if (cell->group != STACK_INSTRUCTIONS)
            continue;
        struct stack_key of = stacks_key(costs, cell->node);
        uint64_t key[2] = {scene_module(scene, side, of.module), of.address};
        uint32_t place = map_add(&inclusive->keys, key);
        if (place == inclusive->n)
            *vec_push(inclusive) = 0;
        sum_add(&inclusive->at[place], costs->weights.at[i]);
    }
}

void inclusive_release(struct inclusive *inclusive)
{
    map_release(&inclusive->keys);
    vec_release(inclusive);
}

bool inclusive_find(const struct inclusive *inclusive, uint32_t module, uint64_t start,
                    uint64_t *ret_instructions)
{
    uint64_t key[2] = {module, start};
    uint32_t place = inclusive->n ? map_find(&inclusive->keys, key) : MAP_NONE;
    if (place == MAP_NONE)
        return false;
    *ret_instructions = inclusive->at[place];
    return true;
}
