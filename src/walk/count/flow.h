/* Bursts that flow: many passages along paths, timed as a whole while they run at full speed
 * (passages.h).
 *
 * The first passages of a burst let the processor learn the code that writes them down. Then the
 * clock is read, and again when the room is used up; in between nothing waits. What is kept is the
 * total time and how often each path ended (wire_burst, wire/plan.h). */
#pragma once

#include "walk/base/context.h"
#include "walk/count/plan.h"

enum flow_phase { FLOW_NONE, FLOW_WARM, FLOW_TIMED };

/* True during a burst that flows. */
static inline bool flow_runs(const struct context *context)
{
    return context->flow_phase && context->path_left <= 0;
}

/* The next burst does not flow. */
static inline void flow_disarm(struct context *context)
{
    context->flow_phase = FLOW_NONE;
    context->flow_at = 0;
}

/* True if the burst with that number is kept. */
bool flow_wanted(struct context *context, uint64_t number);
/* The next burst flows. */
void flow_arm(struct context *context);
/* The room is used up. True: the burst is over. Else the caller's code reads the clock later and
 * adds it to path_began. */
bool flow_take(const struct plan *plan, struct context *context);
/* The dispatcher carries out an operation itself: the burst becomes unusable. */
void flow_passes(struct context *context, bool waited);
/* A thread ends: its bursts go to the bank of the process, as far as they fit. */
void flow_merge(struct context *context, uint8_t *to);
