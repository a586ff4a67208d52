/* Where translated code lies: zones near the code it copies, each mapped twice, writable here and
 * executable there, never both. They are appended to, and emptied all at once. */
#pragma once

#include "walk/base/context.h"
#include "walk/emit/emit.h"

#include <stdbool.h>

enum { ZONE_BYTES = 1 << 20, ZONES_MAX = 128, ZONE_LANDS = 32, ZONE_LAND = 32 };
#define ZONES_ARENA_BYTES ((uint64_t)ZONES_MAX * ZONE_BYTES)

/* What a zone is for: the code of one flavour, or the rare ways out of all. Apart, so that what
 * runs lies together: a walk starts with cold caches and TLBs, and their misses are most of its
 * price. */
enum { ZONE_COLD = FLAVOURS };

struct zone {
    uint64_t runs_at;
    uint8_t *writable;
    uint32_t used, use;
    bool closed; /* full: written to now and then, when one of its exits is linked */
};

/* Addresses that are kept for further zones in reach of the same code: when they are needed, the
 * program may have mapped everything around it. */
struct zone_land {
    uint64_t at;   /* the next zone's */
    uint32_t left; /* zones */
};

struct zones {
    struct zone at[ZONES_MAX];
    uint32_t n;
    struct zone_land lands[ZONE_LANDS];
    uint32_t n_lands;
    bool keeps_land;     /* whole runs need many zones */
    uint8_t *arena;      /* the writable alias of all: ZONES_ARENA_BYTES of shared memory */
    uint64_t code_bytes; /* ever written */
};

/* A zone of that use in reach of pc with so much room, mapped now if need be. NULL: there is no
 * place for one. */
struct zone *zones_get(struct zones *zones, uint64_t pc, uint32_t use, uint32_t room);
/* Which zone runs at that address, or NULL. */
const struct zone *zones_find(const struct zones *zones, uint64_t cache_pc);
/* Where the next code goes; what was written up to the cursor stays. */
struct code_cursor zone_cursor(struct zone *zone);
void zones_advance(struct zones *zones, struct zone *zone, const struct code_cursor *cursor);

void zones_clear(struct zones *zones);
void zones_unmap(struct zones *zones);
