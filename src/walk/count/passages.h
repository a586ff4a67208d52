/* Ticks of some passages along paths (wire/plan.h, PLAN_SOME).
 *
 * A clock that is looked at once has cost more than a short path: the processor goes astray at the
 * branch that leads there, and comes back cold from whoever adds up. So looks come in bursts. While
 * one lasts, the code of each operation that begins, ends, puts by or takes back a path looks at
 * the clock and writes down what it saw (context.looks), with nothing else under way before and
 * behind, and goes on as it always does; when there is no more room we read them. The first are not
 * used: until then branches have been learned. Between two looks is the way from one to the other,
 * and what looking takes; where a path begins there are two at once, so that this is seen, and is
 * taken off.
 *
 * A passage that begins in a burst is followed to its end: when the burst is over its callers wait,
 * with what they took so far in the shadow of the stack, and the one that runs is followed to its
 * next operation. What the dispatcher takes is not in it: the clock stands still (passages_pause).
 *
 * With nothing else under way is not how programs run: what a passage would have overlapped with
 * its neighbours is in its ticks. So every second burst flows (walk/count/flow.h): no fence, no
 * clock, only the ends of paths are written down, and all of it is timed as a whole. What each path
 * takes when it runs as it does natively the tool works out of these (course/path_flow.h). */
#pragma once

#include "walk/count/flow.h"

/* A burst lasts, or a passage is followed to its end. */
static inline bool passages_run(const struct context *context)
{
    return !context->path_back;
}

/* There is no more room for looks. */
static inline bool passages_full(const struct context *context)
{
    return !context->looks_at || (flow_runs(context) && !context->flow_at);
}

/* An operation that the dispatcher carries out, before it does. */
void passage_passes(const struct plan *plan, const struct wire_plan *operation,
                    struct context *context);
/* A call returned to somebody who waits, or somebody who waits was left for good. The code looks at
 * the clock when we are gone: path_began is still without it. */
void passage_goes_on(struct context *context);
/* Code has left with no more room for looks: they are read. As above, path_began is without the
 * clock. */
void passages_take_left(const struct plan *plan, struct context *context);
/* So many ticks were not the program's. */
void passages_pause(const struct plan *plan, struct context *context, uint64_t ticks);
/* A signal came in between: what was written down is nobody's. */
void passages_forget(struct context *context);
