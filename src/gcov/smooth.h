/* Counts for gcc, which takes a zero for "never runs": code of zeros goes to another section and is
 * made small.
 *
 * A way of a branch that samples did not meet may still be gone, less often than they can tell.
 * Counts are scaled up, and a little of what was seen is led by each such way to where seen code
 * goes on, so that what comes in still goes out. A way that ends in a call which does not come back
 * stays at zero: that is what errors look like.
 *
 * Of exact counts a zero is one; but where a line of what the way leads to was seen to run, the
 * graph was given its executions elsewhere: such a way gets one. And a function that ran was
 * called. */
#pragma once

#include "gcov/fit.h"

void arcs_smooth(const struct notes_function *function, const struct line_groups *groups,
                 const struct sightings *sightings, bool exact, uint64_t *arcs);
