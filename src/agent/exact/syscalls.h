/* The program's system calls in an exact run: executed for it, except those that the agent must
 * answer itself or that change what it knows. */
#pragma once

#include "walk/run.h"

/* For walk.syscall. */
bool syscalls_run(struct walk *walk, uint64_t next);
