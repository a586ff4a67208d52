/* The values of all places of a trace, all counted (values/value_counts.h): the reference for
 * sampled values. */
#pragma once

#include "consumers/consumer.h"
#include "values/value_calls.h"
#include "values/value_counts.h"
#include "values/value_places.h"
#include "values/value_rows.h"
#include "values/value_strides.h"

struct trace_values {
    struct consumer consumer;
    struct payload_consumer *listener; /* gets every event; or NULL */
    struct payload_sum *sum;
    struct value_places places;
    bool strided; /* addresses have strides */
    struct value_strides strides;
    struct value_rows rows;
    struct {
        VEC(struct value_counts);
    } counts; /* by place */
    struct {
        VEC(int32_t);
    } tids; /* by thread */
    struct {
        VEC(struct call_crossing);
    } crossings; /* by thread */
};

void trace_values_init(struct trace_values *values, const struct units *units,
                       struct payload_sum *sum);
void trace_values_release(struct trace_values *values);
/* Adds all to an exact profile and to the sum, once. */
void trace_values_give(struct trace_values *values, struct profile *profile);
