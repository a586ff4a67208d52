#include "model/core/cache.h"

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

/* A free place of its set, or that of the line that was not used for longest. */
static size_t place_for(const struct cache *cache, uint64_t number)
{
    size_t set = set_of(cache, number), oldest = set;
    for (size_t at = set; at < set + cache->ways && cache->numbers[oldest]; at++)
        if (!cache->numbers[at] ||
            cache->clock - cache->used[at] > cache->clock - cache->used[oldest])
            oldest = at;
    return oldest;
}

struct cache_entry *cache_put(struct cache *cache, uint64_t number, uint64_t arrives)
{
    if (!cache->numbers)
        return NULL;
    size_t place = place_for(cache, number);
    cache->numbers[place] = number + 1;
    cache->used[place] = ++cache->clock;
    cache->entries[place] = (struct cache_entry){.arrives = arrives};
    return &cache->entries[place];
}

bool cache_victim(const struct cache *cache, uint64_t number, uint64_t *ret)
{
    uint64_t held = cache->numbers ? cache->numbers[place_for(cache, number)] : 0;
    if (held)
        *ret = held - 1;
    return held;
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
