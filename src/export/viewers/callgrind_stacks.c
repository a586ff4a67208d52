#include "export/viewers/callgrind_rows.h"

/* Rows by their keys, so that one place is one row. */
struct gather {
    struct callgrind_rows *rows;
    struct named_places *places;
    struct map keys;
};

struct gather_key {
    uint32_t function, callee; /* callee: of a call, else UINT32_MAX */
    uint32_t file, line;
};

static uint32_t row_add(struct gather *gather, const struct callgrind_row *row)
{
    struct gather_key key = {row->function, row->kind == ROW_CALL ? row->callee : UINT32_MAX,
                             strings_add(&gather->places->strings, row->file), row->line};
    uint32_t i = map_add(&gather->keys, &key);
    if (i == gather->rows->n)
        *vec_push(gather->rows) = *row;
    return i;
}

static uint32_t call_add(struct gather *gather, struct callgrind_row caller,
                         const struct callgrind_row *callee)
{
    const struct place_function *function = &gather->places->functions.at[callee->function];
    caller.kind = ROW_CALL;
    caller.callee = callee->function;
    caller.count = 1;
    caller.to_line = function->line;
    caller.to_file = function->file;
    return row_add(gather, &caller);
}

/* The call by which a sample counts for a function. */
struct arrival {
    uint32_t node; /* the sample's, + 1 */
    uint32_t call; /* row */
};

/* A sample costs each function on its stack once, however often it recurs: by the call of its
 * outermost frame. What a function cost with all that it called is then what the calls of it cost,
 * which is how callgrind_annotate adds up. */
static void node_add(struct gather *gather, const struct tree *tree, const uint32_t *call_of,
                     struct arrival *arrivals, uint32_t node)
{
    struct callgrind_row *rows = gather->rows->at;
    for (uint32_t n = node; n != TREE_NONE; n = tree->at[n].parent)
        if (call_of[n] != UINT32_MAX)
            arrivals[rows[call_of[n]].callee] = (struct arrival){node + 1, call_of[n]};
    for (uint32_t n = node; n != TREE_NONE; n = tree->at[n].parent) {
        if (call_of[n] == UINT32_MAX)
            continue;
        struct arrival *arrival = &arrivals[rows[call_of[n]].callee];
        if (arrival->node == node + 1)
            rows[arrival->call].cost += tree->at[node].weight;
        arrival->node = 0;
    }
}

void callgrind_from_stacks(struct callgrind_rows *rows, struct export_job *job)
{
    const struct tree *tree = &job->tree;
    struct gather gather = {.rows = rows, .places = &job->places};
    struct callgrind_row *at = mem_alloc((tree->n + 1) * sizeof *at);
    uint32_t *call_of = mem_alloc((tree->n + 1) * sizeof *call_of);
    map_init(&gather.keys, sizeof(struct gather_key));
    for (uint32_t i = 0; i < tree->n; i++) {
        const struct tree_node *node = &tree->at[i];
        call_of[i] = UINT32_MAX;
        if (node->parent == TREE_NONE)
            continue;
        at[i] = callgrind_row_at(gather.places, node->module, node->address);
        at[i].address = 0;
        if (tree->at[node->parent].parent != TREE_NONE)
            call_of[i] = call_add(&gather, at[node->parent], &at[i]);
        if (node->weight) {
            uint32_t row = row_add(&gather, &at[i]);
            rows->at[row].cost += node->weight;
        }
    }
    struct arrival *arrivals = mem_alloc((job->places.functions.n + 1) * sizeof *arrivals);
    for (uint32_t i = 0; i < tree->n; i++)
        if (tree->at[i].weight)
            node_add(&gather, tree, call_of, arrivals, i);
    mem_free(arrivals);
    mem_free(call_of);
    mem_free(at);
    map_release(&gather.keys);
}
