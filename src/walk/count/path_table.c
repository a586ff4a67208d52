#include "walk/count/path_table.h"

#include "walk/count/node_tree.h"

enum { PATHS_NEAR = PATH_QUARTERS * PATH_HOMES, PROBES_NEAR = 64, PROBES_BEHIND = 1 << 12 };
_Static_assert(PATHS_BYTES == (PATHS_NEAR + PATHS_BEHIND) * sizeof(struct wire_path),
               "as the code has it");

static uint32_t path_home(const struct wire_path *path)
{
    uint64_t sum = path->path + (path->path >> 16) + path_salt(path->function) + path->node;
    return (uint32_t)(path_slots_at(path->function) - PATHS_AT) / sizeof *path +
           (uint32_t)(sum % PATH_HOMES);
}

static uint32_t path_home_behind(const struct wire_path *path)
{
    uint64_t key = path->path ^ (uint64_t)path->function << 32 ^ (uint64_t)path->node << 16;
    return (uint32_t)(key * UINT64_C(0x9E3779B97F4A7C15) >> 32) % PATHS_BEHIND;
}

/* The path's slot of `n` in a circle, or the first free one, near its home. NULL: no room. */
static struct wire_path *path_slot(struct wire_path *slots, uint32_t n, uint32_t home,
                                   uint32_t probes, const struct wire_path *path)
{
    for (uint32_t i = 0; i < probes; i++) {
        struct wire_path *slot = &slots[(home + i) % n];
        if (!slot->count || (slot->path == path->path && slot->function == path->function &&
                             slot->node == path->node))
            return slot;
    }
    return NULL;
}

/* The same in both parts of the table. */
static struct wire_path *slot_find(uint8_t *bank, const struct wire_path *path)
{
    struct wire_path *paths = (struct wire_path *)(void *)(bank + PATHS_AT);
    struct wire_path *slot = path_slot(paths, PATHS_NEAR, path_home(path), PROBES_NEAR, path);
    return slot ? slot
                : path_slot(paths + PATHS_NEAR, PATHS_BEHIND, path_home_behind(path), PROBES_BEHIND,
                            path);
}

const struct wire_path *path_find(uint8_t *bank, const struct wire_path *key)
{
    const struct wire_path *slot = slot_find(bank, key);
    return slot && slot->count ? slot : NULL;
}

static bool path_add(uint8_t *bank, const struct wire_path *more)
{
    struct wire_path *slot = slot_find(bank, more);
    if (!slot)
        return false;
    slot->path = more->path;
    slot->function = more->function;
    slot->node = more->node;
    slot->ticks += more->ticks;
    slot->count += more->count;
    return true;
}

void path_count(struct context *context, uint8_t *bank, const struct wire_path *more)
{
    if (!path_add(bank, more))
        context_lose(context->paths_lost, more->count);
}

void paths_merge(struct context *context, uint8_t *bank, uint64_t from, uint64_t to)
{
    uint8_t *own = (uint8_t *)context->counters;
    const struct wire_path *paths = (const struct wire_path *)(const void *)(own + PATHS_AT);
    for (uint64_t i = from / sizeof *paths; i < to / sizeof *paths; i++) {
        struct wire_path path = paths[i];
        if (!path.count)
            continue;
        path.node = path.node ? node_at(own, path.node)->first : 0; /* as contexts_merge left it */
        path_count(context, bank, &path);
    }
}
