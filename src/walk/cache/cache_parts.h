/* Shared by the parts of the cache: cache.c translates, cache_guess.c guesses, cache_link.c links
 * and lands, cache_locate.c finds the instruction of a fault. */
#pragma once

#include "walk/cache/cache.h"

#include <stdint.h>

/* A zone with room for one translation; NULL: none. */
struct zone *cache_zone(struct cache *cache, uint64_t pc, uint32_t use, uint64_t beside);
/* The zone of the cold ways out of code in `hot`; NULL also if that is. */
struct zone *cache_zone_cold(struct cache *cache, uint64_t pc, const struct zone *hot);
/* A new copy; its shape stays in cache->shape. NULL: *ret_refusal says why. */
struct copied_block *cache_translate(struct cache *cache, const struct wanted *wanted,
                                     uint32_t *ret_refusal);
/* Links the end of a copy that was just made to what it leads to, as far as that is there, or is
 * reached for certain: then it is made now. So it need not come back for it. */
void cache_follow(struct cache *cache, const struct wanted *wanted,
                  const struct copied_block *block);
/* The copy whose code, in this zone, was just written, and begins behind all others. */
void cache_place(struct cache *cache, struct zone *zone, struct copied_block *block);
/* No zone has code any more. */
void cache_places_forget(struct cache *cache);
/* The copy whose code contains cache_pc; NULL: none. Needs no lock while the copy stays. */
const struct copied_block *cache_block_at(const struct cache *cache, uint64_t cache_pc);
/* How a copy is, or was, made. */
struct translation cache_translation(struct cache *cache, const struct copied_block *block);
/* A guessed exit leads to the dispatcher again. */
void cache_unlink(struct cache *cache, uint32_t id);
/* Where the branch at the end of the shape goes, if the program runs on from the entry as wanted:
 * the block's guess, and where it is compared. */
void cache_guess(const struct wanted *wanted, const struct shape *shape, struct copied_block *block,
                 struct guess *ret);
/* True if the block's guess may be right. */
bool cache_guessed(const struct wanted *wanted, const struct copied_block *block);
/* The slot that indirect branches to pc look at first. */
uint64_t *cache_landing_slot(struct cache *cache, enum flavour flavour, uint64_t pc);
