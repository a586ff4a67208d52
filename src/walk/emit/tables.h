/* The tables in which indirect branches look up their target's code: one set for all threads of a
 * process.
 *
 * They lie below 2 GiB, so that emitted code addresses them by a constant and an index, without a
 * register and without %gs. An entry is the address of a chain of landings, each of which compares
 * the whole target, or of the way out to the dispatcher. */
#pragma once

#include "walk/base/context.h"

#include <stdbool.h>

enum {
    TABLES_LANDINGS = 1 << 16, /* indexed by 16 bits of the target */
    TABLES_SITES = 1 << 16,    /* counted indirect jumps and calls */
    TABLES_FANS = 1 << 14,
    TABLES_FAN_SLOTS = 1 << 8, /* indexed by 8 bits of the target: the lowest, */
    TABLES_FAN_LEVELS = 3,     /* or in a fan below a fan the next */
    TABLES_FEW = 3,
    TABLES_MANY = 8,
};

struct tables {
    uint64_t landings[FLAVOURS][TABLES_LANDINGS];
    /* The same for each counted jump or call. Most have one target: their landings are one chain.
     * Those with more than TABLES_FEW targets get a fan, which leads to chains of their own; the
     * old chain is at the end of each. A slot with TABLES_MANY gets a fan below it: code that is
     * made at run time often starts at multiples of 64, and there may be thousands of it. */
    uint64_t sites[TABLES_SITES];
    uint64_t fans[TABLES_FANS][TABLES_FAN_SLOTS];
    uint16_t fan_below[TABLES_FANS][TABLES_FAN_SLOTS]; /* number + 1; 0: none */
    uint8_t fan_landings[TABLES_FANS][TABLES_FAN_SLOTS];
    uint16_t fan_of[TABLES_SITES];     /* number + 1; 0: none */
    uint8_t landings_of[TABLES_SITES]; /* of the one chain */
};

/* Maps them without touching them; NULL: no room below 2 GiB. */
struct tables *tables_map(void);
/* All landings lead to the dispatcher again. Only touched tables are written: a table that no walk
 * has used costs nothing. */
void tables_forget(struct tables *tables);
/* Must be called before the first code of a flavour is made. */
void tables_prepare(struct tables *tables, enum flavour flavour);
void tables_prepare_site(struct tables *tables, uint32_t site);
/* Every slot of the fan leads there, where what it is for has led. */
void tables_prepare_fan(struct tables *tables, uint32_t fan, uint64_t there);
/* It leads to the dispatcher, for threads that are on their way through it. */
void tables_forget_fan(struct tables *tables, uint32_t fan);

/* The slot of a target in a fan, 0 to TABLES_FAN_LEVELS - 1 of which are above it. */
static inline uint32_t tables_fan_slot(uint64_t pc, uint32_t level)
{
    return pc >> 8 * level & (TABLES_FAN_SLOTS - 1);
}

/* The index that an indirect branch to pc uses. */
static inline uint32_t tables_landing(uint64_t pc, bool rotates)
{
    return (uint32_t)(rotates ? pc >> 4 : pc) & (TABLES_LANDINGS - 1);
}
