#include "profile/events.h"
#include "profile/profile.h"

#include "base/err.h"
#include "profile/command.h"
#include "profile/sums.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct remap {
    VEC(uint32_t); /* the other's index, of a module or a node -> into's */
};

static uint32_t remapped(const struct remap *remap, uint32_t index)
{
    if (index == MODULE_NONE)
        return MODULE_NONE;
    ASSERT(index < remap->n);
    return remap->at[index];
}

static void row_add(struct table *into, const void *key, const struct sums *sums,
                    struct remap *ret_keys)
{
    struct sums *at = table_at(into, key);
    sums_add(at, sums);
    *vec_push(ret_keys) = (uint32_t)(at - into->at);
}

/* Edges and conflicts: their keys begin with two modules, and are alike. */
_Static_assert(sizeof(struct conflict_key) == sizeof(struct edge_key) &&
                   offsetof(struct conflict_key, to_module) == offsetof(struct edge_key, to_module),
               "two keys of one shape");
static void merge_edges(struct table *into, const struct table *other, const struct remap *remap,
                        struct remap *ret_keys)
{
    for (uint32_t i = 0; i < other->n; i++) {
        struct edge_key key;
        memcpy(&key, map_key(&other->keys, i), sizeof key);
        key.from_module = remapped(remap, key.from_module);
        key.to_module = remapped(remap, key.to_module);
        row_add(into, &key, &other->at[i], ret_keys);
    }
}

static void merge_values(struct table *into, const struct table *other, const struct remap *remap,
                         struct remap *ret_keys)
{
    for (uint32_t i = 0; i < other->n; i++) {
        struct value_key key;
        memcpy(&key, map_key(&other->keys, i), sizeof key);
        key.module = remapped(remap, key.module);
        key.to = remapped(remap, key.to);
        key.caller_module = remapped(remap, key.caller_module);
        row_add(into, &key, &other->at[i], ret_keys);
    }
}

/* Waste, and conflicts by who called: their keys begin with four modules, and are alike. */
_Static_assert(sizeof(struct called_key) == sizeof(struct waste_key) &&
                   offsetof(struct called_key, to_caller_module) ==
                       offsetof(struct waste_key, second_caller_module),
               "two keys of one shape");
static void merge_waste(struct table *into, const struct table *other, const struct remap *remap,
                        struct remap *ret_keys)
{
    for (uint32_t i = 0; i < other->n; i++) {
        struct waste_key key;
        memcpy(&key, map_key(&other->keys, i), sizeof key);
        key.first_module = remapped(remap, key.first_module);
        key.second_module = remapped(remap, key.second_module);
        key.first_caller_module = remapped(remap, key.first_caller_module);
        key.second_caller_module = remapped(remap, key.second_caller_module);
        row_add(into, &key, &other->at[i], ret_keys);
    }
}

static void merge_loose(struct profile *into, const struct loose_rows *other,
                        const struct remap *remap)
{
    for (size_t i = 0; i < other->edges.n; i++) {
        struct edge_key key = other->edges.at[i].key;
        key.from_module = remapped(remap, key.from_module);
        key.to_module = remapped(remap, key.to_module);
        sum_add(&table_at(&into->edges, &key)->count, other->edges.at[i].count);
    }
    for (size_t i = 0; i < other->ranges.n; i++) {
        struct range_key key = other->ranges.at[i].key;
        key.module = remapped(remap, key.module);
        sum_add(&table_at(&into->ranges, &key)->count, other->ranges.at[i].count);
    }
}

/* All others: their keys begin with the module. */
static void merge_rows(struct table *into, const struct table *other, const struct remap *remap,
                       struct remap *ret_keys)
{
    for (uint32_t i = 0; i < other->n; i++) {
        union {
            uint32_t module;
            struct range_key range;
            struct trip_key trip;
            struct path_key path;
            struct latency_key latency;
            struct modelled_key modelled;
            struct turns_key turns;
            struct first_key first;
        } key;
        memcpy(&key, map_key(&other->keys, i), other->keys.key_bytes);
        key.module = remapped(remap, key.module);
        row_add(into, &key, &other->at[i], ret_keys);
    }
}

static void merge_stacks(struct stacks *into, const struct stacks *other, const struct remap *remap)
{
    struct remap nodes = {0};
    for (uint32_t i = 0; i < other->nodes.n; i++) {
        struct stack_key key = stacks_key(other, i);
        uint32_t parent = key.parent == STACK_NONE ? STACK_NONE : remapped(&nodes, key.parent);
        *vec_push(&nodes) = stacks_node(into, parent, remapped(remap, key.module), key.address);
    }
    for (uint32_t i = 0; i < other->cells.n; i++) {
        struct stack_cell cell;
        memcpy(&cell, map_key(&other->cells, i), sizeof cell);
        stacks_add(into, remapped(&nodes, cell.node), cell.group, other->weights.at[i]);
    }
    vec_release(&nodes);
}

static void merge_names(struct profile *into, const struct names *other, const struct remap *remap)
{
    struct names names = {0};
    for (size_t i = 0; i < other->n; i++) {
        struct name *name = vec_push(&names);
        *name = other->at[i];
        name->module = remapped(remap, name->module);
    }
    names_sort(&names);
    names_merge(&into->names, &into->arena, &names, NAMES_LARGER);
    vec_release(&names);
}

static void merge_kept(struct profile *into, const struct kept_parts *other,
                       const struct remap *remap)
{
    for (size_t i = 0; i < other->n; i++) {
        struct kept_part part = other->at[i];
        part.module = remapped(remap, part.module);
        kept_add(&into->kept, &into->arena, &part);
    }
    kept_sort(&into->kept);
}

static void merge_totals(struct totals *into, const struct totals *other)
{
    sum_add(&into->batches, other->batches);
    sum_add(&into->windows, other->windows);
    sum_add(&into->interrupts, other->interrupts);
    sum_add(&into->instructions, other->instructions);
    sum_add(&into->time, other->time);
    sum_add(&into->count, other->count);
    sum_add_wide(&into->time_xx, other->time_xx);
    sum_add_wide(&into->count_xx, other->count_xx);
    sum_add(&into->user_ns, other->user_ns);
    sum_add(&into->kernel_ns, other->kernel_ns);
    sum_add(&into->user_ticks, other->user_ticks);
    sum_add(&into->agent_ns, other->agent_ns);
    sum_add(&into->tool_ns, other->tool_ns);
    sum_add(&into->off_ns, other->off_ns);
    sum_add(&into->samples, other->samples);
    sum_add(&into->sampled_ns, other->sampled_ns);
    sum_add(&into->whole_user_ns, other->whole_user_ns);
    sum_add(&into->whole_kernel_ns, other->whole_kernel_ns);
    sum_add(&into->walked_ns, other->walked_ns);
    sum_add(&into->once_ns, other->once_ns);
    sum_add(&into->recordings, other->recordings);
    sum_add(&into->kernel_samples, other->kernel_samples);
    sum_add(&into->bare_ns, other->bare_ns);
    sum_add_wide(&into->bare_xx, other->bare_xx);
    sum_add_wide(&into->sampled_xx, other->sampled_xx);
    sum_add(&into->complete_ns, other->complete_ns);
    sum_add(&into->delivery_ns, other->delivery_ns);
    sum_add(&into->translate_ns, other->translate_ns);
    sum_add(&into->recorded, other->recorded);
    sum_add(&into->long_trails, other->long_trails);
    sum_add(&into->long_rates, other->long_rates);
    sum_add(&into->long_rates_yy, other->long_rates_yy);
    for (size_t i = 0; i < LOSS_N; i++)
        sum_add(&into->losses[i], other->losses[i]);
}

struct lines {
    VEC(char *);
};

/* Cuts the text up. */
static void lines_split(struct lines *lines, char *text)
{
    for (char *end = text; *text; text = end) {
        end = command_end(text);
        if (*end)
            *end++ = 0;
        if (*text)
            *vec_push(lines) = text;
    }
}

static int lines_compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The set of both sides' commands, sorted: no order of merging can show. */
static void merge_command(struct profile *into, const char *other)
{
    if (!other || (into->command && strcmp(into->command, other) == 0))
        return;
    if (!into->command) {
        into->command = arena_string(&into->arena, other);
        return;
    }
    struct lines lines = {0};
    lines_split(&lines, arena_string(&into->arena, into->command));
    lines_split(&lines, arena_string(&into->arena, other));
    if (lines.n)
        qsort(lines.at, lines.n, sizeof *lines.at, lines_compare);
    char *joined = arena_alloc(&into->arena, strlen(into->command) + strlen(other) + 2);
    char *end = joined;
    for (size_t i = 0; i < lines.n; i++) {
        if (i && strcmp(lines.at[i - 1], lines.at[i]) == 0)
            continue;
        if (i)
            *end++ = '\n';
        end = stpcpy(end, lines.at[i]);
    }
    into->command = joined;
    vec_release(&lines);
}

static void merge_head(struct profile *into, const struct profile *other)
{
    into->complete = into->complete && other->complete;
    merge_command(into, other->command);
    if (!into->start_unix_ns ||
        (other->start_unix_ns && other->start_unix_ns < into->start_unix_ns))
        into->start_unix_ns = other->start_unix_ns;
    for (size_t i = 0; i < other->facts.n; i++)
        profile_fact(into, other->facts.at[i].key, other->facts.at[i].value);
}

static void merge_tables(struct profile *into, const struct profile *other,
                         const struct remap *remap)
{
    struct remap keys[TABLES] = {0};
    const uint32_t *at[TABLES];
    for (int i = 0; i < TABLES; i++) {
        bool of_two = i == TABLE_EDGES || i == TABLE_CONFLICTS;
        bool of_four = i == TABLE_WASTE || i == TABLE_CALLED;
        (of_two              ? merge_edges
         : i == TABLE_VALUES ? merge_values
         : of_four           ? merge_waste
                             : merge_rows)(&into->tables[i], &other->tables[i], remap, &keys[i]);
        at[i] = keys[i].at;
    }
    batch_log_merge(&into->log, &other->log, at);
    for (int i = 0; i < TABLES; i++)
        vec_release(&keys[i]);
}

bool profile_merge(struct profile *into, const struct profile *other, struct err *err)
{
    if (into->mode != other->mode)
        return err_set(err, ERR_FORMAT, "%s and %s profiles cannot be merged",
                       profile_mode_name(into->mode), profile_mode_name(other->mode));
    const char *event = event_first(into), *others = event_first(other);
    if (into->stacks.cells.n && other->stacks.cells.n && strcmp(event, others) != 0)
        return err_set(err, ERR_FORMAT, "samples of %s and of %s cannot be merged", event, others);
    const char *only = profile_fact_find(into, "only"),
               *others_only = profile_fact_find(other, "only");
    if (into->totals.instructions && other->totals.instructions &&
        strcmp(only ? only : "", others_only ? others_only : "") != 0)
        return err_set(err, ERR_FORMAT, "profiles of different parts cannot be merged: %s and %s",
                       only ? only : "everything", others_only ? others_only : "everything");
    merge_head(into, other);
    struct remap remap = {0};
    for (size_t i = 0; i < other->modules.n; i++) {
        const struct module *module = &other->modules.at[i];
        *vec_push(&remap) =
            profile_module(into, module->path, module->build_id, module->build_id_bytes);
    }
    merge_tables(into, other, &remap);
    merge_loose(into, &other->loose, &remap);
    merge_stacks(&into->stacks, &other->stacks, &remap);
    merge_stacks(&into->passages, &other->passages, &remap);
    merge_stacks(&into->series, &other->series, &remap);
    merge_stacks(&into->waits, &other->waits, &remap);
    merge_stacks(&into->context_paths, &other->context_paths, &remap);
    merge_stacks(&into->call_costs, &other->call_costs, &remap);
    merge_stacks(&into->times, &other->times, &remap);
    merge_stacks(&into->events, &other->events, &remap);
    merge_stacks(&into->wait_times, &other->wait_times, &remap);
    sample_list_merge(&into->samples, &other->samples, remap.at, remap.n);
    windows_merge(&into->windows, &other->windows, remap.at, remap.n);
    path_parts_merge(&into->path_parts, &other->path_parts, remap.at, remap.n);
    merge_names(into, &other->names, &remap);
    merge_kept(into, &other->kept, &remap);
    threads_merge(&into->threads, &into->arena, &other->threads);
    vec_release(&remap);
    merge_totals(&into->totals, &other->totals);
    for (size_t i = 0; i < other->other_losses.n; i++)
        profile_loss(into, other->other_losses.at[i].name, other->other_losses.at[i].n);
    return true;
}
