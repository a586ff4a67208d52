/* What the parts of the cache share: what makes superblocks (cache.c), links and landings
 * (cache_link.c), and finds out where a fault was (cache_locate.c). */
#pragma once

#include "walk/cache/cache.h"

#include <stdint.h>

/* With room for what is emitted at a time; NULL: there is none. */
struct zone *cache_zone(struct cache *cache, uint64_t pc, uint32_t use);
/* How a superblock is, or was, made. */
struct translation cache_translation(struct cache *cache, const struct copied_block *block);
/* Where indirect branches to it look first. */
uint64_t *cache_landing_slot(struct cache *cache, enum flavour flavour, uint64_t pc);
