/* Ticks of some passages along paths (wire/plan.h, PLAN_SOME).
 *
 * A single clock read costs more than a short path: the branch that leads to it is mispredicted,
 * and the code that evaluates it leaves cold caches. So clock reads come in bursts. During a burst,
 * the code of each operation that begins, ends, saves or restores a path reads the clock between
 * fences and writes down what it saw (context.looks), without leaving; when the room is used up,
 * the dispatcher evaluates it. The first reads are not used: until then branches have been learned.
 * The time between two reads is the way from one to the other plus the cost of reading. Where a
 * path begins there are two reads in a row, which show that cost; it is subtracted.
 *
 * A passage that begins in a burst is followed to its end: when the burst is over its callers wait,
 * with their time so far in the shadow of the stack, and the one that runs is followed to its next
 * operation. The dispatcher's time is left out: the clock stands still (passages_pause).
 *
 * Programs do not run between fences: the overlap of a passage with its neighbours is missing. So
 * every second burst flows (flow.h): no fence, no clock; only the ends of paths are written down,
 * and the burst is timed as a whole. From these the tool computes what each path takes natively
 * (consumers/burst_fit.h). */
#pragma once

#include "walk/count/flow.h"

/* True during a burst, or while a passage is followed to its end. */
static inline bool passages_run(const struct context *context)
{
    return !context->path_back;
}

/* No room for more clock reads. */
static inline bool passages_full(const struct context *context)
{
    return !context->looks_at || (flow_runs(context) && !context->flow_at);
}

/* Before the dispatcher carries out an operation. */
void passage_passes(const struct plan *plan, const struct wire_plan *operation,
                    struct context *context);
/* A call returned to a passage that waits, or a waiting passage was left for good. The code reads
 * the clock afterwards: path_began does not contain it yet. */
void passage_goes_on(struct context *context);
/* The room is used up: evaluates the clock reads. path_began as above. */
void passages_take_left(const struct plan *plan, struct context *context);
/* So many ticks were not the program's. */
void passages_pause(const struct plan *plan, struct context *context, uint64_t ticks);
/* A signal interrupted: drops what was written down. */
void passages_forget(struct context *context);
