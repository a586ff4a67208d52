/* Ticks of some stays in nodes (wire/node.h). A stay lasts from a call or return that leads to a
 * node to the next that leads away.
 *
 * Measured are the first stays of each node, and all that are long compared with the cost of
 * measuring. Of the others, the more stays were seen the fewer are measured: one in up to
 * NODE_WEIGHT_MAX, at random. Each counts as many times as its gap has stays on average. Gaps are
 * drawn before the stays in them are seen, so sums are unbiased. */
#pragma once

#include "walk/base/context.h"

#include <stdint.h>

enum { NODE_WEIGHT_MAX = 512 };

/* A stay begins in context.node: it is measured if it is its turn. Emitted code does the same. */
void node_stay_begin(struct context *context);
/* The stay ended at `now`; does nothing if it is not measured. Time without a CPU is subtracted
 * from long stays. */
void node_stay_end(struct context *context, uint64_t now);
/* Before code goes on: the dispatcher ran since `paused`, 0 if no stay was measured then. Now and
 * then checks how long the thread had no CPU, so that time lost outside of measured stays is not
 * taken for theirs. */
void node_stay_resume(struct context *context, uint64_t paused, uint64_t now);
