#include "base/map.h"

#include "base/err.h"
#include "base/memory.h"

#include <stdbool.h>
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

static uint32_t slot_index(uint64_t slot)
{
    return (uint32_t)slot - 1;
}

/* For a size that is known when compiling, comparing and hashing are a few instructions. */
static inline uint64_t hash_of(const struct map *map, const void *key)
{
    switch (map->key_bytes) {
    case 8: return hash_bytes(key, 8);
    case 16: return hash_bytes(key, 16);
    case 24: return hash_bytes(key, 24);
    case 32: return hash_bytes(key, 32);
    default: return hash_bytes(key, map->key_bytes);
    }
}

static inline bool key_is(const struct map *map, uint32_t index, const void *key)
{
    const unsigned char *there = map->keys + (size_t)index * map->key_bytes;
    switch (map->key_bytes) {
    case 8: return memcmp(there, key, 8) == 0;
    case 16: return memcmp(there, key, 16) == 0;
    case 24: return memcmp(there, key, 24) == 0;
    case 32: return memcmp(there, key, 32) == 0;
    default: return memcmp(there, key, map->key_bytes) == 0;
    }
}

/* The slot that holds the key, or the free one where it belongs. Of other keys only their hashes
 * are looked at: a key is somewhere else in memory. */
static inline uint64_t *slot_of(const struct map *map, const void *key, uint64_t hash)
{
    uint32_t mask = map->n_slots - 1, at = (uint32_t)hash & mask;
    while (map->slots[at] &&
           (map->slots[at] >> 32 != hash >> 32 || !key_is(map, slot_index(map->slots[at]), key)))
        at = (at + 1) & mask;
    return &map->slots[at];
}

uint32_t map_find(const struct map *map, const void *key)
{
    if (!map->n_slots)
        return MAP_NONE;
    uint64_t slot = *slot_of(map, key, hash_of(map, key));
    return slot ? slot_index(slot) : MAP_NONE;
}

static void slots_make(struct map *map, uint32_t n)
{
    mem_free(map->slots);
    map->n_slots = n;
    map->slots = mem_alloc(n * sizeof *map->slots);
    for (uint32_t i = 0; i < map->n; i++) {
        const void *key = map->keys + i * map->key_bytes;
        uint64_t hash = hash_of(map, key);
        *slot_of(map, key, hash) = (hash >> 32) << 32 | (i + 1);
    }
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
    uint64_t hash = hash_of(map, key), *slot = slot_of(map, key, hash);
    if (*slot)
        return slot_index(*slot);
    if (map->n == map->keys_room)
        keys_make(map, map->keys_room ? map->keys_room * 2 : 64);
    memcpy(map->keys + map->n * map->key_bytes, key, map->key_bytes);
    *slot = (hash >> 32) << 32 | ++map->n;
    return map->n - 1;
}
