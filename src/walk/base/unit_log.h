/* The units section of a channel: what the tool needs to know of translated code to read records
 * and counters. Units are only appended. One writer at a time: under the cache's lock. */
#pragma once

#include "walk/base/ahead.h"

#include <stdbool.h>
#include <stdint.h>

struct unit_log {
    uint8_t *base;
    uint64_t room;
    uint64_t bytes;      /* of units there are; what is published the program may write over */
    uint64_t *published; /* the same; the tool reads no further */
    uint64_t *counters;  /* the number of counters, published */
    uint64_t max_counters;
    uint32_t n_counters;
    bool full; /* no room for units or counters: flushing the cache does not help */
    const uint64_t *maps_bytes; /* published length of the maps section; NULL: nobody asks */
    uint64_t maps_marked;       /* the same, when unit_mark last wrote a unit */
    struct ahead ahead;
};

/* Directs the log to a section that is empty. How many counters are in use stays as it is. */
void unit_log_open(struct unit_log *log, uint8_t *base, uint64_t room, uint64_t *published,
                   uint64_t *counters, uint64_t max_counters);
/* Room for the next unit. NULL: the section is full. */
void *unit_take(struct unit_log *log, uint32_t bytes);
/* Publishes what unit_take gave, filled in, with so many counters of its own. */
void unit_publish(struct unit_log *log, uint32_t bytes, uint32_t counters);
/* Writes which mappings the next units lie in, if these have changed. False: no room. */
bool unit_mark(struct unit_log *log);
