#include "carry/trees.h"

#include "carry/tables.h"

struct nodes {
    VEC(uint32_t);
};

/* A tree on its way to the new build. */
struct tree {
    struct carry_tables *tables;
    const struct stacks *from;
    struct stacks *into;
    const bool *is_label;       /* of nodes: the address is not code */
    struct nodes becomes, gone; /* of nodes: which they become; the place was not found */
    uint32_t unknown;           /* module */
};

static void node_carry(struct tree *tree, uint32_t i)
{
    struct stack_key key = stacks_key(tree->from, i);
    bool root = key.parent == STACK_NONE, label = tree->is_label && tree->is_label[i];
    uint32_t parent = root ? STACK_NONE : tree->becomes.at[key.parent];
    if (label && !root && tree->gone.at[key.parent]) {
        parent = stacks_node(tree->into, parent, tree->unknown, 0);
        key.module = tree->unknown;
    }
    bool found = label || carry_address(tree->tables, key.module, &key.address);
    *vec_push(&tree->gone) = !found;
    *vec_push(&tree->becomes) =
        found ? stacks_node(tree->into, parent, key.module, key.address) : parent;
}

/* The cell's node in the new tree. */
static uint32_t cell_node(struct tree *tree, const struct stack_cell *cell)
{
    uint32_t node = tree->becomes.at[cell->node];
    return tree->gone.at[cell->node] ? stacks_node(tree->into, node, tree->unknown, 0) : node;
}

/* How much of the module's time has a place. */
static void time_note(struct tree *tree, const struct stack_cell *cell, uint64_t weight)
{
    bool ours = stacks_key(tree->from, cell->node).module == tree->tables->module;
    tree->tables->time += ours ? (double)weight : 0;
    tree->tables->time_kept += ours && !tree->gone.at[cell->node] ? (double)weight : 0;
}

static void tree_carry(struct carry_tables *tables, const struct stacks *from, struct stacks *into,
                       const bool *is_label)
{
    if (!from->nodes.n)
        return;
    struct tree tree = {.tables = tables, .from = from, .into = into, .is_label = is_label};
    tree.unknown = profile_module(tables->into, "[unknown]", NULL, 0);
    for (uint32_t i = 0; i < from->nodes.n; i++)
        node_carry(&tree, i);
    for (uint32_t i = 0; i < from->cells.n; i++) {
        const struct stack_cell *cell = map_key(&from->cells, i);
        if (from == &tables->from->stacks)
            time_note(&tree, cell, from->weights.at[i]);
        stacks_add(into, cell_node(&tree, cell), cell->group, from->weights.at[i]);
    }
    vec_release(&tree.becomes);
    vec_release(&tree.gone);
}

/* Addresses of slices are moments. */
static void slices_carry(struct carry_tables *tables, const struct stacks *from,
                         struct stacks *into)
{
    bool *is_slice = times_slices(from);
    tree_carry(tables, from, into, is_slice);
    mem_free(is_slice);
}

/* Those of the nodes below threads are hashes of names. */
static void events_carry(struct carry_tables *tables)
{
    const struct stacks *from = &tables->from->events;
    bool *is_event = mem_alloc(from->nodes.n + (size_t)1);
    for (uint32_t i = 0; i < from->nodes.n; i++)
        is_event[i] = from->depths.at[i] == 1;
    tree_carry(tables, from, &tables->into->events, is_event);
    mem_free(is_event);
}

/* Returns whether anything of the module was left out. */
static bool others_copy(const struct carry_tables *tables, const struct stacks *from,
                        struct stacks *into)
{
    struct nodes becomes = {0};
    bool lacks = false;
    for (uint32_t i = 0; i < from->nodes.n; i++) {
        struct stack_key key = stacks_key(from, i);
        bool root = key.parent == STACK_NONE;
        uint32_t parent = root ? STACK_NONE : becomes.at[key.parent];
        bool other = key.module != tables->module && (root || parent != STACK_NONE);
        *vec_push(&becomes) =
            other ? stacks_node(into, parent, key.module, key.address) : STACK_NONE;
        lacks |= !other;
    }
    for (uint32_t i = 0; i < from->cells.n; i++) {
        const struct stack_cell *cell = map_key(&from->cells, i);
        if (becomes.at[cell->node] != STACK_NONE)
            stacks_add(into, becomes.at[cell->node], cell->group, from->weights.at[i]);
    }
    vec_release(&becomes);
    return lacks;
}

bool carry_trees_fill(struct carry_tables *tables)
{
    const struct profile *from = tables->from;
    struct profile *into = tables->into;
    tree_carry(tables, &from->stacks, &into->stacks, NULL);
    tree_carry(tables, &from->waits, &into->waits, NULL);
    tree_carry(tables, &from->call_costs, &into->call_costs, NULL);
    slices_carry(tables, &from->times, &into->times);
    slices_carry(tables, &from->wait_times, &into->wait_times);
    events_carry(tables);
    bool lacks = others_copy(tables, &from->passages, &into->passages);
    lacks |= others_copy(tables, &from->series, &into->series);
    return others_copy(tables, &from->context_paths, &into->context_paths) || lacks;
}
