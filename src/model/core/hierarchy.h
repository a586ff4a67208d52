/* Caches, TLBs, lines on their way and a prefetcher of streams.
 *
 * An access that misses asks the next level; lines on their way are limited, and one that is asked
 * for again arrives when it arrives. Lines are told apart by physical address; the first level
 * remembers by which page it was last asked for each, as those cores do that guess the way from the
 * virtual address: another name of the same line is a miss of the first level only. */
#pragma once

#include "model/core/lru.h"
#include "model/core/model.h"

#include <stdint.h>

struct hierarchy;

struct hierarchy_access {
    uint64_t address, physical; /* virtual, and where it is */
    uint32_t bytes;
    uint64_t time;
};

struct hierarchy *hierarchy_make(const struct model *model);
void hierarchy_free(struct hierarchy *hierarchy);

/* When the data is there for whoever gets it in `hit` cycles from the first level. Adds to the
 * events (enum core_event). */
uint64_t hierarchy_data(struct hierarchy *hierarchy, const struct hierarchy_access *access,
                        uint32_t hit, uint32_t *events);
/* Puts what the access needs into the first level, as if it had been there for long: no line is on
 * its way for it. */
void hierarchy_near(struct hierarchy *hierarchy, const struct hierarchy_access *access);
void hierarchy_copy(struct hierarchy *to, const struct hierarchy *from);
/* The line of data at that address is in this level and those below it, as if it had been there for
 * long: 1, 2, 3; 4: in memory alone. */
void hierarchy_place(struct hierarchy *hierarchy, uint64_t address, uint32_t level);
/* The same for a line of code; 0 cycles for those in the first level. */
uint64_t hierarchy_code(struct hierarchy *hierarchy, uint64_t address, uint64_t time,
                        uint32_t *events);
