/* One thread that walks, and a cache of its own for each test. */
#pragma once

#include "walk/run.h"

#include "world.h"

static struct context *context;
static struct regions *regions;
static struct walk walker;
static uint64_t units_bytes, counters;

static int set_up(void **state)
{
    (void)state;
    context = map_zeroed(sizeof *context + (1 << 20), MAP_PRIVATE);
    cache = map_zeroed(sizeof *cache, MAP_PRIVATE);
    regions = map_zeroed(sizeof *regions, MAP_PRIVATE);
    context_init(context);
    assert_true(cache_init(cache, regions, map_zeroed(ZONES_ARENA_BYTES, MAP_SHARED)));
    unit_log_open(&cache->units, map_zeroed(8 << 20, MAP_PRIVATE), 8 << 20, &units_bytes, &counters,
                  (1 << 20) / 8);
    units_bytes = counters = 0;
    regions->refresh = read_maps;
    walker = (struct walk){.cache = cache, .context = context};
    return 0;
}
