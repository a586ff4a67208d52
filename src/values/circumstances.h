/* In what circumstances code ran: on which thread, which CPU, which node of memory. Windows tell;
 * every straight run of code that one went gets values of these kinds (profile/value_kinds.h), as
 * often as it was gone.
 *
 * A process with one thread has nothing to tell of threads: until a second value of a kind comes,
 * runs are only counted. */
#pragma once

#include "values/value_lists.h"

enum circumstance { ON_THREAD, ON_CPU, ON_NODE, CIRCUMSTANCES };

struct circumstance_run {
    uint32_t now;                   /* times, in this window */
    uint64_t before[CIRCUMSTANCES]; /* sightings while there was one value, in 2^-VALUE_BITS */
    uint32_t places[CIRCUMSTANCES]; /* of the lists, one more; 0: none yet */
};

struct circumstances {
    const struct units *units;
    struct value_lists *lists; /* gets values */
    struct {
        bool known, varies;
        uint64_t first;
    } kinds[CIRCUMSTANCES];
    struct {
        VEC(struct circumstance_run);
    } runs; /* as units->segments */
    struct {
        VEC(uint32_t);
    } met; /* runs of this window */
};

void circumstances_init(struct circumstances *circumstances, const struct units *units,
                        struct value_lists *lists);
void circumstances_release(struct circumstances *circumstances);
/* A window that the lists have taken. cpu_node: as in struct event_walk. */
void circumstances_window(struct circumstances *circumstances, const struct payload_window *window,
                          uint32_t cpu_node);
/* At the end: what there was only one of, as facts. */
void circumstances_tell(const struct circumstances *circumstances, struct profile *profile);
