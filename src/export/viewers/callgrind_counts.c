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

static void edges_list(struct callgrind_rows *rows, struct export_job *job)
{
    const struct profile *profile = job->profile;
    for (uint32_t i = 0; i < profile->edges.n; i++) {
        const struct edge_key *key = map_key(&profile->edges.keys, i);
        struct callgrind_row row;
        if (!profile->edges.at[i].count || !edge_row(job, key, &row) ||
            !tree_module_matches(&job->tree, key->from_module))
            continue;
        row.count = executions(profile, profile->edges.at[i].count);
        if (row.kind == ROW_BRANCH)
            row.all = job->tree.unit == UNIT_INSTRUCTIONS
                          ? weight_at(&job->tree, key->from_module, key->from.v)
                          : row.count;
        *vec_push(rows) = row;
    }
}

/* ---- what calls cost */

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
    if (job->profile->mode == PROFILE_EXACT && !job->options->filter.module)
        calls_cost(rows, job);
}
