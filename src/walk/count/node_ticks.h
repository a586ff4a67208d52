/* Ticks of some stays in nodes (wire/node.h). A stay lasts from a call or return that leads to a
 * node to the next that leads away from it.
 *
 * The first of each node are measured, and all that are long beside what measuring takes; of
 * others, the more have been seen the fewer: one in up to NODE_WEIGHT_MAX, at random. Each stands
 * for as many as the gap before it has on the mean, so that sums are right on the mean whatever the
 * gaps depend on: they are drawn before what is in them is seen. */
#pragma once

#include "walk/base/context.h"

#include <stdint.h>

enum { NODE_WEIGHT_MAX = 512 };

/* One begins in context.node: it is measured from now on if it is its turn. Emitted code does the
 * same. */
void node_stay_begin(struct context *context);
/* It came to its end then; nothing, if it is not measured. What of a long stay was without a CPU is
 * not of its ticks. */
void node_stay_end(struct context *context, uint64_t now);
/* Before code goes on: the dispatcher had the time since `paused`, 0 if no stay was measured then.
 * Now and then it is looked how long the thread had no CPU, so that what is lost outside of
 * measured stays is not taken for theirs. */
void node_stay_resume(struct context *context, uint64_t paused, uint64_t now);
