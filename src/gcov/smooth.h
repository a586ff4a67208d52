/* Counts that were sampled, for gcc, which takes a zero for "never runs": code of zeros goes to another section and is made
 * small.
 *
 * A way of a branch that samples did not meet may still be gone, less often than they can tell. Counts are scaled up, and a
 * little of what was seen is led by each such way to where seen code goes on, so that what comes in still goes out. A
 * way that ends in a call which does not come back stays at zero: that is what errors look like. */
#pragma once

#include "gcov/notes.h"

void arcs_smooth(const struct notes_function *function, uint64_t *arcs);
