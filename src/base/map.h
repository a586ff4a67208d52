/* The one hash map: from a fixed-size key, compared by its bytes, to an index.
 *
 * It hands out indices 0, 1, 2 ... in order of first appearance, so values live in a vec beside it
 * and iteration order is insertion order, never hash order. Keys must have no padding bytes. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define MAP_NONE UINT32_MAX

struct map {
    uint64_t *slots; /* index + 1, below half of the key's hash; 0 is free */
    uint32_t n_slots, n;
    size_t key_bytes, keys_room;
    unsigned char *keys;
};

void map_init(struct map *map, size_t key_bytes);
void map_release(struct map *map);
/* Forgets every key but keeps the memory. */
void map_clear(struct map *map);
/* Makes room for n keys in all, so that the map need not grow in steps. */
void map_reserve(struct map *map, uint32_t n);
/* The key's index, or MAP_NONE. */
uint32_t map_find(const struct map *map, const void *key);
/* The key's index; a new key gets index n and n grows. */
uint32_t map_add(struct map *map, const void *key);
const void *map_key(const struct map *map, uint32_t index);
