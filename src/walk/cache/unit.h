/* What the cache tells the tool, which needs it to read records and counters: the units section of
 * a channel. Under the cache's lock: there is one writer. */
#pragma once

#include "walk/cache/cache.h"

/* Room for the next one, or NULL: the section is full, and so is the cache. */
void *unit_take(struct cache *cache, uint32_t bytes);
/* What was taken is filled; so many counters are its own. */
void unit_publish(struct cache *cache, uint32_t bytes, uint32_t counters);
/* Tells which mappings the units that follow lie in; before the first of them. */
bool unit_mark(struct cache *cache);
bool unit_superblock(struct cache *cache, const struct shape *shape,
                     const struct superblock *superblock);
