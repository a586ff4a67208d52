#include "analysis/paths/path_rows.h"

#include "analysis/counts/groups.h"

#include <stdlib.h>

static int row_order(const void *a, const void *b, void *n_paths)
{
    const struct path_row *x = a, *y = b;
    if (x->module != y->module)
        return x->module < y->module ? -1 : 1;
    if (x->function != y->function)
        return x->function < y->function ? -1 : 1;
    for (uint32_t i = 0; i < *(const uint32_t *)n_paths; i++)
        if (x->paths[i] != y->paths[i])
            return x->paths[i] < y->paths[i] ? -1 : 1;
    return x->context < y->context ? -1 : x->context > y->context;
}

static void modelled_find(struct path_rows *rows, struct path_row *row,
                          const struct profile *profile, struct path_key key)
{
    for (uint32_t i = 0; i < MODEL_COSTS; i++) {
        key.kind = PATH_MODELLED_L1D + i;
        const struct sums *sums = table_find(&profile->paths, &key);
        row->modelled[i] = sums ? sums->count : 0;
        rows->has_modelled |= sums != NULL;
    }
}

/* Of any module: there is no function that begins at 0. */
static void elsewhere_find(struct path_rows *rows, const struct profile *profile)
{
    for (uint32_t i = 0; i < profile->paths.n; i++) {
        const struct path_key *key = map_key(&profile->paths.keys, i);
        if (key->kind >= PATH_MODELLED_L1D && !key->function.v && !key->path)
            rows->elsewhere[key->kind - PATH_MODELLED_L1D] += profile->paths.at[i].count;
    }
}

static void single_find(struct path_rows *rows, const struct profile *profile)
{
    const struct table *table = &profile->paths;
    rows->clock = path_clock_find(profile);
    elsewhere_find(rows, profile);
    for (uint32_t i = 0; i < table->n; i++) {
        const struct path_key *key = map_key(&table->keys, i);
        if (key->kind != PATH_RAN)
            continue;
        struct path_row *row = vec_push(rows);
        *row = (struct path_row){.module = key->module,
                                 .function = key->function.v,
                                 .paths = &key->path,
                                 .context = STACK_NONE,
                                 .quantity = quantity_of(profile, &table->at[i])};
        modelled_find(rows, row, profile, *key);
        if (profile->mode == PROFILE_EXACT)
            row->ticks =
                path_clock_ticks(&rows->clock, profile, key, &table->at[i], &row->measured);
    }
}

/* ---- series */

/* Groups of batches vary as so many batches would. */
static struct quantity quantity_of_groups(const struct profile *profile, const struct groups *part,
                                          const struct groups *whole)
{
    struct sums sums = {.count = part->sum};
    struct profile grouped = {.mode = profile->mode};
    struct totals *totals = &grouped.totals;
    totals->windows = profile->totals.windows;
    totals->time = totals->count = whole->sum;
    for (int g = 0; g < STACK_GROUPS; g++) {
        totals->batches += whole->at[g] != 0;
        sums.count_yy += (u128)part->at[g] * part->at[g];
        sums.count_xy += (u128)part->at[g] * whole->at[g];
        totals->count_xx += (u128)whole->at[g] * whole->at[g];
    }
    totals->time_xx = totals->count_xx;
    return quantity_of(&grouped, &sums);
}

/* The root is 0 deep, functions 1. */
static void series_fill(const struct stacks *series, uint32_t node, uint32_t n, struct arena *arena,
                        struct path_row *row)
{
    uint64_t *paths = arena_alloc(arena, n * sizeof *paths);
    struct stack_key key = stacks_key(series, node);
    for (uint32_t i = n; i--; key = stacks_key(series, key.parent))
        paths[i] = key.address;
    row->paths = paths;
    row->module = key.module;
    row->function = key.address;
}

static void series_find(struct path_rows *rows, struct arena *arena, const struct profile *profile,
                        uint32_t iterations)
{
    const struct stacks *series = &profile->series;
    struct groups *groups = mem_alloc((series->nodes.n + 1) * sizeof *groups);
    for (uint32_t i = 0; i < series->cells.n; i++) {
        struct stack_cell cell;
        memcpy(&cell, map_key(&series->cells, i), sizeof cell);
        groups_add(&groups[cell.node], cell.group, series->weights.at[i]);
    }
    for (uint32_t i = 0; i < series->nodes.n; i++) {
        if (series->depths.at[i] != iterations + 1 || !groups[i].sum)
            continue;
        struct path_row *row = vec_push(rows);
        row->context = STACK_NONE;
        row->quantity = quantity_of_groups(profile, &groups[i], &groups[0]);
        series_fill(series, i, iterations, arena, row);
    }
    mem_free(groups);
}

void path_rows_find(struct path_rows *rows, struct arena *arena, const struct profile *profile,
                    uint32_t iterations)
{
    if (iterations == 1)
        single_find(rows, profile);
    else
        series_find(rows, arena, profile, iterations);
    if (rows->n)
        qsort_r(rows->at, rows->n, sizeof *rows->at, row_order, &iterations);
}

/* ---- contexts */

/* The same tree without its threads: what two of them did in one context is added up. */
static void contexts_add_up(const struct stacks *from, struct stacks *into)
{
    uint32_t *there = mem_alloc((from->nodes.n + 1) * sizeof *there);
    for (uint32_t i = 0; i < from->nodes.n; i++) {
        struct stack_key key = stacks_key(from, i);
        there[i] = key.parent == STACK_NONE
                       ? stacks_node(into, STACK_NONE, MODULE_NONE, 0)
                       : stacks_node(into, there[key.parent], key.module, key.address);
    }
    for (uint32_t i = 0; i < from->cells.n; i++) {
        const struct stack_cell *cell = map_key(&from->cells, i);
        stacks_add(into, there[cell->node], cell->group, from->weights.at[i]);
    }
    mem_free(there);
}

static void node_modelled_find(struct path_rows *rows, struct path_row *row,
                               const struct stacks *contexts, uint32_t node)
{
    for (uint32_t cost = 0; cost < MODEL_COSTS; cost++) {
        struct stack_cell cell = {node, model_cost_group(cost)};
        uint32_t found = map_find(&contexts->cells, &cell);
        row->modelled[cost] = found == MAP_NONE ? 0 : contexts->weights.at[found];
        rows->has_modelled |= found != MAP_NONE;
    }
}

/* What paths cost that are in no context is elsewhere, too. */
static void outside_find(struct path_rows *rows, const struct profile *profile)
{
    for (uint32_t i = 0; i < profile->paths.n; i++) {
        const struct path_key *key = map_key(&profile->paths.keys, i);
        if (key->kind >= PATH_MODELLED_L1D && (key->function.v || key->path))
            rows->elsewhere[key->kind - PATH_MODELLED_L1D] += profile->paths.at[i].count;
    }
    for (size_t i = 0; i < rows->n; i++)
        for (uint32_t cost = 0; cost < MODEL_COSTS; cost++)
            rows->elsewhere[cost] -= rows->at[i].modelled[cost];
}

void path_rows_find_in_contexts(struct path_rows *rows, struct arena *arena,
                                const struct profile *profile, struct stacks *ret_contexts)
{
    uint32_t one = 1;
    contexts_add_up(&profile->context_paths, ret_contexts);
    elsewhere_find(rows, profile);
    for (uint32_t i = 0; i < ret_contexts->cells.n; i++) {
        const struct stack_cell *cell = map_key(&ret_contexts->cells, i);
        if (cell->group != STACK_CALLS)
            continue;
        struct stack_key path = stacks_key(ret_contexts, cell->node);
        struct stack_key function = stacks_key(ret_contexts, path.parent);
        uint64_t *number = arena_alloc(arena, sizeof *number);
        struct sums sums = {.count = ret_contexts->weights.at[i]};
        *number = path.address;
        *vec_push(rows) = (struct path_row){.module = function.module,
                                            .function = function.address,
                                            .paths = number,
                                            .quantity = quantity_of(profile, &sums),
                                            .context = path.parent};
        node_modelled_find(rows, &rows->at[rows->n - 1], ret_contexts, cell->node);
    }
    outside_find(rows, profile);
    if (rows->n)
        qsort_r(rows->at, rows->n, sizeof *rows->at, row_order, &one);
}
