#include "view/plain.h"

#include <stdlib.h>

struct lister {
    struct plain_rows *rows;
    struct plain *plain;
    enum item_by by;
    struct map keys;
    uint32_t *row_of; /* for each node; PLAIN_NONE: it has none */
    uint64_t *places; /* for each node: its instruction or block; NULL if not wanted */
    uint32_t *bytes;  /* for each node: of its block */
};

/* ---- instructions and blocks */

/* The instruction that the address lies in: a caller's lies inside of its call. */
static uint32_t instruction_around(const struct cfg *cfg, uint64_t at)
{
    enum { LONGEST = 15 };
    for (uint64_t back = 0; back < LONGEST && back <= at; back++) {
        uint32_t i = cfg_find(cfg, (struct svma){at - back});
        if (i != INSTRUCTION_NONE && cfg->instructions.at[i].bytes > back)
            return i;
    }
    return INSTRUCTION_NONE;
}

static void node_place(struct lister *lister, const struct cfg *cfg, uint32_t node)
{
    uint32_t i = instruction_around(cfg, lister->places[node]);
    if (i == INSTRUCTION_NONE)
        return;
    lister->places[node] = cfg->instructions.at[i].at.v;
    if (lister->by != BY_BLOCK)
        return;
    const struct cfg_block *block = &cfg->blocks.at[cfg->block_of[i]];
    lister->places[node] = block->start.v;
    lister->bytes[node] = block->bytes;
}

/* Nodes by function, so that each graph is built once and one at a time. */
static void places_find(struct lister *lister)
{
    const struct plain *plain = lister->plain;
    uint32_t n = plain->profile->stacks.nodes.n, functions = (uint32_t)plain->functions.n;
    uint32_t *starts = mem_alloc((functions + 2) * sizeof *starts);
    uint32_t *nodes = mem_alloc((n + 1) * sizeof *nodes);
    for (uint32_t node = 0; node < n; node++) {
        lister->places[node] = stacks_key(&plain->profile->stacks, node).address;
        if (plain->function_of[node] != PLAIN_NONE)
            starts[plain->function_of[node] + 2]++;
    }
    for (uint32_t f = 0; f < functions; f++)
        starts[f + 2] += starts[f + 1];
    for (uint32_t node = 0; node < n; node++)
        if (plain->function_of[node] != PLAIN_NONE)
            nodes[starts[plain->function_of[node] + 1]++] = node;
    for (uint32_t f = 0; f < functions; f++) {
        const struct plain_function *function = &plain->functions.at[f];
        if (function->function == FUNCTION_NONE)
            continue;
        const struct binary *binary = plain->scene->modules.at[function->module].binary;
        struct cfg cfg;
        cfg_build(&cfg, &binary->image, &binary->symbols, function->function, NULL, 0);
        for (uint32_t i = starts[f]; i < starts[f + 1]; i++)
            node_place(lister, &cfg, nodes[i]);
        cfg_release(&cfg);
    }
    mem_free(starts);
    mem_free(nodes);
}

/* ---- which row */

struct row_key {
    uint32_t function, callee; /* callee: or a line's number */
    uint64_t at;               /* or a line's file, one pointer for one file of a module */
};

static uint32_t row_add(struct lister *lister, struct row_key key, const struct plain_row *row)
{
    uint32_t i = map_add(&lister->keys, &key);
    if (i == lister->rows->n)
        *vec_push(lister->rows) = *row;
    return i;
}

static uint32_t line_row(struct lister *lister, uint32_t node, struct plain_row row)
{
    const struct plain_function *function = &lister->plain->functions.at[row.function];
    if (function->module >= lister->plain->scene->modules.n)
        return row_add(lister, (struct row_key){MODULE_NONE, 0, 0}, &row);
    struct binary *binary = lister->plain->scene->modules.at[function->module].binary;
    uint64_t at = stacks_key(&lister->plain->profile->stacks, node).address;
    if (binary)
        lines_find(binary_lines(binary), (struct svma){at}, &row.file, &row.line);
    return row_add(lister, (struct row_key){function->module, row.line, (uintptr_t)row.file}, &row);
}

static uint32_t call_row(struct lister *lister, uint32_t node, struct plain_row row)
{
    uint32_t caller = lister->plain->parent_of[node];
    row.callee = row.function;
    row.function = lister->plain->function_of[caller];
    if (row.function == PLAIN_NONE)
        return PLAIN_NONE;
    row.at = lister->places[caller];
    return row_add(lister, (struct row_key){row.function, row.callee, row.at}, &row);
}

static uint32_t node_row(struct lister *lister, uint32_t node)
{
    uint32_t function = lister->plain->function_of[node];
    struct plain_row row = {.function = function};
    if (function == PLAIN_NONE)
        return PLAIN_NONE;
    switch (lister->by) {
    case BY_LINE: return line_row(lister, node, row);
    case BY_CALL: return call_row(lister, node, row);
    case BY_INSTRUCTION:
    case BY_BLOCK:
        row.at = lister->places[node];
        row.bytes = lister->bytes[node];
        return row_add(lister, (struct row_key){function, 0, row.at}, &row);
    default:
        row.at = lister->plain->functions.at[function].start;
        return row_add(lister, (struct row_key){function, 0, 0}, &row);
    }
}

/* ---- weights */

/* Up the stack, each row once: `stamps` has, for each row, the last cell that was added to it. */
static void cell_add(struct lister *lister, uint32_t *stamps, uint32_t i)
{
    const struct plain *plain = lister->plain;
    const struct stacks *stacks = &plain->profile->stacks;
    const struct stack_cell *cell = map_key(&stacks->cells, i);
    uint64_t weight = stacks->weights.at[i];
    if (!(plain->flags[cell->node] & PLAIN_KEPT))
        return;
    bool weighs = plain->filter.kernel == !!(plain->flags[cell->node] & PLAIN_KERNEL);
    uint32_t own = lister->row_of[cell->node];
    if (own != PLAIN_NONE && weighs && lister->by != BY_CALL)
        groups_add(&lister->rows->at[own].self, cell->group, weight);
    for (uint32_t node = cell->node; node != STACK_NONE; node = plain->parent_of[node]) {
        uint32_t row = lister->row_of[node];
        if (row == PLAIN_NONE || stamps[row] == i + 1)
            continue;
        stamps[row] = i + 1;
        struct plain_row *to = &lister->rows->at[row];
        groups_add(weighs ? &to->total : &to->beside, cell->group, weight);
    }
}

void plain_list(struct plain_rows *rows, struct plain *plain, enum item_by by)
{
    uint32_t n = plain->profile->stacks.nodes.n;
    struct lister lister = {.rows = rows, .plain = plain, .by = by};
    *rows = (struct plain_rows){0};
    map_init(&lister.keys, sizeof(struct row_key));
    lister.row_of = mem_alloc((n + 1) * sizeof *lister.row_of);
    lister.places = mem_alloc((n + 1) * sizeof *lister.places);
    lister.bytes = mem_alloc((n + 1) * sizeof *lister.bytes);
    if (by == BY_INSTRUCTION || by == BY_BLOCK || by == BY_CALL)
        places_find(&lister);
    for (uint32_t node = 0; node < n; node++)
        lister.row_of[node] = node_row(&lister, node);
    uint32_t *stamps = mem_alloc((rows->n + 1) * sizeof *stamps);
    for (uint32_t i = 0; i < plain->profile->stacks.cells.n; i++)
        cell_add(&lister, stamps, i);
    mem_free(stamps);
    mem_free(lister.row_of);
    mem_free(lister.places);
    mem_free(lister.bytes);
    map_release(&lister.keys);
}

void plain_rows_release(struct plain_rows *rows)
{
    vec_release(rows);
}
