/* Event counters of a modelled core (model/pmu/bank.h) along a trace, as samples of a profile:
 * those of each event are apart (profile/events.h), so that each is a plain profile of the same
 * run, beside its exact counts.
 *
 * A sample is a place without callers: what the interrupt sees, skid and all. */
#pragma once

#include "base/map.h"
#include "base/vec.h"

#include <stdint.h>

struct profile;
struct replay;

struct trace_counters {
    uint64_t period; /* 0: no counters */
    uint64_t seed;
    uint32_t pid;
    uint32_t threads; /* that were listened to: each draws its own numbers, the same in every run */
    const struct model *model; /* NULL: nobody has listened yet */
    struct map keys;           /* of struct counter_key; index i has at[i] samples */
    VEC(uint64_t);
};

struct counters_listener;

void trace_counters_init(struct trace_counters *counters, uint32_t pid);
void trace_counters_release(struct trace_counters *counters);
/* Listens to one thread's core; NULL: there are no counters. */
struct counters_listener *trace_counters_listen(struct trace_counters *counters,
                                                struct replay *replay, int32_t tid);
void counters_listener_free(struct counters_listener *listener); /* may be NULL */
/* Gives all samples, with the core's stall of each event as fact "stall": a name and cycles. */
void trace_counters_give(struct trace_counters *counters, struct profile *profile);
