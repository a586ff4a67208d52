/* Whether the agent may be put into a process that runs: what /proc tells before it is touched. */
#pragma once

#include <stdbool.h>

struct err;

/* False: err says what it is, why not, and what to do. */
bool attachable_check(int pid, struct err *err);
