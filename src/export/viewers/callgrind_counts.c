#include "export/viewers/callgrind_rows.h"

#include <stdlib.h>

/* ---- costs */

static void costs_list(struct callgrind_rows *rows, struct export_job *job)
{
    for (size_t i = 0; i < job->tree.n; i++) {
        const struct tree_node *node = &job->tree.at[i];
        if (!node->weight)
            continue;
        struct callgrind_row row = callgrind_row_at(&job->places, node->module, node->address);
        row.cost = node->weight;
        *vec_push(rows) = row;
    }
}

static int node_compare(const void *key, const void *element)
{
    const struct tree_node *x = key, *y = element;
    if (x->module != y->module)
        return x->module < y->module ? -1 : 1;
    return x->address < y->address ? -1 : x->address > y->address;
}

/* The tree's nodes behind its root are sorted. */
static uint64_t weight_at(const struct tree *tree, uint32_t module, uint64_t address)
{
    struct tree_node key = {.module = module, .address = address};
    if (tree->n < 2)
        return 0;
    const struct tree_node *found =
        bsearch(&key, tree->at + 1, tree->n - 1, sizeof *tree->at, node_compare);
    return found ? found->weight : 0;
}

/* ---- edges */

static uint64_t executions(const struct profile *profile, uint64_t count)
{
    const struct quantity quantity = {.count = count};
    double estimate = estimate_count(profile, &quantity).value + 0.5;
    if (profile->mode == PROFILE_EXACT)
        return count;
    return estimate < 0x1p64 ? (uint64_t)estimate : UINT64_MAX;
}

/* False: no call and no jump that callgrind would show. */
static bool edge_row(struct export_job *job, const struct edge_key *key, struct callgrind_row *row)
{
    bool call = key->kind == EDGE_CALL || key->kind == EDGE_ICALL;
    bool jump = key->kind == EDGE_JUMP || key->kind == EDGE_IJUMP;
    bool branch = key->kind == EDGE_TAKEN || key->kind == EDGE_FALL;
    if (!call && !jump && !branch)
        return false;
    *row = callgrind_row_at(&job->places, key->from_module, key->from.v);
    struct callgrind_row target = callgrind_row_at(&job->places, key->to_module, key->to.v);
    bool leaves = row->function != target.function;
    if (key->kind == EDGE_FALL && !leaves)
        return false;
    row->kind = call || leaves ? ROW_CALL : jump ? ROW_JUMP : ROW_BRANCH;
    row->callee = target.function;
    row->to = key->to.v;
    row->to_line = target.line;
    row->to_file = target.file;
    return true;
}

static bool has_costs(const struct export_job *job)
{
    return job->profile->mode == PROFILE_EXACT && job->profile->call_costs.cells.n;
}

static void edges_list(struct callgrind_rows *rows, struct export_job *job)
{
    const struct profile *profile = job->profile;
    for (uint32_t i = 0; i < profile->edges.n; i++) {
        const struct edge_key *key = map_key(&profile->edges.keys, i);
        struct callgrind_row row;
        if (!profile->edges.at[i].count || !edge_row(job, key, &row) ||
            !tree_module_matches(&job->tree, key->from_module))
            continue;
        if (row.kind == ROW_CALL && has_costs(job))
            continue;
        row.count = executions(profile, profile->edges.at[i].count);
        if (row.kind == ROW_BRANCH)
            row.all = job->tree.unit == UNIT_INSTRUCTIONS
                          ? weight_at(&job->tree, key->from_module, key->from.v)
                          : row.count;
        *vec_push(rows) = row;
    }
}

/* ---- calls of a trace, which knows what they cost */

/* The instruction that a byte belongs to: the last that ran and begins at or before it. */
static uint64_t instruction_of(const struct tree *tree, uint32_t module, uint64_t site)
{
    enum { LONGEST = 15 };
    size_t low = 1, high = tree->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct tree_node *node = &tree->at[middle];
        if (node->module < module || (node->module == module && node->address <= site))
            low = middle + 1;
        else
            high = middle;
    }
    const struct tree_node *found = &tree->at[low - 1];
    bool near = low > 1 && found->module == module && site - found->address < LONGEST;
    return near ? found->address : site;
}

static uint64_t cost_of(const struct stacks *costs, uint32_t node, uint32_t group)
{
    struct stack_cell key = {.node = node, .group = group};
    uint32_t at = map_find(&costs->cells, &key);
    return at == MAP_NONE ? 0 : costs->weights.at[at];
}

/* A call whose caller is not known has no place in the format: its cost is what is missing in the
 * sum of all. */
static void costs_of_calls_list(struct callgrind_rows *rows, struct export_job *job)
{
    const struct stacks *costs = &job->profile->call_costs;
    for (uint32_t node = 0; node < costs->nodes.n; node++) {
        struct stack_key callee = stacks_key(costs, node);
        if (callee.parent == STACK_NONE || stacks_key(costs, callee.parent).parent == STACK_NONE)
            continue;
        struct stack_key site = stacks_key(costs, callee.parent);
        if (!tree_module_matches(&job->tree, site.module))
            continue;
        uint64_t from = instruction_of(&job->tree, site.module, site.address);
        struct callgrind_row row = callgrind_row_at(&job->places, site.module, from);
        struct callgrind_row target = callgrind_row_at(&job->places, callee.module, callee.address);
        row.kind = ROW_CALL;
        row.callee = target.function;
        row.to = callee.address;
        row.to_line = target.line;
        row.to_file = target.file;
        row.count = cost_of(costs, node, STACK_CALLS);
        row.cost = cost_of(costs, node, STACK_INSTRUCTIONS);
        *vec_push(rows) = row;
    }
}

/* ---- what calls cost, as far as counts tell */

struct callee {
    uint64_t cost;     /* of itself, then of those it calls that are known */
    uint32_t unknown;  /* calls it makes whose cost is not known yet */
    uint32_t arrivals; /* rows that call it */
    uint32_t row;      /* the last of them */
};

struct callees {
    VEC(struct callee); /* for each function */
};

/* Whether all of the function's runs came by that one row. */
static bool called_once(const struct export_job *job, const struct callee *callee,
                        const struct callgrind_row *row)
{
    const struct place_function *function = &job->places.functions.at[row->callee];
    return callee->arrivals == 1 && row->function != row->callee && row->to == function->start &&
           row->count == weight_at(&job->tree, function->module, function->start);
}

/* From functions that call nothing upwards, as far as each is called from one place. */
static void calls_cost(struct callgrind_rows *rows, const struct export_job *job)
{
    struct callees callees = {0};
    struct ready {
        VEC(uint32_t);
    } ready = {0};
    for (size_t i = 0; i < job->places.functions.n; i++)
        (void)vec_push(&callees);
    for (uint32_t i = 0; i < rows->n; i++) {
        const struct callgrind_row *row = &rows->at[i];
        callees.at[row->function].cost += row->cost;
        if (row->kind != ROW_CALL)
            continue;
        callees.at[row->function].unknown++;
        callees.at[row->callee].arrivals++;
        callees.at[row->callee].row = i;
    }
    for (uint32_t f = 0; f < callees.n; f++)
        if (!callees.at[f].unknown)
            *vec_push(&ready) = f;
    while (ready.n) {
        const struct callee *callee = &callees.at[ready.at[--ready.n]];
        struct callgrind_row *row = &rows->at[callee->row];
        if (!callee->arrivals || !called_once(job, callee, row))
            continue;
        row->cost = callee->cost;
        callees.at[row->function].cost += row->cost;
        if (!--callees.at[row->function].unknown)
            *vec_push(&ready) = row->function;
    }
    vec_release(&callees);
    vec_release(&ready);
}

void callgrind_from_counts(struct callgrind_rows *rows, struct export_job *job)
{
    costs_list(rows, job);
    edges_list(rows, job);
    if (has_costs(job))
        costs_of_calls_list(rows, job);
    else if (job->profile->mode == PROFILE_EXACT && !job->options->filter.module)
        calls_cost(rows, job);
}
