#include "base/map.h"

#include "base/err.h"
#include "base/memory.h"

#include <string.h>

static inline uint64_t hash_bytes(const unsigned char *bytes, size_t n)
{
    uint64_t hash = 0x9E3779B97F4A7C15u ^ n;
    while (n >= 8) {
        uint64_t word;
        memcpy(&word, bytes, 8);
        hash = (hash ^ word) * 0xD6E8FEB86659FD93u;
        hash ^= hash >> 32;
        bytes += 8;
        n -= 8;
    }
    uint64_t tail = 0;
    memcpy(&tail, bytes, n);
    hash = (hash ^ tail) * 0xD6E8FEB86659FD93u;
    return hash ^ hash >> 29;
}

void map_init(struct map *map, size_t key_bytes)
{
    *map = (struct map){.key_bytes = key_bytes};
}

void map_release(struct map *map)
{
    mem_free(map->slots);
    mem_free(map->keys);
    map_init(map, map->key_bytes);
}

void map_clear(struct map *map)
{
    if (map->n)
        memset(map->slots, 0, map->n_slots * sizeof *map->slots);
    map->n = 0;
}

const void *map_key(const struct map *map, uint32_t index)
{
    ASSERT(index < map->n);
    return map->keys + index * map->key_bytes;
}

/* For a size that is known when compiling, comparing and hashing are a few instructions. */
static inline uint32_t *slot_of_bytes(const struct map *map, const void *key, size_t key_bytes)
{
    uint32_t mask = map->n_slots - 1;
    uint32_t at = (uint32_t)hash_bytes(key, key_bytes) & mask;
    while (map->slots[at] &&
           memcmp(map->keys + (size_t)(map->slots[at] - 1) * key_bytes, key, key_bytes) != 0)
        at = (at + 1) & mask;
    return &map->slots[at];
}

/* The slot that holds the key, or the free one where it belongs. */
static uint32_t *slot_of(const struct map *map, const void *key)
{
    switch (map->key_bytes) {
    case 8: return slot_of_bytes(map, key, 8);
    case 16: return slot_of_bytes(map, key, 16);
    case 24: return slot_of_bytes(map, key, 24);
    case 32: return slot_of_bytes(map, key, 32);
    default: return slot_of_bytes(map, key, map->key_bytes);
    }
}

uint32_t map_find(const struct map *map, const void *key)
{
    if (!map->n_slots)
        return MAP_NONE;
    uint32_t slot = *slot_of(map, key);
    return slot ? slot - 1 : MAP_NONE;
}

static void slots_make(struct map *map, uint32_t n)
{
    mem_free(map->slots);
    map->n_slots = n;
    map->slots = mem_alloc(n * sizeof *map->slots);
    for (uint32_t i = 0; i < map->n; i++)
        *slot_of(map, map->keys + i * map->key_bytes) = i + 1;
}

static void keys_make(struct map *map, size_t room)
{
    map->keys_room = room;
    map->keys = mem_resize(map->keys, room * map->key_bytes);
}

void map_reserve(struct map *map, uint32_t n)
{
    uint32_t slots = 64;
    while (slots / 2 < n && slots < 1u << 31)
        slots *= 2;
    if (slots > map->n_slots)
        slots_make(map, slots);
    if (n > map->keys_room)
        keys_make(map, n);
}

uint32_t map_add(struct map *map, const void *key)
{
    if (map->n * 2 >= map->n_slots)
        slots_make(map, map->n_slots ? map->n_slots * 2 : 64);
    uint32_t *slot = slot_of(map, key);
    if (*slot)
        return *slot - 1;
    if (map->n == map->keys_room)
        keys_make(map, map->keys_room ? map->keys_room * 2 : 64);
    memcpy(map->keys + map->n * map->key_bytes, key, map->key_bytes);
    *slot = ++map->n;
    return map->n - 1;
}
