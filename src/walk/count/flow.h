/* Bursts that flow: many passages along paths, timed as a whole while they run as they always do
 * (walk/count/passages.h).
 *
 * The first passages of one make the processor learn the way to the code that writes them down.
 * Then the clock is read, and again when there is no more room; in between nothing waits for
 * anything. What is kept is how long it took and how often each path came to its end (wire_burst,
 * wire/plan.h). */
#pragma once

#include "walk/base/context.h"
#include "walk/count/plan.h"

enum flow_phase { FLOW_NONE, FLOW_WARM, FLOW_TIMED };

/* A burst that flows lasts. */
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

/* The one with that number is one of those that are kept. */
bool flow_wanted(struct context *context, uint64_t number);
/* The next burst flows. */
void flow_arm(struct context *context);
/* Code has left with no more room. True: the burst is over. Else the clock is read when we are
 * gone, and added to path_began. */
bool flow_take(const struct plan *plan, struct context *context);
/* The dispatcher carries an operation out itself: the burst is of no use. */
void flow_passes(struct context *context, bool waited);
/* A thread ends: its bursts go to the bank of the process, as far as there is room. */
void flow_merge(struct context *context, uint8_t *to);
