#include "core/cache.h"

#include "base/memory.h"

void cache_init(struct cache *cache, uint64_t entries, uint32_t ways)
{
    *cache = (struct cache){.ways = ways, .sets = 1};
    if (!entries)
        return;
    while ((uint64_t)cache->sets * ways < entries)
        cache->sets *= 2;
    size_t n = (size_t)cache->sets * ways;
    cache->numbers = mem_alloc(n * sizeof *cache->numbers);
    cache->used = mem_alloc(n * sizeof *cache->used);
    cache->entries = mem_alloc(n * sizeof *cache->entries);
}

void cache_release(struct cache *cache)
{
    mem_free(cache->numbers);
    mem_free(cache->used);
    mem_free(cache->entries);
    *cache = (struct cache){0};
}

static size_t set_of(const struct cache *cache, uint64_t number)
{
    return (number & (cache->sets - 1)) * cache->ways;
}

struct cache_entry *cache_find(struct cache *cache, uint64_t number)
{
    if (!cache->numbers)
        return NULL;
    size_t set = set_of(cache, number);
    for (size_t at = set; at < set + cache->ways; at++)
        if (cache->numbers[at] == number + 1) {
            cache->used[at] = ++cache->clock;
            return &cache->entries[at];
        }
    return NULL;
}

struct cache_entry *cache_put(struct cache *cache, uint64_t number, uint64_t arrives)
{
    if (!cache->numbers)
        return NULL;
    size_t set = set_of(cache, number), oldest = set;
    for (size_t at = set; at < set + cache->ways && cache->numbers[oldest]; at++)
        if (!cache->numbers[at] ||
            cache->clock - cache->used[at] > cache->clock - cache->used[oldest])
            oldest = at;
    cache->numbers[oldest] = number + 1;
    cache->used[oldest] = ++cache->clock;
    cache->entries[oldest] = (struct cache_entry){.arrives = arrives};
    return &cache->entries[oldest];
}

void cache_drop(struct cache *cache, uint64_t number)
{
    if (!cache->numbers)
        return;
    size_t set = set_of(cache, number);
    for (size_t at = set; at < set + cache->ways; at++)
        if (cache->numbers[at] == number + 1)
            cache->numbers[at] = 0;
}
