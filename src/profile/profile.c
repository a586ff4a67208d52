#include "profile/profile.h"

#include "base/err.h"
#include "profile/sums.h"

#include <string.h>

static const char *const loss_names[LOSS_N] = {
#define LOSS_NAME(name, text) #name,
    LOSSES(LOSS_NAME)
#undef LOSS_NAME
};
static const char *const loss_texts[LOSS_N] = {
#define LOSS_TEXT(name, text) text,
    LOSSES(LOSS_TEXT)
#undef LOSS_TEXT
};

const char *loss_name(enum loss loss)
{
    ASSERT(loss < LOSS_N);
    return loss_names[loss];
}

const char *loss_text(enum loss loss)
{
    ASSERT(loss < LOSS_N);
    return loss_texts[loss];
}

const char *profile_mode_name(enum profile_mode mode)
{
    static const char *const names[] = {
        [PROFILE_EXACT] = "exact", [PROFILE_SAMPLED] = "sampled", [PROFILE_PLAIN] = "plain"};
    ASSERT(mode <= PROFILE_PLAIN);
    return names[mode];
}

size_t profile_key_bytes(enum profile_table table)
{
    static const size_t bytes[TABLES] = {
        [TABLE_EDGES] = sizeof(struct edge_key),
        [TABLE_RANGES] = sizeof(struct range_key),
        [TABLE_TRIPS] = sizeof(struct trip_key),
        [TABLE_PATHS] = sizeof(struct path_key),
        [TABLE_VALUES] = sizeof(struct value_key),
        [TABLE_LATENCIES] = sizeof(struct latency_key),
        [TABLE_MODELLED] = sizeof(struct modelled_key),
        [TABLE_CONFLICTS] = sizeof(struct conflict_key),
        [TABLE_RUNS] = sizeof(struct range_key),
        [TABLE_WASTE] = sizeof(struct waste_key),
        [TABLE_TURNS] = sizeof(struct turns_key),
        [TABLE_CALLED] = sizeof(struct called_key),
        [TABLE_FIRSTS] = sizeof(struct first_key),
    };
    return bytes[table];
}

void profile_init(struct profile *profile)
{
    *profile = (struct profile){0};
    map_init(&profile->module_keys, 2 * sizeof(uint64_t));
    for (int i = 0; i < TABLES; i++)
        map_init(&profile->tables[i].keys, profile_key_bytes((enum profile_table)i));
    stacks_init(&profile->stacks);
    stacks_init(&profile->passages);
    stacks_init(&profile->series);
    stacks_init(&profile->waits);
    profile->waits.maxima =
        1u << (WAIT_BLOCKED + WAIT_LONGEST) | 1u << (WAIT_RUNNABLE + WAIT_LONGEST);
    stacks_init(&profile->context_paths);
    stacks_init(&profile->call_costs);
    stacks_init(&profile->times);
    stacks_init(&profile->events);
    stacks_init(&profile->wait_times);
    profile->wait_times.maxima = profile->waits.maxima;
}

static void table_release(struct table *table)
{
    map_release(&table->keys);
    vec_release(table);
}

void profile_release(struct profile *profile)
{
    for (int i = 0; i < TABLES; i++)
        table_release(&profile->tables[i]);
    vec_release(&profile->loose.edges);
    vec_release(&profile->loose.ranges);
    stacks_release(&profile->stacks);
    stacks_release(&profile->passages);
    stacks_release(&profile->series);
    stacks_release(&profile->waits);
    stacks_release(&profile->context_paths);
    stacks_release(&profile->call_costs);
    stacks_release(&profile->times);
    stacks_release(&profile->events);
    vec_release(&profile->times_of);
    stacks_release(&profile->wait_times);
    vec_release(&profile->wait_times_of);
    batch_log_release(&profile->log);
    vec_release(&profile->samples);
    windows_release(&profile->windows);
    path_parts_release(&profile->path_parts);
    vec_release(&profile->threads);
    vec_release(&profile->names);
    vec_release(&profile->kept);
    map_release(&profile->module_keys);
    vec_release(&profile->modules);
    vec_release(&profile->facts);
    vec_release(&profile->other_losses);
    arena_release(&profile->arena);
    profile_init(profile);
}

/* Freed keys need no zeroing of `at`: table_at zeroes what it hands out. */
static void table_clear(struct table *table)
{
    map_clear(&table->keys);
    table->n = 0;
}

void profile_clear_tables(struct profile *profile)
{
    for (int i = 0; i < TABLES; i++)
        table_clear(&profile->tables[i]);
    profile->loose.edges.n = profile->loose.ranges.n = 0;
}

void profile_clear(struct profile *profile)
{
    profile_clear_tables(profile);
    stacks_clear(&profile->stacks);
    stacks_clear(&profile->passages);
    stacks_clear(&profile->series);
    stacks_clear(&profile->waits);
    stacks_clear(&profile->context_paths);
    stacks_clear(&profile->call_costs);
    stacks_clear(&profile->times);
    stacks_clear(&profile->events);
    vec_release(&profile->times_of);
    stacks_clear(&profile->wait_times);
    vec_release(&profile->wait_times_of);
    profile->log.batches.n = profile->log.rows.n = 0;
    profile->samples.n = 0;
    windows_clear(&profile->windows);
    path_parts_clear(&profile->path_parts);
    profile->threads.n = 0;
    profile->names.n = 0;
    profile->kept.n = 0;
    profile->totals = (struct totals){0};
    profile->other_losses.n = 0;
}

static uint64_t module_hash(const char *path, const uint8_t *build_id, uint32_t build_id_bytes)
{
    uint64_t hash = 0xcbf29ce484222325u ^ build_id_bytes;
    for (; *path; path++)
        hash = (hash ^ (uint8_t)*path) * 0x100000001b3u;
    for (uint32_t i = 0; i < build_id_bytes; i++)
        hash = (hash ^ build_id[i]) * 0x100000001b3u;
    return hash;
}

/* module_keys holds {hash, k} for the k-th module of that hash, with the module's own index. */
uint32_t profile_module(struct profile *profile, const char *path, const uint8_t *build_id,
                        uint32_t build_id_bytes)
{
    ASSERT(build_id_bytes <= sizeof profile->modules.at->build_id);
    uint64_t key[2] = {module_hash(path, build_id, build_id_bytes), 0};
    for (;; key[1]++) {
        uint32_t index = map_find(&profile->module_keys, key);
        if (index == MAP_NONE)
            break;
        const struct module *known = &profile->modules.at[index];
        if (known->build_id_bytes == build_id_bytes && strcmp(known->path, path) == 0 &&
            (!build_id_bytes || memcmp(known->build_id, build_id, build_id_bytes) == 0))
            return index;
    }
    struct module *module = vec_push(&profile->modules);
    module->path = arena_string(&profile->arena, path);
    module->build_id_bytes = build_id_bytes;
    if (build_id_bytes)
        memcpy(module->build_id, build_id, build_id_bytes);
    uint32_t index = map_add(&profile->module_keys, key);
    ASSERT(index + 1 == profile->modules.n);
    return index;
}

bool profile_module_is_kernel(const struct profile *profile, uint32_t module)
{
    return module < profile->modules.n && strcmp(profile->modules.at[module].path, "[kernel]") == 0;
}

bool profile_module_is_jit(const struct profile *profile, uint32_t module)
{
    return module < profile->modules.n && strcmp(profile->modules.at[module].path, "[jit]") == 0;
}

bool profile_module_is_python(const struct profile *profile, uint32_t module)
{
    return module < profile->modules.n &&
           strcmp(profile->modules.at[module].path, PYTHON_MODULE) == 0;
}

bool profile_has_python(const struct profile *profile)
{
    for (uint32_t i = 0; i < profile->modules.n; i++)
        if (profile_module_is_python(profile, i))
            return true;
    return false;
}

uint32_t profile_module_jit(struct profile *profile, uint32_t pid)
{
    uint8_t id[4] = {(uint8_t)(pid >> 24), (uint8_t)(pid >> 16), (uint8_t)(pid >> 8), (uint8_t)pid};
    return profile_module(profile, "[jit]", id, sizeof id);
}

void table_expect(struct table *table, size_t rows)
{
    map_reserve(&table->keys, rows < UINT32_MAX ? (uint32_t)rows : UINT32_MAX);
    vec_room(table, rows);
}

struct sums *table_at(struct table *table, const void *key)
{
    uint32_t index = map_add(&table->keys, key);
    if (index == table->n)
        *vec_push(table) = (struct sums){0};
    return &table->at[index];
}

const struct sums *table_find(const struct table *table, const void *key)
{
    uint32_t index = map_find(&table->keys, key);
    return index == MAP_NONE ? NULL : &table->at[index];
}

void loose_rows_add(const struct loose_rows *loose, struct table *edges, struct table *ranges)
{
    for (size_t i = 0; i < loose->edges.n; i++)
        sum_add(&table_at(edges, &loose->edges.at[i].key)->count, loose->edges.at[i].count);
    for (size_t i = 0; i < loose->ranges.n; i++)
        sum_add(&table_at(ranges, &loose->ranges.at[i].key)->count, loose->ranges.at[i].count);
}

static int fact_compare(const struct fact *fact, const char *key, const char *value)
{
    int order = strcmp(fact->key, key);
    return order ? order : strcmp(fact->value, value);
}

void profile_fact(struct profile *profile, const char *key, const char *value)
{
    ASSERT(!strchr(key, '='));
    struct facts *facts = &profile->facts;
    size_t at = facts->n;
    while (at && fact_compare(&facts->at[at - 1], key, value) >= 0)
        at--;
    if (at < facts->n && fact_compare(&facts->at[at], key, value) == 0)
        return;
    (void)vec_push(facts);
    memmove(&facts->at[at + 1], &facts->at[at], (facts->n - 1 - at) * sizeof *facts->at);
    facts->at[at] = (struct fact){.key = arena_string(&profile->arena, key),
                                  .value = arena_string(&profile->arena, value)};
}

const char *profile_fact_find(const struct profile *profile, const char *key)
{
    for (size_t i = 0; i < profile->facts.n; i++)
        if (strcmp(profile->facts.at[i].key, key) == 0)
            return profile->facts.at[i].value;
    return NULL;
}

static void other_loss_add(struct profile *profile, const char *name, uint64_t n)
{
    struct other_losses *losses = &profile->other_losses;
    size_t at = losses->n;
    while (at && strcmp(losses->at[at - 1].name, name) >= 0)
        at--;
    if (at == losses->n || strcmp(losses->at[at].name, name) != 0) {
        (void)vec_push(losses);
        memmove(&losses->at[at + 1], &losses->at[at], (losses->n - 1 - at) * sizeof *losses->at);
        losses->at[at] = (struct other_loss){.name = arena_string(&profile->arena, name)};
    }
    sum_add(&losses->at[at].n, n);
}

void profile_loss(struct profile *profile, const char *name, uint64_t n)
{
    if (!n)
        return;
    for (size_t i = 0; i < LOSS_N; i++)
        if (strcmp(loss_names[i], name) == 0) {
            sum_add(&profile->totals.losses[i], n);
            return;
        }
    other_loss_add(profile, name, n);
}

bool profile_whole(const struct profile *profile)
{
    static const enum loss partial[] = {LOSS_exact_left,   LOSS_killed,     LOSS_thread_native,
                                        LOSS_child_native, LOSS_no_channel, LOSS_no_agent,
                                        LOSS_traced,       LOSS_path_lost,  LOSS_unread};
    for (size_t i = 0; i < sizeof partial / sizeof *partial; i++)
        if (profile->totals.losses[partial[i]])
            return false;
    return profile->complete;
}
