#include "core/cache.h"

#include "base/memory.h"

void cache_init(struct cache *cache, uint64_t entries, uint32_t ways)
{
    *cache = (struct cache){.ways = ways, .sets = 1};
    if (!entries)
        return;
    while ((uint64_t)cache->sets * ways < entries)
        cache->sets *= 2;
    cache->entries = mem_alloc((size_t)cache->sets * ways * sizeof *cache->entries);
}

void cache_release(struct cache *cache)
{
    mem_free(cache->entries);
    *cache = (struct cache){0};
}

static struct cache_entry *set_of(struct cache *cache, uint64_t number)
{
    return &cache->entries[(number & (cache->sets - 1)) * cache->ways];
}

struct cache_entry *cache_find(struct cache *cache, uint64_t number)
{
    if (!cache->entries)
        return NULL;
    struct cache_entry *set = set_of(cache, number);
    for (uint32_t way = 0; way < cache->ways; way++)
        if (set[way].number == number + 1) {
            set[way].used = ++cache->clock;
            return &set[way];
        }
    return NULL;
}

struct cache_entry *cache_put(struct cache *cache, uint64_t number, uint64_t arrives)
{
    if (!cache->entries)
        return NULL;
    struct cache_entry *set = set_of(cache, number), *oldest = set;
    for (uint32_t way = 0; way < cache->ways && oldest->number; way++)
        if (!set[way].number || cache->clock - set[way].used > cache->clock - oldest->used)
            oldest = &set[way];
    *oldest =
        (struct cache_entry){.number = number + 1, .arrives = arrives, .used = ++cache->clock};
    return oldest;
}
