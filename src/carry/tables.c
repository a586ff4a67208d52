#include "carry/tables.h"

#include "profile/sums.h"

/* An address of any module, in the new build; false: it has none. */
static bool address_carry(struct carry_tables *tables, uint32_t module, uint64_t *at)
{
    return module != tables->module || carry_places_find(&tables->places, *at, at);
}

/* ---- edges */

static bool inside(const struct carry_tables *tables, const struct edge_key *key)
{
    const struct carry_places *places = &tables->places;
    return key->from_module == key->to_module &&
           scene_function_at(places->scene, places->module, key->from.v) ==
               scene_function_at(places->scene, places->module, key->to.v);
}

/* Whether rows of a function have said it. */
static bool edge_follows(const struct carry_tables *tables, const struct edge_key *key)
{
    switch ((enum edge_kind)key->kind) {
    case EDGE_ICALL: return false;
    case EDGE_IJUMP: return inside(tables, key);
    case EDGE_RETURN: return carry_places_behind(&tables->places, key->to.v);
    default: return true;
    }
}

static void edges_carry(struct carry_tables *tables)
{
    const struct table *edges = &tables->from->edges;
    for (uint32_t i = 0; i < edges->n; i++) {
        struct edge_key key = *(const struct edge_key *)map_key(&edges->keys, i);
        bool ours = key.from_module == tables->module ||
                    (key.kind == EDGE_RETURN && key.to_module == tables->module);
        if (ours && edge_follows(tables, &key))
            continue;
        if (address_carry(tables, key.from_module, &key.from.v) &&
            address_carry(tables, key.to_module, &key.to.v))
            sums_add(table_at(&tables->into->edges, &key), &edges->at[i]);
    }
}

/* ---- runs of instructions, and of loops */

static void ranges_copy(struct carry_tables *tables)
{
    const struct table *ranges = &tables->from->ranges;
    for (uint32_t i = 0; i < ranges->n; i++) {
        const struct range_key *key = map_key(&ranges->keys, i);
        if (key->module != tables->module)
            sums_add(table_at(&tables->into->ranges, key), &ranges->at[i]);
    }
}

static void trips_carry(struct carry_tables *tables)
{
    const struct table *trips = &tables->from->trips;
    for (uint32_t i = 0; i < trips->n; i++) {
        struct trip_key key = *(const struct trip_key *)map_key(&trips->keys, i);
        if (address_carry(tables, key.module, &key.head.v))
            sums_add(table_at(&tables->into->trips, &key), &trips->at[i]);
    }
}

/* ---- stacks */

struct nodes {
    VEC(uint32_t);
};

/* A frame that has no place is left out: who called it called what it called. What was seen with it
 * innermost was seen somewhere in the module. */
static void stacks_carry(struct carry_tables *tables)
{
    const struct stacks *from = &tables->from->stacks;
    struct stacks *into = &tables->into->stacks;
    struct nodes nodes = {0}, gone = {0};
    uint32_t unknown = profile_module(tables->into, "[unknown]", NULL, 0);
    for (uint32_t i = 0; i < from->nodes.n; i++) {
        struct stack_key key = stacks_key(from, i);
        uint32_t parent = key.parent == STACK_NONE ? STACK_NONE : nodes.at[key.parent];
        bool found = address_carry(tables, key.module, &key.address);
        *vec_push(&gone) = !found;
        *vec_push(&nodes) = found ? stacks_node(into, parent, key.module, key.address) : parent;
    }
    for (uint32_t i = 0; i < from->cells.n; i++) {
        const struct stack_cell *cell = map_key(&from->cells, i);
        uint32_t node = nodes.at[cell->node];
        bool ours = stacks_key(from, cell->node).module == tables->module;
        tables->time += ours ? (double)from->weights.at[i] : 0;
        tables->time_kept += ours && !gone.at[cell->node] ? (double)from->weights.at[i] : 0;
        if (gone.at[cell->node])
            node = stacks_node(into, node, unknown, 0);
        stacks_add(into, node, cell->group, from->weights.at[i]);
    }
    vec_release(&nodes);
    vec_release(&gone);
}

void carry_tables_fill(struct carry_tables *tables)
{
    ranges_copy(tables);
    edges_carry(tables);
    trips_carry(tables);
    if (tables->from->stacks.nodes.n)
        stacks_carry(tables);
}
