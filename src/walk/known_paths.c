#include "walk/known_paths.h"

#include "walk/unit.h"

/* The rest of the section, and of the counters, is for code. */
static bool has_room(const struct known_paths *known)
{
    const struct cache *cache = known->cache;
    return known->n < KNOWN_PATHS_MAX && *cache->units.published < cache->units.room / 2 &&
           cache->n_counters < cache->max_counters / 8 * 7;
}

static bool path_tell(struct known_paths *known, const struct known_path *path, bool ticks)
{
    struct wire_known_path *unit = unit_take(known->cache, sizeof *unit);
    if (!unit)
        return false;
    *unit = (struct wire_known_path){.kind = UNIT_PATH,
                                     .bytes = sizeof *unit,
                                     .function = path->function,
                                     .counter = path->counter,
                                     .path = path->path,
                                     .ticks = ticks};
    unit_publish(known->cache, sizeof *unit, ticks ? 2 : 1);
    return true;
}

uint32_t known_path_counter(struct known_paths *known, uint32_t function, uint64_t path, bool ticks)
{
    uint64_t key = (path + function * UINT64_C(0xD1B54A32D192ED03)) * UINT64_C(0x9E3779B97F4A7C15);
    uint32_t at = (uint32_t)(key >> 40) % KNOWN_PATHS_SLOTS;
    while (known->slots[at].counter) {
        if (known->slots[at].path == path && known->slots[at].function == function)
            return known->slots[at].counter;
        at = (at + 1) % KNOWN_PATHS_SLOTS;
    }
    struct known_path added = {path, function, known->cache->n_counters};
    if (!has_room(known) || !path_tell(known, &added, ticks))
        return 0;
    known->slots[at] = added;
    known->n++;
    return added.counter;
}

void known_paths_forget(struct known_paths *known)
{
    for (uint32_t i = 0; known->n && i < KNOWN_PATHS_SLOTS; i++)
        if (known->slots[i].counter)
            known->slots[i].counter = 0;
    known->n = 0;
}
