#include "agent/threads/footprint.h"

#include "agent/base/process.h"
#include "agent/base/thread.h"
#include "agent/threads/stream.h"
#include "walk/base/sys.h"
#include "walk/cache/cache.h"
#include "walk/emit/tables.h"

#include <sys/syscall.h>

enum { PAGE = 4096, PAGES_AT_ONCE = 1024 };

static uint64_t resident(const void *at, uint64_t bytes)
{
    uint8_t there[PAGES_AT_ONCE];
    uint64_t pages = 0, start = (uint64_t)at & -(uint64_t)PAGE, end = (uint64_t)at + bytes;
    for (; at && start < end; start += (uint64_t)PAGES_AT_ONCE * PAGE) {
        uint64_t n = (end - start + PAGE - 1) / PAGE;
        n = n < PAGES_AT_ONCE ? n : PAGES_AT_ONCE;
        if (sys_failed(sys3(SYS_mincore, (long)start, (long)(n * PAGE), (long)there)))
            continue;
        for (uint64_t i = 0; i < n; i++)
            pages += there[i] & 1;
    }
    return pages * PAGE;
}

/* Of tables that fill from their start, only that part: holes take time to check too. */
static uint64_t cache_bytes(const struct cache *cache)
{
    const struct tables *tables = cache->tables;
    uint64_t bytes = resident(cache, offsetof(struct cache, superblocks));
    bytes += resident(cache->superblocks, cache->n_superblocks * sizeof *cache->superblocks);
    bytes += resident(cache->exits, cache->n_exits * sizeof *cache->exits);
    bytes += resident(cache->words, cache->n_words);
    bytes += resident(cache->zones.arena, (uint64_t)cache->zones.n * ZONE_BYTES);
    bytes += resident(tables->landings, sizeof tables->landings);
    bytes += resident(tables->sites, cache->n_sites * sizeof *tables->sites);
    bytes += resident(tables->fans, cache->n_fans * sizeof *tables->fans);
    bytes += resident(tables->fan_below, cache->n_fans * sizeof *tables->fan_below);
    bytes += resident(tables->fan_landings, cache->n_fans * sizeof *tables->fan_landings);
    bytes += resident(cache->guards, cache->guards ? sizeof *cache->guards : 0);
    return bytes + resident(cache->witness, cache->witness ? sizeof *cache->witness : 0);
}

static uint64_t channel_bytes(struct channel *channel)
{
    uint8_t *base = (uint8_t *)channel;
    return resident(base, CHANNEL_UNITS_AT) +
           resident(base + CHANNEL_UNITS_AT, agent.cache->units.bytes) +
           resident(base + CHANNEL_RING_AT, CHANNEL_RING_BYTES);
}

uint64_t footprint_bytes(void)
{
    uint64_t bytes = cache_bytes(agent.cache) + channel_bytes(agent.channel);
    bytes += resident(agent.regions, sizeof *agent.regions);
    bytes += resident(agent.threads, agent.n_threads * sizeof *agent.threads);
    uint64_t counters =
        agent.options.mode == RECORD_SAMPLED ? 0 : 8 * agent.cache->units.n_counters;
    for (uint32_t i = 0; i < agent.n_threads; i++)
        if (agent.threads[i].context)
            bytes += resident(agent.threads[i].context, sizeof(struct context) + counters) +
                     resident(agent.threads[i].stream,
                              agent.threads[i].stream ? sizeof(struct thread_stream) : 0);
    return bytes;
}
