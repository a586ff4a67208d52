#include "walk/emit/known_paths.h"

#include "wire/channel.h"
#include "wire/node.h"

/* The rest of the section, and of the counters, is for code. */
static bool has_room(const struct known_paths *known)
{
    const struct unit_log *units = known->units;
    return known->n < KNOWN_PATHS_MAX && units->bytes < units->room / 2 &&
           units->n_counters < units->max_counters / 8 * 7;
}

static bool path_tell(struct known_paths *known, const struct wire_known_path *path)
{
    struct wire_known_path *unit = unit_take(known->units, sizeof *unit);
    if (!unit)
        return false;
    *unit = *path;
    unit->kind = UNIT_PATH;
    unit->bytes = sizeof *unit;
    unit_publish(known->units, sizeof *unit, path->in_node ? 0 : 1 + path->ticks);
    return true;
}

/* Its slot, or a free one. */
static struct known_path *slot_find(struct known_paths *known, uint32_t function, uint64_t path)
{
    uint64_t key = (path + function * UINT64_C(0xD1B54A32D192ED03)) * UINT64_C(0x9E3779B97F4A7C15);
    uint32_t at = (uint32_t)(key >> 40) % KNOWN_PATHS_SLOTS;
    while (known->slots[at].counter &&
           (known->slots[at].path != path || known->slots[at].function != function))
        at = (at + 1) % KNOWN_PATHS_SLOTS;
    return &known->slots[at];
}

uint32_t known_path_counter(struct known_paths *known, uint32_t function, uint64_t path, bool ticks)
{
    struct known_path *slot = slot_find(known, function, path);
    if (slot->counter)
        return slot->counter;
    struct wire_known_path told = {
        .function = function, .counter = known->units->n_counters, .path = path, .ticks = ticks};
    if (!has_room(known) || !path_tell(known, &told))
        return 0;
    *slot = (struct known_path){path, function, told.counter};
    known->n++;
    return slot->counter;
}

/* How many a function has is kept as if it were a path. */
uint32_t known_path_in_node(struct known_paths *known, uint32_t function, uint64_t path)
{
    struct known_path *slot = slot_find(known, function, path);
    if (slot->counter || path == UINT64_MAX)
        return path == UINT64_MAX ? 0 : slot->counter;
    struct known_path *last = slot_find(known, function, UINT64_MAX);
    struct wire_known_path told = {
        .function = function, .counter = last->counter, .path = path, .in_node = 1};
    if (last->counter == node_counters(NODE_KNOWN_PATHS) || !has_room(known) ||
        !path_tell(known, &told))
        return 0;
    known->n += last->counter ? 1 : 2;
    *last = (struct known_path){UINT64_MAX, function, last->counter + 1};
    slot = slot_find(known, function, path); /* `last` may have taken it */
    *slot = (struct known_path){path, function, last->counter};
    return slot->counter;
}

void known_paths_forget(struct known_paths *known)
{
    for (uint32_t i = 0; known->n && i < KNOWN_PATHS_SLOTS; i++)
        if (known->slots[i].counter)
            known->slots[i].counter = 0;
    known->n = 0;
}
