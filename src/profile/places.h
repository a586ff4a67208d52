/* Which code of each module a profile has anything to say about, in steps of 16 bytes: what is to
 * be kept of the modules' files. A bit for each step, so that marking takes a few nanoseconds. */
#pragma once

#include "base/vec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct profile;

enum {
    PLACE_BITS = 4,
    PLACES_PAGE_BITS = 20,
    PLACES_WORDS = 1 << (PLACES_PAGE_BITS - PLACE_BITS - 6)
};

/* One MiB of a module. */
struct places_page {
    uint64_t number;
    uint64_t *bits; /* for each kind PLACES_WORDS: marked as that, or as a later one */
};
struct module_places {
    VEC(struct places_page); /* by number */
    size_t last;             /* index of the one marked last */
};
struct places {
    VEC(struct module_places); /* by module of the profile */
};

void places_release(struct places *places);
void places_copy(struct places *to, const struct places *from);
/* How it was seen: as the caller of something, by one sample alone, or as code that ran. */
enum place_seen { PLACE_CALLER, PLACE_ONCE, PLACE_RAN, PLACE_KINDS };
void places_mark(struct places *places, uint32_t module, uint64_t at, enum place_seen kind);
/* Marks all that the profile has; modules[i] is the number here of its module i. `counts`: each of
 * its samples is marked so but one time, and a place that a second one finds has run. */
void places_mark_profile(struct places *places, const struct profile *profile,
                         const uint32_t *modules, bool counts);
/* Marks the places of one key of a table (enum profile_table). */
void places_mark_key(struct places *places, int table, const void *key, const uint32_t *modules);

/* The first marked step at or after *at; false: there is none. */
bool places_next(const struct places *places, uint32_t module, uint64_t *at,
                 enum place_seen *ret_kind);
