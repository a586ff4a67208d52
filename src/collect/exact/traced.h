/* The traces of one process (--exact=trace) and their consumers (consumers/consumer.h), which are
 * opened here as the options say. */
#pragma once

#include "collect/exact/trace.h"
#include "consumers/trace_check.h"
#include "consumers/trace_contexts.h"
#include "consumers/trace_count.h"
#include "consumers/trace_paths.h"
#include "consumers/trace_replay.h"
#include "consumers/trace_trips.h"
#include "consumers/trace_values.h"
#include "consumers/waste/trace_waste.h"
#include "process/recording_session.h"

struct traced {
    struct trace trace;
    struct trace_count count;
    struct trace_check check;
    struct trace_trips trips;
    struct trace_paths paths;
    struct trace_contexts contexts;
    struct trace_values values;
    struct trace_waste waste;
    struct trace_replay *replay; /* NULL: no model */
};

/* `index`: of the channel. `payloads` counts events. */
void traced_init(struct traced *traced, const struct recording_session *session, uint32_t index,
                 struct channel *channel, struct units *units, struct payload_sum *payloads);
void traced_release(struct traced *traced);
/* Brings counts into `exact`, and the rest into the profile. `last`: the process has ended. */
void traced_give(struct traced *traced, struct exact *exact, struct profile *profile, bool last);
