#include "walk/cache/unit.h"

void *unit_take(struct cache *cache, uint32_t bytes)
{
    if (cache->units.room - *cache->units.published < bytes) {
        cache->exhausted = true;
        return NULL;
    }
    return cache->units.base + *cache->units.published;
}

void unit_publish(struct cache *cache, uint32_t bytes, uint32_t counters)
{
    cache->n_counters += counters;
    *cache->units.counters = cache->n_counters;
    __atomic_store_n(cache->units.published, *cache->units.published + bytes, __ATOMIC_RELEASE);
}

bool unit_mark(struct cache *cache)
{
    if (!cache->maps_bytes || *cache->maps_bytes == cache->maps_marked)
        return true;
    struct wire_maps_mark *mark = unit_take(cache, sizeof *mark);
    if (!mark)
        return false;
    cache->maps_marked = *cache->maps_bytes;
    *mark = (struct wire_maps_mark){
        .kind = UNIT_MAPS, .bytes = sizeof *mark, .maps_bytes = cache->maps_marked};
    unit_publish(cache, sizeof *mark, 0);
    return true;
}

bool unit_superblock(struct cache *cache, const struct shape *shape,
                     const struct superblock *superblock)
{
    const struct payload *payload = &cache->payload;
    bool has_payload = superblock->flavour == FLAVOUR_RECORD && (cache->events & EVENTS_PAYLOAD);
    uint32_t n_payload = has_payload ? payload->n : 0;
    uint32_t bytes = (uint32_t)(sizeof(struct wire_superblock) +
                                shape->n_segments * sizeof(struct wire_segment) +
                                n_payload * sizeof(struct wire_payload));
    struct wire_superblock *unit = unit_mark(cache) ? unit_take(cache, bytes) : NULL;
    if (!unit)
        return false;
    *unit = (struct wire_superblock){.kind = UNIT_SUPERBLOCK,
                                     .bytes = bytes,
                                     .first_exit = superblock->first_exit,
                                     .counter = superblock->counter,
                                     .n_segments = (uint16_t)shape->n_segments,
                                     .n_exits = (uint16_t)shape_exits(shape),
                                     .n_payload = (uint16_t)n_payload,
                                     .left_out = has_payload ? (uint16_t)payload->left_out : 0};
    struct wire_segment *segments = (struct wire_segment *)(unit + 1);
    for (uint32_t i = 0; i < shape->n_segments; i++)
        segments[i] = shape->segments[i];
    struct wire_payload *items = (struct wire_payload *)(segments + shape->n_segments);
    for (uint32_t i = 0; i < n_payload; i++)
        items[i] = payload->items[i];
    unit_publish(cache, bytes, 0); /* its counters are taken already */
    return true;
}
