#include "analysis/report/plain.h"

#include "analysis/counts/code_owner.h"
#include "program/cfg/cfg_build.h"

#include <string.h>

struct lister {
    struct plain_rows *rows;
    struct plain *plain;
    enum item_by by;
    struct map keys;
    uint32_t evaluator; /* the function of the interpreter that runs Python's; PLAIN_NONE: none */
    /* Rows of node i: from chains.at[first_of[i]] to before chains.at[first_of[i + 1]], the
     * innermost first; more than one only where functions are inlined, or interpreted. */
    uint32_t *first_of;
    struct row_chains {
        VEC(uint32_t);
    } chains;
    uint64_t *places;          /* for each node: its instruction or block; NULL if not wanted */
    uint32_t *bytes;           /* for each node: of its block */
    struct code_frames frames; /* of one place at a time */
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
        if (function->function == FUNCTION_NONE || !function->shown)
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
    uint64_t name;             /* of an inlined function, one pointer for one name of a module */
};

static void row_add(struct lister *lister, struct row_key key, const struct plain_row *row)
{
    uint32_t i = map_add(&lister->keys, &key);
    if (i == lister->rows->n)
        *vec_push(lister->rows) = *row;
    *vec_push(&lister->chains) = i;
}

static void line_add(struct lister *lister, uint64_t at, struct plain_row row)
{
    uint32_t module = lister->plain->functions.at[row.function].module;
    struct binary *binary = scene_binary(lister->plain->scene, module);
    row.at = at;
    if (binary)
        lines_find(binary_lines(binary), (struct svma){at}, &row.file, &row.line);
    row_add(lister, (struct row_key){module, row.line, (uintptr_t)row.file, 0}, &row);
}

static void function_add(struct lister *lister, struct plain_row row)
{
    row.at = lister->plain->functions.at[row.function].start;
    row_add(lister, (struct row_key){row.function, 0, 0, 0}, &row);
}

/* Every inlined function that the place is part of, then the real one. */
static void inline_add(struct lister *lister, uint64_t at, struct plain_row row)
{
    const struct code_frames *frames = &lister->frames;
    struct scene *scene = lister->plain->scene;
    uint32_t module = lister->plain->functions.at[row.function].module;
    code_frames_find(&lister->frames, scene, module, at);
    for (size_t i = 0; i + 1 < frames->n; i++) {
        if (!frames->at[i].linkage)
            continue;
        struct plain_row inlined = row;
        inlined.name = intern_text(&scene->names, frames->at[i].linkage);
        inlined.file = frames->at[i].file;
        row_add(lister,
                (struct row_key){module, 0, (uintptr_t)inlined.file, (uintptr_t)inlined.name},
                &inlined);
    }
    if (frames->n)
        row.file = frames->at[frames->n - 1].file;
    function_add(lister, row);
}

static void call_add(struct lister *lister, uint32_t node, struct plain_row row)
{
    uint32_t caller = lister->plain->parent_of[node];
    row.callee = row.function;
    row.function = lister->plain->function_of[caller];
    if (row.function == PLAIN_NONE || !lister->plain->functions.at[row.function].shown)
        return;
    row.at = lister->places[caller];
    row_add(lister, (struct row_key){row.function, row.callee, row.at, 0}, &row);
}

/* Frames of Python stand where the stack has the interpreter's: what they run is run by it. */
static void interpreter_add(struct lister *lister, uint32_t node)
{
    const struct plain *plain = lister->plain;
    uint32_t module = stacks_key(&plain->profile->stacks, node).module;
    if (lister->evaluator != PLAIN_NONE && profile_module_is_python(plain->profile, module))
        function_add(lister, (struct plain_row){.function = lister->evaluator});
}

/* PLAIN_NONE also if there are several: which of them it was is not known. */
static uint32_t evaluator_find(const struct plain *plain)
{
    uint32_t found = PLAIN_NONE;
    for (uint32_t i = 0; i < plain->functions.n; i++) {
        const struct plain_function *function = &plain->functions.at[i];
        if (!function->shown || strcmp(function->name, "_PyEval_EvalFrameDefault") != 0)
            continue;
        if (found != PLAIN_NONE)
            return PLAIN_NONE;
        found = i;
    }
    return found;
}

static void node_add(struct lister *lister, uint32_t node)
{
    const struct plain *plain = lister->plain;
    uint32_t function = plain->function_of[node];
    struct plain_row row = {.function = function};
    bool aside = !plain->filter.kernel && plain->flags[node] & PLAIN_KERNEL;
    if (function == PLAIN_NONE || aside)
        return;
    if (lister->by == BY_CALL)
        call_add(lister, node, row);
    else if (!plain->functions.at[function].shown)
        return;
    else if (lister->by == BY_LINE)
        line_add(lister, stacks_key(&plain->profile->stacks, node).address, row);
    else if (lister->by == BY_INLINE)
        inline_add(lister, stacks_key(&plain->profile->stacks, node).address, row);
    else if (lister->by == BY_FUNCTION) {
        function_add(lister, row);
        interpreter_add(lister, node);
    } else {
        row.at = lister->places[node];
        row.bytes = lister->bytes[node];
        row_add(lister, (struct row_key){function, 0, row.at, 0}, &row);
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
    const uint32_t *first = lister->first_of;
    if (first[cell->node] < first[cell->node + 1] && weighs && lister->by != BY_CALL)
        groups_add(&lister->rows->at[lister->chains.at[first[cell->node]]].self, cell->group,
                   weight);
    for (uint32_t node = cell->node; node != STACK_NONE; node = plain->parent_of[node])
        for (uint32_t k = first[node]; k < first[node + 1]; k++) {
            uint32_t row = lister->chains.at[k];
            if (stamps[row] == i + 1)
                continue;
            stamps[row] = i + 1;
            struct plain_row *to = &lister->rows->at[row];
            groups_add(weighs ? &to->total : &to->beside, cell->group, weight);
        }
}

void plain_list(struct plain_rows *rows, struct plain *plain, enum item_by by)
{
    uint32_t n = plain->profile->stacks.nodes.n;
    struct lister lister = {
        .rows = rows, .plain = plain, .by = by, .evaluator = evaluator_find(plain)};
    *rows = (struct plain_rows){0};
    map_init(&lister.keys, sizeof(struct row_key));
    lister.first_of = mem_alloc((n + 1) * sizeof *lister.first_of);
    lister.places = mem_alloc((n + 1) * sizeof *lister.places);
    lister.bytes = mem_alloc((n + 1) * sizeof *lister.bytes);
    if (by == BY_INSTRUCTION || by == BY_BLOCK || by == BY_CALL)
        places_find(&lister);
    for (uint32_t node = 0; node < n; node++) {
        node_add(&lister, node);
        lister.first_of[node + 1] = (uint32_t)lister.chains.n;
    }
    uint32_t *stamps = mem_alloc((rows->n + 1) * sizeof *stamps);
    for (uint32_t i = 0; i < plain->profile->stacks.cells.n; i++)
        cell_add(&lister, stamps, i);
    mem_free(stamps);
    mem_free(lister.first_of);
    vec_release(&lister.chains);
    vec_release(&lister.frames);
    mem_free(lister.places);
    mem_free(lister.bytes);
    map_release(&lister.keys);
}

void plain_rows_release(struct plain_rows *rows)
{
    vec_release(rows);
}
