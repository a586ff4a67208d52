/* Whether the agent can be injected into a running process: what /proc says before the process is
 * touched. */
#pragma once

#include <stdbool.h>

struct err;

/* False: err says why not, and what to do. */
bool attachable_check(int pid, struct err *err);
