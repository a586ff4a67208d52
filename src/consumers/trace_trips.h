/* Runs of loops of a traced program, all of them (trips.h). What signals and the ends of traces cut
 * is counted as cut, as at the ends of windows. */
#pragma once

#include "consumers/consumer.h"
#include "consumers/trips.h"

struct trace_trips {
    struct consumer consumer;
    struct batch batch; /* runs since they were last given out */
    struct trips trips;
    struct {
        VEC(struct trip_walk);
    } walks; /* by thread */
};

void trace_trips_init(struct trace_trips *trips, struct units *units);
void trace_trips_release(struct trace_trips *trips);

/* Adds what is new to an exact profile. */
void trace_trips_give(struct trace_trips *trips, struct profile *profile);
