/* The memory of translated code: zones near the code they copy, each mapped twice, once writable
 * and once executable, never both. Code is appended; zones are emptied all at once. */
#pragma once

#include "walk/base/ahead.h"
#include "walk/base/context.h"
#include "walk/emit/emit.h"

#include <stdbool.h>

enum { ZONE_BYTES = 1 << 20, ZONES_MAX = 128, ZONE_LANDS = 32, ZONE_LAND = 32 };
#define ZONES_ARENA_BYTES ((uint64_t)ZONES_MAX * ZONE_BYTES)

/* What a zone is used for: the code of one flavour, or the cold ways out of all. They are separate
 * so that hot code lies together: a walk starts with cold caches and TLBs, and their misses are
 * most of its cost. */
enum { ZONE_COLD = FLAVOURS };

struct zone {
    uint64_t runs_at;
    uint8_t *writable;
    uint32_t used, use;
    uint32_t newest; /* the cache's: number + 1 of the last copy in it; 0: none */
    bool closed;     /* full: written only when one of its exits is linked */
    struct ahead ahead;
};

/* Addresses reserved for further zones near the same code: later the program may have mapped
 * everything around it. */
struct zone_land {
    uint64_t at;   /* of the next zone */
    uint32_t left; /* zones */
};

struct zones {
    struct zone at[ZONES_MAX];
    uint32_t n;
    struct zone_land lands[ZONE_LANDS];
    uint32_t n_lands;
    bool keeps_land;     /* exact runs need many zones */
    uint8_t *arena;      /* the writable alias of all zones: ZONES_ARENA_BYTES of shared memory */
    uint64_t code_bytes; /* ever written */
};

/* What a zone is wanted for. */
struct zone_wish {
    uint64_t pc;     /* near the program's code there */
    uint64_t beside; /* jumps lead there and back; 0: nowhere */
    uint32_t use, room;
};

/* Such a zone, mapped now if necessary. NULL: none possible. */
struct zone *zones_get(struct zones *zones, const struct zone_wish *wish);
/* The zone that contains this address, or NULL. */
const struct zone *zones_find(const struct zones *zones, uint64_t cache_pc);
/* Where the next code goes. zones_advance keeps what was written up to the cursor. */
struct code_cursor zone_cursor(struct zone *zone);
void zones_advance(struct zones *zones, struct zone *zone, const struct code_cursor *cursor);

void zones_clear(struct zones *zones);
void zones_unmap(struct zones *zones);
