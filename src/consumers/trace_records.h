/* Pairs of instructions of a trace, followed through the model of a core (model/pmu/profileme.h),
 * as records of a profile: gait pipeline computes metrics of them. */
#pragma once

#include "base/vec.h"
#include "values/value_pointers.h"
#include "records/sample.h"

struct profile;
struct replay;

struct trace_records {
    uint64_t interval; /* fetched instructions per pair; 0: no pairs */
    uint64_t pairs;
    uint32_t tags, buffer; /* of the unit; 0: as usual */
    uint64_t untagged;     /* chosen, but all tags were in flight */
    uint64_t interrupts;
    uint32_t width, window;
    struct value_pointers pointers; /* of the process */
    VEC(struct sample);
};

struct record_listener;

void trace_records_init(struct trace_records *records, struct mappings *mappings);
/* Listens to one thread's core; NULL: there are no pairs. */
struct record_listener *trace_records_listen(struct trace_records *records, struct replay *replay,
                                             int32_t tid);
void trace_records_end(struct record_listener *listener); /* may be NULL */
/* Gives all records. Metrics of pairs need the facts pairs_width and pairs_window. */
void trace_records_give(struct trace_records *records, struct profile *profile);
void trace_records_release(struct trace_records *records);
