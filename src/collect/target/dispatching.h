/* Processes that have system calls of their threads dispatched to themselves (Linux's
 * PR_SET_SYSCALL_USER_DISPATCH), as Wine does: the agent's calls there would become signals. */
#pragma once

#include <stdbool.h>

/* True if a thread does. Threads are stopped for a moment, and only if the process handles SIGSYS.
 * Kernels before 6.4 do not tell: false. */
bool dispatching_process(int pid);
