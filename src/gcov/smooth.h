/* Removes misleading zeros. gcc takes a zero for "never runs": it moves such code to another
 * section and optimises it for size.
 *
 * A way of a branch without samples may still run, too rarely to be sampled. Counts are scaled up,
 * and each such way gets a small count that flows on to sampled code, so that flow is conserved. A
 * way that ends in a call that never returns stays zero: that is how errors look.
 *
 * In exact counts a zero is a zero. But if a line on the way did run, the graph assigned its
 * executions elsewhere, and the way gets one. A function that ran was called. */
#pragma once

#include "gcov/fit.h"

void arcs_smooth(const struct notes_function *function, const struct line_groups *groups,
                 const struct sightings *sightings, bool exact, uint64_t *arcs);
