/* The events that work with -e here: each is opened, with interrupts, to see whether a recording
 * can use it. */
#pragma once

#include "base/vec.h"
#include "collect/doctor/attempt.h"

struct catalog_event {
    const char *name;   /* as typed after -e */
    const char *source; /* "software", "hardware", "cache", or the PMU that names it */
    struct attempt_outcome outcome;
    bool everybody; /* counts whole CPUs only: needs -a */
};

struct catalog {
    struct arena arena;
    VEC(struct catalog_event);
    const char *tracepoints_at; /* folder of tracefs */
    uint32_t tracepoints;       /* number of SYSTEM:NAME; they are not tried */
    int tracepoints_errno;      /* why they could not be read, or 0 */
};

/* `root`: "" for the machine itself. In the order of the table, then by name. */
void catalog_make(struct catalog *catalog, const char *root);
void catalog_release(struct catalog *catalog);
