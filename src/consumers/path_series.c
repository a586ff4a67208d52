#include "consumers/path_series.h"

#include "profile/sums.h"

/* No padding: compared by bytes. */
struct series_key {
    uint32_t parent; /* MAP_NONE: of the function */
    uint32_t module;
    uint64_t number; /* of the path; of the function, its entry */
};

void path_series_init(struct path_series *series)
{
    *series = (struct path_series){0};
    map_init(&series->keys, sizeof(struct series_key));
}

void path_series_release(struct path_series *series)
{
    map_release(&series->keys);
    vec_release(&series->nodes);
}

static uint32_t node_of(struct path_series *series, uint32_t parent, uint32_t module,
                        uint64_t number)
{
    uint32_t node = map_add(&series->keys, &(struct series_key){parent, module, number});
    if (node == series->nodes.n)
        *vec_push(&series->nodes) = (struct series_node){.next = MAP_NONE};
    return node;
}

uint32_t path_series_root(struct path_series *series, struct place function)
{
    return node_of(series, MAP_NONE, function.module, function.address.v);
}

static uint32_t node_below(struct path_series *series, uint32_t parent, uint64_t path)
{
    const struct series_node *known = &series->nodes.at[parent];
    if (known->next != MAP_NONE && known->number == path)
        return known->next;
    const struct series_key *key = map_key(&series->keys, parent);
    uint32_t node = node_of(series, parent, key->module, path);
    series->nodes.at[parent].number = path;
    return series->nodes.at[parent].next = node;
}

void path_series_step(struct path_series *series, struct series_ended *ended, uint32_t root,
                      uint64_t path, uint64_t begin)
{
    ended->n += ended->n < SERIES_PATHS;
    for (uint32_t i = ended->n - 1; i; i--) {
        ended->nodes[i] = node_below(series, ended->nodes[i - 1], path);
        ended->begins[i] = ended->begins[i - 1];
    }
    ended->nodes[0] = node_below(series, root, path);
    ended->begins[0] = begin;
}

void path_series_count(struct path_series *series, uint32_t node, uint64_t weight)
{
    sum_add(&series->nodes.at[node].count, weight);
}

/* The node of the profile; those above it are made when first asked for. */
static uint32_t node_in(const struct path_series *series, struct stacks *to, uint32_t *known,
                        uint32_t node)
{
    if (node == MAP_NONE)
        return stacks_node(to, STACK_NONE, MODULE_NONE, 0);
    if (!known[node]) {
        const struct series_key *key = map_key(&series->keys, node);
        uint32_t parent = node_in(series, to, known, key->parent);
        known[node] = stacks_node(to, parent, key->module, key->number) + 1;
    }
    return known[node] - 1;
}

void path_series_give(struct path_series *series, struct profile *profile, uint32_t group)
{
    uint32_t *known = mem_alloc((series->nodes.n + 1) * sizeof *known);
    for (uint32_t i = 0; i < series->nodes.n; i++) {
        uint64_t *count = &series->nodes.at[i].count;
        if (*count)
            stacks_add(&profile->series, node_in(series, &profile->series, known, i), group,
                       *count);
        *count = 0;
    }
    mem_free(known);
}
