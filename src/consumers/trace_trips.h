/* All runs of loops of a trace (trips.h). Runs that a signal or the end of the trace cuts are
 * counted as cut, as at the ends of windows. */
#pragma once

#include "consumers/consumer.h"
#include "consumers/trips.h"

struct trace_trips {
    struct consumer consumer;
    struct batch batch; /* not in the profile yet */
    struct trips trips;
    struct {
        VEC(struct trip_walk);
    } walks; /* by thread */
};

void trace_trips_init(struct trace_trips *trips, struct units *units);
void trace_trips_release(struct trace_trips *trips);

/* Adds what is new to an exact profile. */
void trace_trips_give(struct trace_trips *trips, struct profile *profile);
