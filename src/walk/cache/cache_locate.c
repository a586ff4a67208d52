#include "walk/cache/cache_parts.h"

/* ---- which copy: each knows the one before it in its zone, and each stretch of a zone its last */

static uint32_t *stretch_of(struct cache *cache, const struct zone *zone, uint64_t cache_pc)
{
    return &cache->stretches[zone - cache->zones.at][(cache_pc - zone->runs_at) >> CACHE_STRETCH];
}

void cache_place(struct cache *cache, struct zone *zone, struct copied_block *block)
{
    uint32_t number = (uint32_t)(block - cache->superblocks) + 1;
    block->before = zone->newest;
    zone->newest = number;
    __atomic_store_n(stretch_of(cache, zone, block->code), number, __ATOMIC_RELEASE);
}

void cache_places_forget(struct cache *cache)
{
    for (uint32_t i = 0; i < ZONES_MAX; i++) {
        if (cache->zones.at[i].newest)
            __builtin_memset(cache->stretches[i], 0, sizeof cache->stretches[i]);
        cache->zones.at[i].newest = 0;
    }
}

/* The last copy that begins in the stretch of cache_pc or before; 0: none. */
static uint32_t number_near(const struct cache *cache, const struct zone *zone, uint64_t cache_pc)
{
    const uint32_t *stretches = cache->stretches[zone - cache->zones.at];
    uint32_t number = 0;
    for (uint64_t i = ((cache_pc - zone->runs_at) >> CACHE_STRETCH) + 1; i-- > 0 && !number;)
        number = __atomic_load_n(&stretches[i], __ATOMIC_ACQUIRE);
    return number;
}

const struct copied_block *cache_block_at(const struct cache *cache, uint64_t cache_pc)
{
    const struct zone *zone = zones_find(&cache->zones, cache_pc);
    uint32_t number = zone ? number_near(cache, zone, cache_pc) : 0;
    while (number && cache->superblocks[number - 1].code > cache_pc)
        number = cache->superblocks[number - 1].before;
    const struct copied_block *block = number ? &cache->superblocks[number - 1] : NULL;
    return block && cache_pc - block->code < block->code_bytes ? block : NULL;
}

/* ---- where in it */

static bool locate(struct cache *cache, uint64_t cache_pc, struct location *ret)
{
    const struct zone *zone = zones_find(&cache->zones, cache_pc);
    const struct copied_block *block = cache_block_at(cache, cache_pc);
    if (!zone || !block)
        return false;
    shape_form(&cache->shape, cache->regions, block->pc, cache->whole, block->max_segments,
               zone->runs_at);
    if (cache->events & EVENTS_PAYLOAD)
        payload_plan(&cache->payload, &cache->shape, cache->events);
    struct translation translation = cache_translation(cache, block);
    translation.sought = cache_pc;
    struct code_cursor cursor = {.at = cache->scratch,
                                 .shift = (int64_t)block->code - (int64_t)cache->scratch};
    struct code_cursor cold = {.at = cache->scratch + TRANSLATION_BYTES_MORE,
                               .shift = cursor.shift};
    translate(&translation, &cache->shape, &cursor, &cold);
    if (!translation.located)
        return false;
    *ret = (struct location){.pc = translation.located_pc,
                             .in_slot = translation.located_in_slot,
                             .path = translation.located_path,
                             .superblock = block};
    while (cache->shape.first_step[ret->segment + 1] <= translation.located_step)
        ret->segment++;
    ret->instructions =
        (uint16_t)(translation.located_step - cache->shape.first_step[ret->segment]);
    return true;
}

bool cache_locate(struct cache *cache, uint64_t cache_pc, struct location *ret)
{
    gate_lock(&cache->gate, true);
    bool located = locate(cache, cache_pc, ret);
    gate_unlock(&cache->gate);
    return located;
}

/* Exits are numbered in the order of copies. */
static const struct copied_block *block_of_exit(const struct cache *cache, uint32_t exit)
{
    uint32_t from = 0, to = cache->n_superblocks; /* those before `from` begin at or before it */
    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        if (cache->superblocks[middle].first_exit <= exit)
            from = middle + 1;
        else
            to = middle;
    }
    return from ? &cache->superblocks[from - 1] : NULL;
}

static bool locate_last(struct cache *cache, uint32_t exit, struct location *ret)
{
    const struct copied_block *block = block_of_exit(cache, exit);
    const struct zone *zone = block ? zones_find(&cache->zones, block->code) : NULL;
    if (!zone || exit < cache->exit_base)
        return false;
    struct shape *shape = &cache->shape;
    shape_form(shape, cache->regions, block->pc, cache->whole, block->max_segments, zone->runs_at);
    uint32_t last = shape->n_segments - 1;
    if (!shape->stepped && shape->segments[last].end != SEGMENT_SYSCALL)
        return false;
    *ret =
        (struct location){.pc = shape->steps[shape->n_steps - 1].pc,
                          .superblock = block,
                          .segment = (uint16_t)last,
                          .instructions = (uint16_t)(shape->n_steps - 1 - shape->first_step[last])};
    return true;
}

bool cache_locate_last(struct cache *cache, uint32_t exit, struct location *ret)
{
    gate_lock(&cache->gate, true);
    bool located = locate_last(cache, exit, ret);
    gate_unlock(&cache->gate);
    return located;
}
