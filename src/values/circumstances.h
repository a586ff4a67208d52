/* Where code ran, and how: on which thread, CPU and NUMA node, for which user, and with which
 * signals blocked, or waiting. Windows say so; every straight run of code in a window gets values
 * of these kinds (profile/value_kinds.h), one for each time it ran.
 *
 * A process with one thread has one value of each kind for all its code. So runs are only counted
 * until a second value appears. */
#pragma once

#include "values/value_lists.h"

enum circumstance {
    ON_THREAD,
    ON_CPU,
    ON_NODE,
    OF_USER,
    WITH_BLOCKED,
    WITH_PENDING,
    CIRCUMSTANCES
};

struct event_walk;

struct circumstance_run {
    uint32_t now;                   /* executions in this window */
    uint64_t before[CIRCUMSTANCES]; /* sightings while there was one value, in 2^-VALUE_BITS */
    uint32_t places[CIRCUMSTANCES]; /* index + 1 in the lists; 0: none yet */
};

struct circumstances {
    const struct units *units;
    struct value_lists *lists;
    struct {
        bool known, varies;
        uint64_t first;
    } kinds[CIRCUMSTANCES];
    struct {
        VEC(struct circumstance_run);
    } runs; /* as units->segments */
    struct {
        VEC(uint32_t);
    } met;
};

void circumstances_init(struct circumstances *circumstances, const struct units *units,
                        struct value_lists *lists);
void circumstances_release(struct circumstances *circumstances);
/* A window that the lists have taken, of that walk. */
void circumstances_window(struct circumstances *circumstances, const struct payload_window *window,
                          const struct event_walk *walk);
/* At the end: kinds with only one value become facts. */
void circumstances_tell(const struct circumstances *circumstances, struct profile *profile);
