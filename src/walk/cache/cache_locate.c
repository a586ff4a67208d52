#include "walk/cache/cache_parts.h"

static const struct copied_block *block_of(const struct cache *cache, uint64_t cache_pc)
{
    for (uint32_t i = 0; i < cache->n_superblocks; i++)
        if (cache_pc - cache->superblocks[i].code < cache->superblocks[i].code_bytes)
            return &cache->superblocks[i];
    return NULL;
}

static bool locate(struct cache *cache, uint64_t cache_pc, struct location *ret)
{
    const struct zone *zone = zones_find(&cache->zones, cache_pc);
    const struct copied_block *block = block_of(cache, cache_pc);
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

static bool locate_last(struct cache *cache, uint32_t exit, struct location *ret)
{
    const struct copied_block *block = NULL;
    for (uint32_t i = cache->n_superblocks; i-- > 0 && !block;)
        if (cache->superblocks[i].first_exit <= exit)
            block = &cache->superblocks[i];
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
