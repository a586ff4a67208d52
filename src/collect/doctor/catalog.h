/* The events that can follow -e here, each opened for real, with interrupts, to see whether a
 * recording can use it. */
#pragma once

#include "base/vec.h"
#include "collect/doctor/attempt.h"

struct catalog_event {
    const char *name;   /* as typed after -e */
    const char *source; /* "software", "hardware", "cache", or the PMU that names it */
    struct attempt_outcome outcome;
    bool everybody; /* counts a whole processor only: wants -a */
};

struct catalog {
    struct arena arena;
    VEC(struct catalog_event);
    const char *tracepoints_at; /* folder of tracefs that was looked at */
    uint32_t tracepoints;       /* SYSTEM:NAME, how many; they are not tried one by one */
    int tracepoints_errno;      /* why they could not be read, or 0 */
};

/* root is "" for the machine itself. In the order of the table, then of names. */
void catalog_make(struct catalog *catalog, const char *root);
void catalog_release(struct catalog *catalog);
