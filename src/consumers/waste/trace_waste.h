/* Work without effect in a whole trace (waste/waste.h): what samples estimate. */
#pragma once

#include "consumers/consumer.h"
#include "waste/waste.h"
#include "waste/waste_rows.h"

struct trace_waste {
    struct consumer consumer;
    struct batch batch;
    struct waste_blocks blocks;
    struct waste_rows rows;
    struct {
        VEC(struct waste_thread *);
    } threads;       /* by number; NULL: not begun */
    uint64_t unread; /* of threads that have ended */
};

void trace_waste_init(struct trace_waste *waste, const struct units *units);
void trace_waste_release(struct trace_waste *waste);
/* Adds what was found to an exact profile, once. */
void trace_waste_give(struct trace_waste *waste, struct profile *profile);
