/* Waits as if they were samples: for formats and views of stacks. */
#pragma once

#include <stdbool.h>

struct profile;

/* The profile becomes a plain one whose stacks weigh the time that threads were off a CPU. False:
 * it has no waits, and is as it was. */
bool profile_weigh_waits(struct profile *profile);
