#include "lab/events/event_blocks.h"

#include "analysis/counts/counted_module.h"
#include "base/err.h"
#include "base/text_hash.h"

#include <string.h>

const struct event_row event_rows[EVENT_ROWS] = {
    {"inst_retired", "none", 0.43},       {"inst_retired.pebs", "PEBS", 0.272},
    {"inst_retired.0", "0", -0.1247},     {"inst_retired.4", "4", -0.1887},
    {"cpu_clk_unhalted", "none", 0.2131}, {"dtlb_miss", "none", -0.1124},
    {"l1i_miss", "none", 0.0092},
};

/* No padding: compared by bytes. */
struct place_key {
    uint64_t module, at;
};

struct event_places {
    struct map keys; /* of struct place_key */
    VEC(struct place_sum { double of[EVENT_ROWS]; });
};

static int row_find(uint64_t hash)
{
    for (int i = 0; i < EVENT_ROWS; i++)
        if (text_hash(event_rows[i].name) == hash)
            return i;
    return EVENT_ROWS;
}

static void sums_put(struct event_places *sums, struct place_key key, int row, double weight)
{
    uint32_t index = map_add(&sums->keys, &key);
    if (index == sums->n)
        *vec_push(sums) = (struct place_sum){{0}};
    sums->at[index].of[row] += weight;
}

static void sums_read(struct event_places *sums, const struct lab_recording *recording)
{
    const struct stacks *events = &recording->profile->events;
    int *rows = mem_alloc((events->nodes.n + (size_t)1) * sizeof *rows);
    *sums = (struct event_places){0};
    map_init(&sums->keys, sizeof(struct place_key));
    for (uint32_t i = 0; i < events->nodes.n; i++) {
        struct stack_key key = stacks_key(events, i);
        uint16_t depth = events->depths.at[i];
        rows[i] = depth > 1 ? rows[key.parent] : depth == 1 ? row_find(key.address) : EVENT_ROWS;
    }
    for (uint32_t i = 0; i < events->cells.n; i++) {
        const struct stack_cell *cell = map_key(&events->cells, i);
        struct stack_key key = stacks_key(events, cell->node);
        if (events->depths.at[cell->node] > 1 && rows[cell->node] < EVENT_ROWS)
            sums_put(sums,
                     (struct place_key){scene_module(recording->scene, 0, key.module), key.address},
                     rows[cell->node], (double)events->weights.at[i]);
    }
    mem_free(rows);
}

struct event_places *event_places_open(const struct lab_recording *recording)
{
    struct event_places *places = mem_alloc(sizeof *places);
    sums_read(places, recording);
    return places;
}

void event_places_close(struct event_places *places)
{
    map_release(&places->keys);
    vec_release(places);
    mem_free(places);
}

struct event_block event_places_block(const struct event_places *places, uint32_t module,
                                      const struct cfg *cfg, block_id id)
{
    const struct cfg_block *block = &cfg->blocks.at[id];
    struct event_block read = {.instructions = block->instructions};
    for (uint32_t i = 0; i < block->instructions; i++) {
        struct place_key key = {module, cfg->instructions.at[block->first + i].at.v};
        uint32_t index = map_find(&places->keys, &key);
        for (int e = 0; index != MAP_NONE && e < EVENT_ROWS; e++)
            read.samples[e] += places->at[index].of[e];
    }
    return read;
}

static void block_read(struct event_blocks *blocks, const struct event_places *places,
                       uint32_t module, const struct counted_function *function, block_id id)
{
    struct event_block read = event_places_block(places, module, &function->cfg, id);
    read.count = (double)flow_block(&function->flows[0], &function->cfg, id)->count;
    double any = read.count;
    for (int e = 0; e < EVENT_ROWS; e++)
        any += read.samples[e];
    if (any > 0)
        *vec_push(blocks) = read;
}

void event_blocks_read(struct event_blocks *blocks, const struct lab_recording *recording)
{
    const struct scene *scene = recording->scene;
    struct event_places *places = event_places_open(recording);
    for (uint32_t m = 0; m < scene->modules.n; m++) {
        struct counted_module counted;
        if (!scene->modules.at[m].binary)
            continue;
        counted_module_open(&counted, scene, m, false);
        for (size_t f = 0; f < counted.functions.n; f++) {
            const struct counted_function *function = counted_module_take(&counted, f);
            for (block_id b = 0; b < function->cfg.blocks.n; b++)
                block_read(blocks, places, m, function, b);
            counted_module_drop(&counted, f);
        }
        counted_module_close(&counted);
    }
    event_places_close(places);
}

static bool has_event(const struct profile *profile, const char *name)
{
    for (size_t i = 0; i < profile->facts.n; i++)
        if (strcmp(profile->facts.at[i].key, "other_event") == 0 &&
            strcmp(profile->facts.at[i].value, name) == 0)
            return true;
    return false;
}

bool event_blocks_check(const struct lab_recording *recording, struct err *err)
{
    const char *how = "gait record --exact=counts --core NAME --counters 1000 makes such a profile";
    if (recording->profile->mode != PROFILE_EXACT)
        return err_set(err, ERR_FORMAT, "%s: has no exact counts; %s", recording->file, how);
    for (int i = 0; i < EVENT_ROWS; i++)
        if (!has_event(recording->profile, event_rows[i].name) && event_rows[i].paper > 0.2)
            return err_set(err, ERR_FORMAT, "%s: has no samples of %s; %s", recording->file,
                           event_rows[i].name, how);
    return true;
}
