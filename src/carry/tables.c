#include "carry/tables.h"

#include "carry/trees.h"
#include "profile/sums.h"

bool carry_address(struct carry_tables *tables, uint32_t module, uint64_t *at)
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
        if (carry_address(tables, key.from_module, &key.from.v) &&
            carry_address(tables, key.to_module, &key.to.v))
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
        if (carry_address(tables, key.module, &key.head.v))
            sums_add(table_at(&tables->into->trips, &key), &trips->at[i]);
    }
}

/* ---- loads, and conflicts of accesses */

static void latencies_carry(struct carry_tables *tables)
{
    const struct table *latencies = &tables->from->latencies;
    for (uint32_t i = 0; i < latencies->n; i++) {
        struct latency_key key = *(const struct latency_key *)map_key(&latencies->keys, i);
        if (carry_address(tables, key.module, &key.address.v))
            sums_add(table_at(&tables->into->latencies, &key), &latencies->at[i]);
    }
}

static void conflicts_carry(struct carry_tables *tables)
{
    const struct table *conflicts = &tables->from->conflicts;
    for (uint32_t i = 0; i < conflicts->n; i++) {
        struct conflict_key key = *(const struct conflict_key *)map_key(&conflicts->keys, i);
        if (carry_address(tables, key.from_module, &key.from.v) &&
            carry_address(tables, key.to_module, &key.to.v))
            sums_add(table_at(&tables->into->conflicts, &key), &conflicts->at[i]);
    }
}

static void called_carry(struct carry_tables *tables)
{
    const struct table *called = &tables->from->called;
    for (uint32_t i = 0; i < called->n; i++) {
        struct called_key key = *(const struct called_key *)map_key(&called->keys, i);
        if (carry_address(tables, key.from_module, &key.from.v) &&
            carry_address(tables, key.to_module, &key.to.v) &&
            carry_address(tables, key.from_caller_module, &key.from_caller.v) &&
            carry_address(tables, key.to_caller_module, &key.to_caller.v))
            sums_add(table_at(&tables->into->called, &key), &called->at[i]);
    }
}

/* ---- the order of first execution */

static void firsts_carry(struct carry_tables *tables)
{
    const struct table *firsts = &tables->from->firsts;
    for (uint32_t i = 0; i < firsts->n; i++) {
        struct first_key key = *(const struct first_key *)map_key(&firsts->keys, i);
        if (carry_address(tables, key.module, &key.at.v))
            sums_add(table_at(&tables->into->firsts, &key), &firsts->at[i]);
    }
}

/* ---- what only the old code had */

/* Values are those of its registers and of its data. */
static bool values_copy(struct carry_tables *tables)
{
    const struct table *values = &tables->from->values;
    uint32_t ours = tables->module;
    bool lacks = false;
    for (uint32_t i = 0; i < values->n; i++) {
        const struct value_key *key = map_key(&values->keys, i);
        if (key->module == ours || key->to == ours || key->caller_module == ours)
            lacks = true;
        else
            sums_add(table_at(&tables->into->values, key), &values->at[i]);
    }
    return lacks;
}

/* Rows of paths, which are numbers, or of a modelled core: keys begin with the module. */
static bool others_copy(const struct carry_tables *tables, const struct table *from,
                        struct table *into)
{
    bool lacks = false;
    for (uint32_t i = 0; i < from->n; i++) {
        const uint32_t *module = map_key(&from->keys, i);
        if (*module == tables->module)
            lacks = true;
        else
            sums_add(table_at(into, module), &from->at[i]);
    }
    return lacks;
}

void carry_tables_fill(struct carry_tables *tables)
{
    const struct profile *from = tables->from;
    struct profile *into = tables->into;
    ranges_copy(tables);
    edges_carry(tables);
    trips_carry(tables);
    latencies_carry(tables);
    conflicts_carry(tables);
    called_carry(tables);
    firsts_carry(tables);
    bool paths = others_copy(tables, &from->paths, &into->paths);
    tables->lacks_paths = carry_trees_fill(tables) || paths || from->path_parts.n;
    tables->lacks_values = values_copy(tables);
    tables->lacks_model =
        others_copy(tables, &from->modelled, &into->modelled) || from->windows.n || from->samples.n;
}
