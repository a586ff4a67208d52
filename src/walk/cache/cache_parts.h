/* Shared by the parts of the cache: cache.c translates, cache_link.c links and lands,
 * cache_locate.c finds the instruction of a fault. */
#pragma once

#include "walk/cache/cache.h"

#include <stdint.h>

/* A zone with room for one translation; NULL: none. */
struct zone *cache_zone(struct cache *cache, uint64_t pc, uint32_t use);
/* How a copy is, or was, made. */
struct translation cache_translation(struct cache *cache, const struct copied_block *block);
/* The slot that indirect branches to pc look at first. */
uint64_t *cache_landing_slot(struct cache *cache, enum flavour flavour, uint64_t pc);
